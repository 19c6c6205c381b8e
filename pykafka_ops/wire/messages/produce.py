"""Produce (0): append record batches.

With acks 0 there is no answer. Version 3 takes record batches v2 and a transactional id, 7 zstd
(KIP-110), 8 says which records were refused (KIP-467), 10 may name the new leader (KIP-951).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import LeaderIdAndEpoch as LeaderIdAndEpoch
from pykafka_ops.wire.shared import NodeEndpoint as NodeEndpoint
from pykafka_ops.wire.types import INT16, INT32, INT64, RECORDS, STRING, Records


@struct
class PartitionProduceData:
    """Batches for one partition, as they will stand in the log."""

    index: int = wire(INT32)
    records: Records = wire(RECORDS, nullable="0+")


@struct
class TopicProduceData:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partition_data: list[PartitionProduceData] = wire([PartitionProduceData])


@message(ApiKey.PRODUCE)
class ProduceRequest:
    """Batches to append; ``acks`` is 0, 1 or -1 (all in-sync replicas)."""

    transactional_id: str | None = wire(STRING, "3+", nullable="3+", default=None)
    acks: int = wire(INT16)
    timeout_ms: int = wire(INT32)
    topic_data: list[TopicProduceData] = wire([TopicProduceData])


@struct
class BatchIndexAndErrorMessage:
    """A refused record, by its place in the batch."""

    batch_index: int = wire(INT32, "8+")
    batch_index_error_message: str | None = wire(STRING, "8+", nullable="8+", default=None)


@struct
class PartitionProduceResponse:
    """Where the batches of one partition went, or why they did not."""

    index: int = wire(INT32)
    error_code: int = wire(INT16)
    base_offset: int = wire(INT64)
    log_append_time_ms: int = wire(INT64, "2+", default=-1, ignorable=True)
    log_start_offset: int = wire(INT64, "5+", default=-1, ignorable=True)
    record_errors: list[BatchIndexAndErrorMessage] = wire(
        [BatchIndexAndErrorMessage], "8+", ignorable=True
    )
    error_message: str | None = wire(STRING, "8+", nullable="8+", default=None, ignorable=True)
    current_leader: LeaderIdAndEpoch | None = wire(LeaderIdAndEpoch, "10+", tag=0)


@struct
class TopicProduceResponse:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partition_responses: list[PartitionProduceResponse] = wire([PartitionProduceResponse])


@message(ApiKey.PRODUCE)
class ProduceResponse:
    """The outcome for each partition."""

    responses: list[TopicProduceResponse] = wire([TopicProduceResponse])
    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    node_endpoints: list[NodeEndpoint] = wire([NodeEndpoint], "10+", tag=0)
