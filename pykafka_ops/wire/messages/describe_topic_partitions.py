"""DescribeTopicPartitions (75): topics page by page, with replicas that may lead (KIP-966)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING, UUID


@struct
class TopicRequest:
    """One topic."""

    name: str = wire(STRING)


@struct
class Cursor:
    """The partition a page begins with."""

    topic_name: str = wire(STRING)
    partition_index: int = wire(INT32)


@message(ApiKey.DESCRIBE_TOPIC_PARTITIONS)
class DescribeTopicPartitionsRequest:
    """Topics by name (none: all), and from where on."""

    topics: list[TopicRequest] = wire([TopicRequest])
    response_partition_limit: int = wire(INT32, default=2000)
    cursor: Cursor | None = wire(Cursor, nullable="0+", default=None)


@struct
class DescribeTopicPartitionsResponsePartition:
    """One partition; a null ELR: the cluster has no ELR."""

    error_code: int = wire(INT16)
    partition_index: int = wire(INT32)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32, default=-1)
    replica_nodes: list[int] = wire([INT32])
    isr_nodes: list[int] = wire([INT32])
    eligible_leader_replicas: list[int] | None = wire([INT32], nullable="0+", default=None)
    last_known_elr: list[int] | None = wire([INT32], nullable="0+", default=None)
    offline_replicas: list[int] = wire([INT32])


@struct
class DescribeTopicPartitionsResponseTopic:
    """One topic."""

    error_code: int = wire(INT16)
    name: str | None = wire(STRING, nullable="0+")
    topic_id: bytes = wire(UUID)
    is_internal: bool = wire(BOOL)
    partitions: list[DescribeTopicPartitionsResponsePartition] = wire(
        [DescribeTopicPartitionsResponsePartition]
    )
    topic_authorized_operations: int = wire(INT32, default=-2147483648)


@message(ApiKey.DESCRIBE_TOPIC_PARTITIONS)
class DescribeTopicPartitionsResponse:
    """One page, and where the next begins."""

    throttle_time_ms: int = wire(INT32)
    topics: list[DescribeTopicPartitionsResponseTopic] = wire(
        [DescribeTopicPartitionsResponseTopic]
    )
    next_cursor: Cursor | None = wire(Cursor, nullable="0+", default=None)
