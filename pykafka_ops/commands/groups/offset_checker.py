"""kafka.tools.ConsumerOffsetChecker, which Kafka had until 0.10, for groups old and new.

Offsets are asked of the brokers, then looked up below ``/consumers``, where consumers of before 0.9
keep them; the owner of a partition is there, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pykafka_ops.client.offsets import LATEST, known_offsets
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.output import Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups.old_consumers import committed, consumers
from pykafka_ops.commands.old_door import opened

LINE = "%-15s %-30s %-3s %-15s %-15s %-15s %s\n"
TITLES = ("Group", "Topic", "Pid", "Offset", "logSize", "Lag", "Owner")
COLUMNS = (
    Column("group"),
    Column("topic"),
    *numbers("partition", "offset", "log_size", "lag"),
    Column("owner"),
)
UNKNOWN = "unknown"


def check_offsets(run: Run) -> Table | int:
    """The offset, end, lag and owner of each partition that the group reads."""
    group = run.args.text("group") or ""
    cluster = run.cluster()
    with opened(run) as client:
        known = consumers(client, group)
    in_kafka = committed(cluster, group)
    wanted = set(run.args.names("topic")) or known.topics | {topic for topic, _ in in_kafka}
    if not wanted:
        sys.stdout.write(
            "Exiting due to: org.apache.zookeeper.KeeperException$NoNodeException: "
            f"KeeperErrorCode = NoNode for /consumers/{group}/owners.\n"
        )
        return 0
    leaders = {
        (t.name, p.number): p.leader
        for t in all_topics(cluster)
        if t.name in wanted
        for p in t.partitions
    }
    ends = known_offsets(cluster, [p for p, leader in leaders.items() if leader >= 0], LATEST)
    offsets = {**known.offsets, **in_kafka}
    rows = []
    for place in sorted(leaders):
        end = ends[place].offset if place in ends else None
        offset = offsets.get(place)
        lag = None if end is None or offset is None else end - offset
        rows.append((group, *place, offset, end, lag, known.owners.get(place)))
    info = [cluster.nodes[b] for b in sorted(set(leaders.values())) if b in cluster.nodes]
    brokers = [f"{node.id} -> {node.address}\n" for node in info]
    return Table(
        "consumer-offsets", COLUMNS, rows_of(COLUMNS, rows),
        kafka=_text(rows, brokers if run.args.has("broker-info") else []),
    )  # fmt: skip


def _text(rows: Iterable[Sequence[Any]], brokers: Sequence[str]) -> Iterator[str]:
    yield LINE % TITLES
    for group, topic, number, offset, end, lag, owner in rows:
        if end is None:
            yield f"No broker for partition {topic} - {number}\n"
            continue
        shown = (UNKNOWN if value is None else value for value in (offset, end, lag))
        yield LINE % (group, topic, number, *shown, owner or "none")
    if brokers:
        yield "BROKER INFO\n"
        yield from brokers
