"""ConsumerGroupDescribe (69): groups of KIP-848. Version 1 says which protocol members use."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, STRING, UUID


@message(ApiKey.CONSUMER_GROUP_DESCRIBE)
class ConsumerGroupDescribeRequest:
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
    """One member, its assignment now and the assignment it is moving to."""

    member_id: str = wire(STRING)
    instance_id: str | None = wire(STRING, nullable="0+", default=None)
    rack_id: str | None = wire(STRING, nullable="0+", default=None)
    member_epoch: int = wire(INT32)
    client_id: str = wire(STRING)
    client_host: str = wire(STRING)
    subscribed_topic_names: list[str] = wire([STRING])
    subscribed_topic_regex: str | None = wire(STRING, nullable="0+", default=None)
    assignment: Assignment = wire(Assignment)
    target_assignment: Assignment = wire(Assignment)
    member_type: int = wire(INT8, "1+", default=-1, ignorable=True)
    """0: joined as members of classic groups do (KIP-1099), 1: as a consumer, -1: not told."""


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


@message(ApiKey.CONSUMER_GROUP_DESCRIBE)
class ConsumerGroupDescribeResponse:
    """Each group asked for."""

    throttle_time_ms: int = wire(INT32)
    groups: list[DescribedGroup] = wire([DescribedGroup])
