"""What the version of a Produce request allows its records to be (``ProduceRequest``)."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import Any

from pykafka_ops.broker.state.memory import LARGEST_POOLED
from pykafka_ops.disk.batch import LOG_OVERHEAD, TRANSACTIONAL_FLAG, next_batch_size
from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

LENGTH_BYTE = 8
MAGIC_BYTE = 16
CODEC_BYTE = 22
"""Offsets inside a record batch of its length, its format and the attributes' low byte."""

LENGTH = Struct(">i")

Batch = tuple[str, int, Any]
"""Topic, partition, records: bytes as the client sent them, or None."""


def kept(batches: Iterable[Batch]) -> list[Batch]:
    """Batches that are still needed when the client's buffer is used for other requests."""
    batches = list(batches)
    if sum(len(r or b"") for _, _, r in batches) > LARGEST_POOLED:
        return batches
    return [(t, i, r if r is None else memoryview(bytearray(r))) for t, i, r in batches]


def is_transactional(records: Any) -> bool:
    """Whether a batch belongs to a transaction."""
    if records is None or len(records) <= CODEC_BYTE:
        return False
    return records[MAGIC_BYTE] == 2 and bool(records[CODEC_BYTE] & TRANSACTIONAL_FLAG)


def check_records(version: int, records: Any) -> None:
    """What the request's version forbids (``ProduceRequest.validateRecords``).

    Raises KafkaError INVALID_RECORD, CORRUPT_MESSAGE or UNSUPPORTED_COMPRESSION_TYPE.
    """
    if version < 3:
        return
    if records is not None and version >= 7 and len(records) > CODEC_BYTE:
        magic, (length,) = records[MAGIC_BYTE], LENGTH.unpack_from(records, LENGTH_BYTE)
        if magic == 2 and length + LOG_OVERHEAD == len(records):
            return  # the usual: one batch and nothing else
    size = None if records is None else _batch_size(records, 0)
    if size is None:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} must have at least one record batch per "
            "partition",
        )
    if records[MAGIC_BYTE] != 2:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} are only allowed to contain record batches "
            "with magic version 2",
        )
    if version < 7:
        _check_codec(version, records[CODEC_BYTE] & 7)
    if _batch_size(records, size) is not None:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} are only allowed to contain exactly one "
            "record batch per partition",
        )


def _check_codec(version: int, codec: int) -> None:
    """Clients before v7 do not know zstd (KIP-110)."""
    if codec == Codec.ZSTD:
        raise KafkaError(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
            f"Produce requests with version {version} are not allowed to use ZStandard compression",
        )
    if codec > Codec.ZSTD:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"Unknown compression type id: {codec}")


def _batch_size(records: Any, position: int) -> int | None:
    """The size of the batch at ``position``, None if it is not whole."""
    try:
        return next_batch_size(records, position)
    except CorruptBatchError as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
