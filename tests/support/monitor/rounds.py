"""Rounds of answers made by hand: a cluster of one broker, one topic, one group."""

from __future__ import annotations

from array import array
from typing import Any

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.monitor.cluster.answers import Answers

MEMBER = MemberDescription("m-1", None, "billing-1", "/10.0.0.7", (("orders", 0),))
HOUR = 3_600_000


def answers(
    at: int, end: int, *, commits: list[Commit] | None = None, group: str = "billing", **more: Any
) -> Answers:
    """What the cluster said at ``at`` (ms), where ``orders`` ended at ``end``; ``more`` replaces
    fields."""
    partition = PartitionDescription(0, 1, 0, [1], [1], [])
    described = GroupDescription(group, "Stable", "Classic", "consumer", "range", 1, (MEMBER,))
    made = Answers(
        at=at,
        cluster_id="cluster-id",
        controller=1,
        nodes={1: Node(1, "b1", 9092, None)},
        topics={"orders": TopicDescription("orders", b"i" * 16, False, [partition])},
        ends={"orders": array("q", [end])},
        starts={"orders": array("q", [0])},
        listed={group: GroupListing(group, "consumer", "Stable", "classic", 1)},
        described={group: described},
        settings={"orders": {"retention.ms": str(HOUR), "cleanup.policy": "delete"}},
        moves={},
    )
    if commits is not None:
        made.commits = {(group, "orders", 0): commits}
    for name, value in more.items():
        setattr(made, name, value)
    return made
