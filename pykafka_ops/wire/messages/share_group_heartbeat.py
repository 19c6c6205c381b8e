"""ShareGroupHeartbeat (76): membership of a share group (KIP-932), in one request.

Version 0 was for the early access of Kafka 4.0; brokers from 4.1 on know version 1 alone.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING, UUID


@message(ApiKey.SHARE_GROUP_HEARTBEAT)
class ShareGroupHeartbeatRequest:
    """A member, which names itself; epoch 0 joins, -1 leaves; null is unchanged since the last."""

    group_id: str = wire(STRING)
    member_id: str = wire(STRING)
    member_epoch: int = wire(INT32)
    rack_id: str | None = wire(STRING, nullable="0+", default=None)
    subscribed_topic_names: list[str] | None = wire([STRING], nullable="0+", default=None)


@struct
class TopicPartitions:
    """Partitions of one topic, by its id."""

    topic_id: bytes = wire(UUID)
    partitions: list[int] = wire([INT32])


@struct
class Assignment:
    """The partitions that the member reads; others may read them as well."""

    topic_partitions: list[TopicPartitions] = wire([TopicPartitions])


@message(ApiKey.SHARE_GROUP_HEARTBEAT)
class ShareGroupHeartbeatResponse:
    """The member's epoch, and (if it changed) its assignment."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    member_id: str | None = wire(STRING, nullable="0+", default=None)
    member_epoch: int = wire(INT32)
    heartbeat_interval_ms: int = wire(INT32)
    assignment: Assignment | None = wire(Assignment, nullable="0+", default=None)
