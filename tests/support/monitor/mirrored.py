"""A cluster and its mirror over rounds, from answers made by hand."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.client.cluster import Node
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.mirror.control.state import (
    MIRRORED,
    ControlState,
    Entry,
    TopicOrigin,
    origin_entry,
    source_entry,
)
from pykafka_ops.monitor.cluster.answers import Answers
from pykafka_ops.monitor.cluster.links import PKO, MirrorLink
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.found import LinkFound
from pykafka_ops.monitor.mirrors.judge import LinkJudge

GROUP = "pko-mirror.us-eu"
MEMBER = MemberDescription("m-1", None, "pko-mirror", "/10.0.0.7", (("us.orders", 0),))


def topic(name: str, partitions: int = 1, id_: bytes = b"") -> TopicDescription:
    parts = [PartitionDescription(n, 1, 0, [1], [1], []) for n in range(partitions)]
    return TopicDescription(name, id_ or name.encode().ljust(16, b"-")[:16], False, parts)


def site(at: int, ends: Mapping[str, Sequence[int]], cluster_id: str, **more: Any) -> Answers:
    """What a cluster with these topics said at a time (ms); ``more`` replaces fields."""
    made = Answers(
        at=at,
        cluster_id=cluster_id,
        controller=1,
        nodes={1: Node(1, "b1", 9092, None)},
        topics={name: topic(name, len(found)) for name, found in ends.items()},
        ends={name: array("q", found) for name, found in ends.items()},
        starts={name: array("q", [0] * len(found)) for name, found in ends.items()},
        listed={},
        moves={},
    )
    for name, value in more.items():
        setattr(made, name, value)
    return made


def control(*entries: Entry, source: str = "us-id") -> ControlState:
    """Of a link that has made us.orders."""
    state = ControlState()
    origin = TopicOrigin(MIRRORED, topic("orders").id.hex())
    state.take([source_entry(source), origin_entry("us.orders", origin), *entries])
    return state


def link(position: int | None = None, *entries: Entry, **more: Any) -> LinkFound:
    """us->eu, with orders-0 copied up to ``position``."""
    committed = {} if position is None else {"us.orders": array("q", [position])}
    facts = {"control": control(*entries), "committed": committed, "members": [MEMBER], **more}
    return LinkFound(PKO, "us", "eu", **facts)


class MirroredPair:
    """``us``, of which ``orders`` is copied to ``eu``, with the judge of the link."""

    def __init__(self) -> None:
        self.us, self.eu = WatchedCluster("us"), WatchedCluster("eu")
        self.judge = LinkJudge()
        self.us.copied.follow(("eu", "us->eu"), ["orders"])

    def round(
        self, at: int, end: int, found: LinkFound, *, start: int = 0, **more: Any
    ) -> MirrorLink:
        """Both clusters at a time (ms), where ``orders`` ended at ``end``, and the link then."""
        self.us.take(
            site(
                at, {"orders": [end]}, "us-id", starts={"orders": array("q", [start])},
                stable={"orders": array("q", [end])}, **more,
            )
        )  # fmt: skip
        self.eu.take(site(at, {"us.orders": [end]}, "eu-id", **mirror_group()))
        made, rows = self.judge.judge(found, self.eu.view, self.us, {("orders", 0): 1000})
        self.eu.tell_links([made], {made.name: rows})
        return made


def mirror_group(*places: Partition) -> dict[str, Any]:
    """The group of the link, as answers of its target have it."""
    return {
        "listed": {GROUP: GroupListing(GROUP, "consumer", "Stable", "classic", 1)},
        "described": {
            GROUP: GroupDescription(
                GROUP, "Stable", "Classic", "consumer", "pko-mirror", 1,
                (MEMBER._replace(assigned=places or MEMBER.assigned),),
            )
        },
    }  # fmt: skip
