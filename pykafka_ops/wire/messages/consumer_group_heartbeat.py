"""ConsumerGroupHeartbeat (68): the group protocol of KIP-848, in one request.

Version 1 has members choose their ids (KIP-1082) and subscribe by expressions.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING, UUID


@struct
class TopicPartitions:
    """Partitions of one topic, by its id."""

    topic_id: bytes = wire(UUID)
    partitions: list[int] = wire([INT32])


@message(ApiKey.CONSUMER_GROUP_HEARTBEAT)
class ConsumerGroupHeartbeatRequest:
    """A member; null fields are unchanged since the last one."""

    group_id: str = wire(STRING)
    member_id: str = wire(STRING)
    member_epoch: int = wire(INT32)
    instance_id: str | None = wire(STRING, nullable="0+", default=None)
    rack_id: str | None = wire(STRING, nullable="0+", default=None)
    rebalance_timeout_ms: int = wire(INT32, default=-1)
    subscribed_topic_names: list[str] | None = wire([STRING], nullable="0+", default=None)
    subscribed_topic_regex: str | None = wire(STRING, "1+", nullable="1+", default=None)
    server_assignor: str | None = wire(STRING, nullable="0+", default=None)
    topic_partitions: list[TopicPartitions] | None = wire(
        [TopicPartitions], nullable="0+", default=None
    )


@struct
class Assignment:
    """The partitions assigned to the member."""

    topic_partitions: list[TopicPartitions] = wire([TopicPartitions])


@message(ApiKey.CONSUMER_GROUP_HEARTBEAT)
class ConsumerGroupHeartbeatResponse:
    """The member's epoch, and (if it changed) its assignment."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    member_id: str | None = wire(STRING, nullable="0+", default=None)
    member_epoch: int = wire(INT32)
    heartbeat_interval_ms: int = wire(INT32)
    assignment: Assignment | None = wire(Assignment, nullable="0+")
