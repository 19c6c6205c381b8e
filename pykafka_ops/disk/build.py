"""Record batches v2 made of records: what brokers, clients and tests write.

Counterpart of ``MemoryRecordsBuilder``.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct

from pykafka_ops.disk.batch import (
    CONTROL_FLAG,
    CRC_START,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME_FLAG,
    LOG_OVERHEAD,
    NO_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL_FLAG,
    BatchHeader,
    TimestampType,
)
from pykafka_ops.disk.checksum import Buffer, crc32c
from pykafka_ops.disk.compression import Codec, compress
from pykafka_ops.disk.record import Record, encode_records
from pykafka_ops.disk.varint import varint

_BLANK = bytes(HEADER_SIZE)
_UINT32 = Struct(">I")


def assemble(header: BatchHeader, payload: Buffer) -> bytearray:
    """A batch of ``header`` over ``payload`` (its records as stored); length and CRC are made."""
    out = bytearray(HEADER_SIZE + len(payload))
    fields = header._replace(batch_length=len(out) - LOG_OVERHEAD, crc=0)
    HEADER.pack_into(out, 0, *fields)
    out[HEADER_SIZE:] = payload
    _UINT32.pack_into(out, 17, crc32c(memoryview(out)[CRC_START:]))
    return out


def build_batch(
    records: Sequence[Record],
    *,
    base_offset: int = 0,
    codec: Codec = Codec.NONE,
    level: int | None = None,
    leader_epoch: int = NO_LEADER_EPOCH,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    transactional: bool = False,
    control: bool = False,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    log_append_time: int = NO_TIMESTAMP,
) -> bytearray:
    """A batch of ``records`` (at least one, offsets rising from ``base_offset``) as a broker makes.

    With LOG_APPEND_TIME ``log_append_time`` (ms) is the batch's max timestamp; else it is the
    records' latest. ``level`` as in ``compression.compress``.
    """
    flags = codec | (TRANSACTIONAL_FLAG if transactional else 0) | (CONTROL_FLAG if control else 0)
    max_timestamp = max(record.timestamp for record in records)
    if timestamp_type is TimestampType.LOG_APPEND_TIME:
        flags |= LOG_APPEND_TIME_FLAG
        max_timestamp = log_append_time
    base_timestamp = records[0].timestamp
    body = encode_records(records, base_offset, base_timestamp)
    header = BatchHeader(
        base_offset=base_offset,
        batch_length=0,
        partition_leader_epoch=leader_epoch,
        magic=2,
        crc=0,
        attributes=flags,
        last_offset_delta=records[-1].offset - base_offset,
        base_timestamp=base_timestamp,
        max_timestamp=max_timestamp,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        record_count=len(records),
    )
    return assemble(header, compress(codec, body, level) if codec else body)


def build_plain(entries: Sequence[tuple[bytes, bytes | None]], timestamp: int) -> bytearray:
    """A batch of (key, value) with one ``timestamp`` (ms), without compression, headers or
    producer: what a coordinator writes all the time, as :func:`build_batch` would make it."""
    parts: list[bytes] = [_BLANK]
    for n, (key, value) in enumerate(entries):
        delta, key_size = varint(n), varint(len(key))
        size = 3 + len(delta) + len(key_size) + len(key)
        if value is None:
            parts += (varint(size + 1), b"\0\0", delta, key_size, key, b"\1\0")
            continue
        value_size = varint(len(value))
        size += len(value_size) + len(value)
        parts += (varint(size), b"\0\0", delta, key_size, key, value_size, value, b"\0")
    out = bytearray().join(parts)
    length, last = len(out) - LOG_OVERHEAD, len(entries) - 1
    HEADER.pack_into(
        out, 0, 0, length, -1, 2, 0, 0, last, timestamp, timestamp, -1, -1, -1, len(entries)
    )
    _UINT32.pack_into(out, 17, crc32c(memoryview(out)[CRC_START:]))
    return out
