"""AlterPartitionReassignments (45) and ListPartitionReassignments (46): KIP-455."""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


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


@message(api=45, kind="request", versions="0", flexible="0+")
class AlterPartitionReassignmentsRequest:
    """Reassignments to start or cancel."""

    timeout_ms: int = wire(INT32, default=60000)
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


@message(api=45, kind="response", versions="0", flexible="0+")
class AlterPartitionReassignmentsResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    responses: list[ReassignableTopicResponse] = wire([ReassignableTopicResponse])


@struct
class ListPartitionReassignmentsTopics:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partition_indexes: list[int] = wire([INT32])


@message(api=46, kind="request", versions="0", flexible="0+")
class ListPartitionReassignmentsRequest:
    """Partitions to look at; null means all."""

    timeout_ms: int = wire(INT32, default=60000)
    topics: list[ListPartitionReassignmentsTopics] | None = wire(
        [ListPartitionReassignmentsTopics], nullable="0+", default=None
    )


@struct
class OngoingPartitionReassignment:
    """A partition that is being moved."""

    partition_index: int = wire(INT32)
    replicas: list[int] = wire([INT32])
    adding_replicas: list[int] = wire([INT32])
    removing_replicas: list[int] = wire([INT32])


@struct
class OngoingTopicReassignment:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[OngoingPartitionReassignment] = wire([OngoingPartitionReassignment])


@message(api=46, kind="response", versions="0", flexible="0+")
class ListPartitionReassignmentsResponse:
    """The partitions that are being moved."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    topics: list[OngoingTopicReassignment] = wire([OngoingTopicReassignment])
