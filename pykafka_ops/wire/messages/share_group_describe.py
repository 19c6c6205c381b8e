"""ShareGroupDescribe (77): the members of share groups (KIP-932).

Version 0 was for the early access of Kafka 4.0; brokers from 4.1 on know version 1 alone.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING, UUID


@message(ApiKey.SHARE_GROUP_DESCRIBE)
class ShareGroupDescribeRequest:
    """Groups to describe."""

    group_ids: list[str] = wire([STRING])
    include_authorized_operations: bool = wire(BOOL)


@struct
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: bytes = wire(UUID)
    topic_name: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class Assignment:
    """Partitions of one member."""

    topic_partitions: list[TopicPartitions] = wire([TopicPartitions])


@struct
class Member:
    """One member; partitions may be shared with other members."""

    member_id: str = wire(STRING)
    rack_id: str | None = wire(STRING, nullable="0+", default=None)
    member_epoch: int = wire(INT32)
    client_id: str = wire(STRING)
    client_host: str = wire(STRING)
    subscribed_topic_names: list[str] = wire([STRING])
    assignment: Assignment = wire(Assignment)


@struct
class DescribedGroup:
    """One group, or the error for it."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    group_id: str = wire(STRING)
    group_state: str = wire(STRING)
    group_epoch: int = wire(INT32)
    assignment_epoch: int = wire(INT32)
    assignor_name: str = wire(STRING)
    members: list[Member] = wire([Member])
    authorized_operations: int = wire(INT32, default=-2147483648)


@message(ApiKey.SHARE_GROUP_DESCRIBE)
class ShareGroupDescribeResponse:
    """Each group asked for."""

    throttle_time_ms: int = wire(INT32)
    groups: list[DescribedGroup] = wire([DescribedGroup])
