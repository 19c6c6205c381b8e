"""What Burrow's rules judge, out of what a cluster's rounds left."""

from __future__ import annotations

from pykafka_ops.analysis.commits.burrow import WINDOW
from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.monitor.burrow.status import PartitionFound
from pykafka_ops.monitor.cluster.watched import WatchedCluster


def partitions(watched: WatchedCluster, name: str) -> list[PartitionFound]:
    """The partitions of a group, by its topics; [] for an unknown one."""
    group = (watched.view.groups or {}).get(name)
    owners = {p: m.host for m in group.members for p in m.assigned} if group else {}
    commits = watched.commits(name)
    return [
        PartitionFound(
            row.topic,
            row.partition,
            commits.get(row.topic, {}).get(row.partition, ()),
            _lag(row, ends),
            owners.get((row.topic, row.partition), ""),
            row.client_id or "",
            ends,
        )
        for row in watched.rows(name)
        for ends in [[end for _, end in watched.ends(row.topic, row.partition)][-WINDOW:]]
    ]


def _lag(row: LagRow, ends: list[int]) -> int:
    """As Burrow has it: by the last end that is known, however old, since it cannot say unknown."""
    if row.lag is not None or row.current_offset is None or not ends:
        return row.lag or 0
    return max(0, ends[-1] - row.current_offset)
