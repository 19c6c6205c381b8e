"""What Burrow's rules judge, out of what a cluster's rounds left."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.commits.burrow import WINDOW
from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.client.group_describe import SHARE, STREAMS
from pykafka_ops.monitor.burrow.status import PartitionFound
from pykafka_ops.monitor.cluster.view import WatchedGroup
from pykafka_ops.monitor.cluster.watched import WatchedCluster


def is_known(group: WatchedGroup) -> bool:
    """Whether Burrow knows such groups: it reads commits, and share groups have none."""
    return group.type != SHARE


def topics(watched: WatchedCluster, name: str, group: WatchedGroup) -> Sequence[str]:
    """The topics of a group as Burrow sees them: of a streams group those that it has committed,
    since Burrow does not read its assignments."""
    if group.type != STREAMS:
        return group.topics if is_known(group) else ()
    return [t for t, at in sorted(watched.committed(name).items()) if max(at, default=-1) >= 0]


def partitions(watched: WatchedCluster, name: str) -> list[PartitionFound]:
    """The partitions of a group, by its topics; [] for an unknown one."""
    group = (watched.view.groups or {}).get(name)
    if group is None or not is_known(group):
        return []
    members = () if group.type == STREAMS else group.members
    readers = {p: m for m in members for p in m.assigned}
    commits = watched.commits(name)
    return [
        PartitionFound(
            row.topic,
            row.partition,
            commits.get(row.topic, {}).get(row.partition, ()),
            _lag(row, ends),
            reader.host if reader else "",
            reader.client_id if reader else "",
            ends,
        )
        for row in watched.rows(name)
        if group.type != STREAMS or row.current_offset is not None
        for reader in [readers.get((row.topic, row.partition))]
        for ends in [[end for _, end in watched.ends(row.topic, row.partition)][-WINDOW:]]
    ]


def _lag(row: LagRow, ends: list[int]) -> int:
    """As Burrow has it: by the last end that is known, however old, since it cannot say unknown."""
    if row.lag is not None or row.current_offset is None or not ends:
        return row.lag or 0
    return max(0, ends[-1] - row.current_offset)
