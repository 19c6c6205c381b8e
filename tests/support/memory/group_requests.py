"""Requests about group ``g``, and the broker that answers them."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.messages.delete_groups import DeleteGroupsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.heartbeat import HeartbeatRequest
from pykafka_ops.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from pykafka_ops.wire.messages.offset_delete import OffsetDeleteRequest
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
)
from pykafka_ops.wire.messages.sync_group import SyncGroupRequest
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.support.memory.group_world import subscription
from tests.support.memory.handler_site import Later, Site

OFFSETS = "__consumer_offsets"
PARTITIONS = 3


def group_site() -> Site:
    """A broker that coordinates every group, and a topic ``t`` of two partitions."""
    made = Site(group_initial_rebalance_delay_ms=0)
    made.coordinators.led(*made.topic(OFFSETS, PARTITIONS))
    made.topic("t", 2)
    return made


def join_request(member: str = "", **of: Any) -> JoinGroupRequest:
    """A member that joins group g."""
    return JoinGroupRequest(
        group_id="g",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=20_000,
        member_id=member,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=subscription("t"))],
        **of,
    )


def joined(site: Site, version: int, member: str = "") -> Any:
    """Join; time goes on by as much as the first delay, which is nothing."""
    answer = site.ask(join_request(member), version)
    if isinstance(answer, Later):
        site.coordinators.tick()
        answer = answer.answer
    return joined(site, version, answer.member_id) if answer.error_code == 79 else answer


def commit_request(offset: int, topic: str = "t", **of: Any) -> OffsetCommitRequest:
    """An offset of partition 0, for group g."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata="m"
    )
    topics = [OffsetCommitRequestTopic(name=topic, partitions=[partition])]
    return OffsetCommitRequest(group_id="g", topics=topics, **of)


def fetch_request(version: int, *, stable: bool = False) -> OffsetFetchRequest:
    """Both partitions of t, for group g."""
    if version >= 8:
        topics = [OffsetFetchRequestTopic(name="t", partition_indexes=[0, 1])]
        group = OffsetFetchRequestGroup(group_id="g", topics=topics)
        return OffsetFetchRequest(groups=[group], require_stable=stable)
    old = [OffsetFetchRequestTopic(name="t", partition_indexes=[0, 1])]
    return OffsetFetchRequest(group_id="g", topics=old, require_stable=stable)


def offsets(answer: Any) -> list[tuple[int, str, int]]:
    """Offset, metadata and error code of each partition of the one topic."""
    (topic,) = answer.groups[0].topics if answer.groups else answer.topics
    return [(p.committed_offset, p.metadata, p.error_code) for p in topic.partitions]


def requests() -> list[tuple[Any, int]]:
    """One request of each kind about group g."""
    partition = TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=""
    )
    topics = [TxnOffsetCommitRequestTopic(name="t", partitions=[partition])]
    in_transaction = TxnOffsetCommitRequest(
        transactional_id="x",
        group_id="g",
        producer_id=1,
        producer_epoch=0,
        member_id="",
        topics=topics,
    )
    return [
        (join_request(), 3),
        (SyncGroupRequest(group_id="g", generation_id=1, member_id="m", assignments=[]), 3),
        (HeartbeatRequest(group_id="g", generation_id=1, member_id="m"), 3),
        (LeaveGroupRequest(group_id="g", members=[]), 3),
        (commit_request(1), 8),
        (in_transaction, 3),
        (fetch_request(1), 1),
        (fetch_request(7), 7),
        (fetch_request(8), 8),
        (OffsetDeleteRequest(group_id="g", topics=[]), 0),
        (DescribeGroupsRequest(groups=["g"]), 5),
        (DeleteGroupsRequest(groups_names=["g"]), 2),
    ]


def code_of(answer: Any) -> int:
    """The one error code in an answer, wherever it stands."""
    for part in ("results", "groups"):
        if getattr(answer, part, None):
            return int(getattr(answer, part)[0].error_code)
    if getattr(answer, "topics", None):
        return int(answer.topics[0].partitions[0].error_code)
    return int(answer.error_code)
