"""ListPartitionReassignments (46): KIP-455."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedIndexes
from pykafka_ops.wire.types import INT16, INT32, STRING

ListPartitionReassignmentsTopics = NamedIndexes


@message(ApiKey.LIST_PARTITION_REASSIGNMENTS)
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


@message(ApiKey.LIST_PARTITION_REASSIGNMENTS)
class ListPartitionReassignmentsResponse:
    """The partitions that are being moved."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    topics: list[OngoingTopicReassignment] = wire([OngoingTopicReassignment])
