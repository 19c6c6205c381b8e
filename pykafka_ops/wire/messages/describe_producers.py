"""DescribeProducers (61): idempotent producers of partitions (KIP-664)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedIndexes
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING

TopicRequest = NamedIndexes


@message(ApiKey.DESCRIBE_PRODUCERS)
class DescribeProducersRequest:
    """Partitions to describe; asked of their leaders."""

    topics: list[TopicRequest] = wire([TopicRequest])


@struct
class ProducerState:
    """One producer; offset -1: it has no open transaction."""

    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT32)
    last_sequence: int = wire(INT32, default=-1)
    last_timestamp: int = wire(INT64, default=-1)
    coordinator_epoch: int = wire(INT32)
    current_txn_start_offset: int = wire(INT64, default=-1)


@struct
class PartitionResponse:
    """The producers of one partition."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    active_producers: list[ProducerState] = wire([ProducerState])


@struct
class TopicResponse:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[PartitionResponse] = wire([PartitionResponse])


@message(ApiKey.DESCRIBE_PRODUCERS)
class DescribeProducersResponse:
    """The producers of each partition."""

    throttle_time_ms: int = wire(INT32)
    topics: list[TopicResponse] = wire([TopicResponse])
