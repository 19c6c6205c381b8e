"""Views made by hand, and a source that has them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace

from pykafka_ops.analysis.cluster_state import Placed, facts, survey
from pykafka_ops.analysis.lag.rows import GroupLag, LagRow
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.glance import broker_rows
from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.cluster.view import NEVER, ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.top.records import RecordPage, SeenRecord
from pykafka_ops.top.seen import SeenCluster

AT = 1_795_533_682_000
MEMBER = MemberDescription("m-1", None, "billing-1", "/10.0.0.7", (("orders", 0),))


def group(
    name: str, status: str = "OK", lag: int | None = 0, *, loss: float | None = None
) -> WatchedGroup:
    """A group; without ``loss`` nothing of it is ever deleted."""
    row = GroupLag(
        name, "Stable", 1, 0 if lag is not None else 1, lag, lag, 0.0 if lag == 0 else None,
        1.0, 1.0, 0.0 if lag == 0 else None, None, status,
    )  # fmt: skip
    never = NEVER if loss is None else None
    return WatchedGroup(
        row, "Classic", 1, "consumer", (MEMBER,), ["orders"], None, loss, never, None
    )


def view(
    *groups: WatchedGroup, partitions: Sequence[Placed] = (), live: Sequence[int] = (1, 2)
) -> ClusterView:
    """A cluster of these live brokers; every partition is one of topic orders."""
    nodes = {b: Node(b, f"b{b}", 9092, None) for b in live}
    placed = list(partitions) or [Placed("orders", 0, 1, (1, 2), (1, 2), 1)]
    looked = survey(placed, dict.fromkeys(live))
    described = [
        PartitionDescription(p.number, p.leader, 0, list(p.replicas), list(p.isr), [])
        for p in placed
    ]
    topic = WatchedTopic(
        TopicDescription("orders", b"i" * 16, False, described),
        array("q", [0] * len(placed)),
        array("q", [10] * len(placed)),
        2.5,
        None,
        {"retention.ms": "3600000"},
    )
    return ClusterView(
        "b1:9092",
        number=1,
        at=AT,
        cluster_id="cid",
        controller=1,
        facts=facts(looked, 1, None),
        troubled=looked.troubled,
        brokers=broker_rows(nodes, 1, looked.shares, {}, dict.fromkeys(live, "")),
        topics={"orders": topic},
        groups={g.row.group: g for g in groups},
        moves={},
    )


def seen(known: ClusterView, **more: object) -> SeenCluster:
    """At the moment of the view."""
    return replace(SeenCluster(known, AT, 5000), **more)  # type: ignore[arg-type]


class MadeSource:
    """Answers by hand; ``asked`` are the offsets that records were asked from."""

    poll_ms = 5000
    command = ("-b", "b1:9092")

    def __init__(self, known: ClusterView) -> None:
        self.view = known
        self.lag_rows: list[LagRow] = []
        self.trouble: PkoError | None = None
        self.asked: list[int] = []
        self.hurried = 0
        self.value = b"v"
        self.heard: Callable[[], None] = lambda: None

    def start(self, heard: Callable[[], None]) -> None:
        self.heard = heard

    def stop(self) -> None:
        self.heard = lambda: None

    def hurry(self) -> None:
        self.hurried += 1

    def rows(self, group: str) -> list[LagRow]:
        return self.lag_rows

    def records(self, topic: str, partition: int, offset: int) -> RecordPage:
        self.asked.append(offset)
        if self.trouble is not None:
            raise self.trouble
        at = 900 if offset < 0 else offset
        found = [
            SeenRecord(o, AT, b"k", self.value, 1, len(self.value), ())
            for o in range(at, min(at + 100, 1000))
        ]
        return RecordPage(0, 1000, at, at + len(found), found)


def lag_row(topic: str, partition: int, status: str = "STALL", lag: int | None = 61) -> LagRow:
    """A partition of group billing."""
    return LagRow(
        "billing", "Stable", topic, partition, "billing-1", 39, 100, lag, None, None, None, None,
        39, status, None,
    )  # fmt: skip
