"""DescribeTopicPartitions (75): topics, page by page (KIP-966)."""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING, UUID


@struct
class TopicRequest:
    """One topic."""

    name: str = wire(STRING)


@struct
class Cursor:
    """Where a page begins."""

    topic_name: str = wire(STRING)
    partition_index: int = wire(INT32)


@message(api=75, kind="request", versions="0", flexible="0+")
class DescribeTopicPartitionsRequest:
    """Topics to describe, from the cursor on; none means all."""

    topics: list[TopicRequest] = wire([TopicRequest])
    response_partition_limit: int = wire(INT32, default=2000)
    cursor: Cursor | None = wire(Cursor, nullable="0+")


@struct
class DescribeTopicPartitionsResponsePartition:
    """Leader, replicas and ISR of one partition."""

    error_code: int = wire(INT16)
    partition_index: int = wire(INT32)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32, default=-1, ignorable=True)
    replica_nodes: list[int] = wire([INT32])
    isr_nodes: list[int] = wire([INT32])
    eligible_leader_replicas: list[int] | None = wire([INT32], nullable="0+", default=None)
    last_known_elr: list[int] | None = wire([INT32], nullable="0+", default=None)
    offline_replicas: list[int] = wire([INT32], ignorable=True)


@struct
class DescribeTopicPartitionsResponseTopic:
    """One topic or the error for it."""

    error_code: int = wire(INT16)
    name: str | None = wire(STRING, nullable="0+")
    topic_id: bytes = wire(UUID, ignorable=True)
    is_internal: bool = wire(BOOL, ignorable=True)
    partitions: list[DescribeTopicPartitionsResponsePartition] = wire(
        [DescribeTopicPartitionsResponsePartition]
    )
    topic_authorized_operations: int = wire(INT32, default=-2147483648)


@message(api=75, kind="response", versions="0", flexible="0+")
class DescribeTopicPartitionsResponse:
    """One page; the cursor is null on the last."""

    throttle_time_ms: int = wire(INT32, ignorable=True)
    topics: list[DescribeTopicPartitionsResponseTopic] = wire(
        [DescribeTopicPartitionsResponseTopic]
    )
    next_cursor: Cursor | None = wire(Cursor, nullable="0+")
