"""Rounds of answers made by hand: a cluster of one broker, one topic, one group."""

from __future__ import annotations

from array import array
from typing import Any

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.group_describe import SHARE, GroupDescription, MemberDescription
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.quorum import Quorum, QuorumReplica
from pykafka_ops.client.share_offsets import ShareStart
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


def shared(
    at: int, end: int, where: ShareStart | None, *, members: bool = True, **more: Any
) -> Answers:
    """As ``answers``, of a share group that is ``where``; None: its coordinator did not tell."""
    state = "Stable" if members else "Empty"
    readers = (MEMBER,) if members else ()
    described = GroupDescription("billing", state, SHARE, "share", "simple", 1, readers)
    return answers(
        at, end, **{
            "listed": {"billing": GroupListing("billing", "share", state, SHARE, 1)},
            "described": {"billing": described},
            "shares": {} if where is None else {"billing": {("orders", 0): where}},
            "shares_at": at,
            **more,
        },
    )  # fmt: skip


def in_kraft(at: int, *behind: int, leader: int = 100, **more: Any) -> Answers:
    """As ``answers``, of a cluster with three controllers, of which these are ``behind`` (ms) the
    leader; ``leader`` -1: nobody answers for the quorum."""
    followers = zip((101, 102), (*behind, 0, 0), strict=False)
    voters = [QuorumReplica(100, b"", 90, at, at)]
    voters += [QuorumReplica(n, b"", 90 - late // 1000, at, at - late) for n, late in followers]
    quorum = Quorum(100, 7, 90, voters, [QuorumReplica(1, b"", 88, at, at)], {})
    found = {
        "is_kraft": True, "controller": leader, "quorum": quorum if leader >= 0 else None,
        "fenced": [], "settings": {"orders": {"min.insync.replicas": "1"}}, **more,
    }  # fmt: skip
    return answers(at, 5, commits=[Commit(at, 5)], **found)
