"""DeleteRecords (21): move the start of a log (KIP-107)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@struct
class DeleteRecordsPartition:
    """Delete what is before ``offset``; -1 means the high watermark."""

    partition_index: int = wire(INT32)
    offset: int = wire(INT64)


@struct
class DeleteRecordsTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[DeleteRecordsPartition] = wire([DeleteRecordsPartition])


@message(ApiKey.DELETE_RECORDS)
class DeleteRecordsRequest:
    """The new log start offset of each partition."""

    topics: list[DeleteRecordsTopic] = wire([DeleteRecordsTopic])
    timeout_ms: int = wire(INT32)


@struct
class DeleteRecordsPartitionResult:
    """The smallest log start among the live replicas, -1 on error."""

    partition_index: int = wire(INT32)
    low_watermark: int = wire(INT64)
    error_code: int = wire(INT16)


@struct
class DeleteRecordsTopicResult:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[DeleteRecordsPartitionResult] = wire([DeleteRecordsPartitionResult])


@message(ApiKey.DELETE_RECORDS)
class DeleteRecordsResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32)
    topics: list[DeleteRecordsTopicResult] = wire([DeleteRecordsTopicResult])
