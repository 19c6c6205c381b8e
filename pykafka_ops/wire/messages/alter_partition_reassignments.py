"""AlterPartitionReassignments (45): KIP-455. Version 1 may keep replication factors (KIP-860)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING


@struct
class ReassignablePartition:
    """The new replicas of one partition; null cancels its reassignment."""

    partition_index: int = wire(INT32)
    replicas: list[int] | None = wire([INT32], nullable="0+", default=None)


@struct
class ReassignableTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[ReassignablePartition] = wire([ReassignablePartition])


@message(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
class AlterPartitionReassignmentsRequest:
    """Reassignments to start or cancel."""

    timeout_ms: int = wire(INT32, default=60000)
    allow_replication_factor_change: bool = wire(BOOL, "1+", default=True)
    topics: list[ReassignableTopic] = wire([ReassignableTopic])


@struct
class ReassignablePartitionResponse:
    """The outcome for one partition."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@struct
class ReassignableTopicResponse:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[ReassignablePartitionResponse] = wire([ReassignablePartitionResponse])


@message(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
class AlterPartitionReassignmentsResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32)
    allow_replication_factor_change: bool = wire(BOOL, "1+", default=True, ignorable=True)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    responses: list[ReassignableTopicResponse] = wire([ReassignableTopicResponse])
