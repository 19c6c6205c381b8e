"""Appending to a log as a follower (``UnifiedLog.appendAsFollower``)."""

from __future__ import annotations

from pykafka_ops.broker.storage.log.appender import AppendInfo
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.writing import write_batch
from pykafka_ops.broker.storage.replay import Marker, read_marker
from pykafka_ops.broker.storage.scan import UP_TO_MAGIC, check, header_at
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode


def append_as_follower(parts: LogParts, records: memoryview) -> AppendInfo:
    """As ``Log.append_as_follower``, to a log that is open."""
    first, last, position = -1, -1, 0
    clock = parts.place.home.settings.clock
    for header, marker in _sound(parts, records):
        batch = records[position : position + header.size]
        write_batch(parts, batch, header, marker, clock())
        first = header.base_offset if first < 0 else first
        last = header.last_offset
        position += header.size
    parts.durability.flush_if_due()
    return AppendInfo(first, last, -1, parts.tail.start)


def _sound(parts: LogParts, records: memoryview) -> list[tuple[BatchHeader, Marker | None]]:
    """The whole batches, which follow the log's end and match their CRCs, and what ends a
    transaction in them."""
    name = parts.place.name
    found: list[tuple[BatchHeader, Marker | None]] = []
    position, following, end = 0, parts.tail.end, len(records)
    try:
        while position + UP_TO_MAGIC < end:
            header = _header(records, position)
            if header is None:
                break
            if not check(records, position, header):
                raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")
            marker = None
            if header.magic >= 2 and header.is_control and header.producer_id >= 0:
                marker = read_marker(records, position, header)
            base, last = header.base_offset, header.last_offset
            if last < following or last < base or (header.magic >= 2 and base < following):
                raise KafkaError(
                    ErrorCode.UNKNOWN_SERVER_ERROR,
                    f"Unexpected offset in append to {name}. First offset {base} is less "
                    f"than the next offset {following}. Log start offset = {parts.tail.start}",
                )
            following = last + 1
            found.append((header, marker))
            position += header.size
    except CorruptBatchError as error:
        raise KafkaError(
            ErrorCode.CORRUPT_MESSAGE, f"{error} in topic partition {name}."
        ) from error
    return found


def _header(records: memoryview, position: int) -> BatchHeader | None:
    """The header of the batch at ``position``; None if its end is missing."""
    if len(records) - position < HEADER_SIZE:
        padded = bytes(records[position:]) + bytes(HEADER_SIZE)
        header = header_at(padded, 0)
    else:
        header = header_at(records, position)
    return header if header.size <= len(records) - position else None
