"""The append of the usual batch, of magic 2 and as its producer made it, to the active segment.

:func:`checked` holds the batch against what Kafka's ``LogValidator`` and ``ProducerAppendInfo``
demand: header, CRC, records, sequence. It declines what must be refused, rewritten or looked at
closely: control batches, the first batch of a transaction, batches that take long, topics whose
settings ask for more (``usual_bytes``). :func:`is_due` says that something has to come first: a new
segment, a new leader epoch, a look at the file. :func:`write` then gives the batch its offsets and
writes it; nothing is changed before that. :func:`settle` lets readers have it.
"""

from __future__ import annotations

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.file import FileHead
from pykafka_ops.broker.hot.heads import (
    PartitionHead,
    SegmentHead,
    ShortenedError,
    TailHead,
    WakeHead,
)
from pykafka_ops.broker.hot.quick import inflate_quickly
from pykafka_ops.broker.hot.records import promised
from pykafka_ops.broker.hot.sequence import in_sequence, note
from pykafka_ops.disk.batch import BatchHeader

Buffer = bytes | bytearray | memoryview

_new = tuple.__new__


def checked(tail: TailHead, records: memoryview) -> at.Fields | None:
    """The header fields of a client's batch that can go the quick way; None if anything
    about it needs more than that, or must be refused."""
    if len(records) < at.HEADER_SIZE:
        return None
    fields: at.Fields = at.header(records)
    return fields if is_usual(tail, records, 0, records, fields) else None


def is_usual(
    tail: TailHead, data: memoryview, start: int, view: memoryview, fields: at.Fields
) -> bool:
    """Whether the batch with these header fields can go the quick way: ``view``, which begins at
    ``start`` of ``data``."""
    base, length, _, magic, crc, flags, delta, _, _, producer_id, epoch, sequence, n = fields
    size = length + 12
    if (
        magic != 2
        or base
        or size != len(view)
        or not at.HEADER_SIZE <= size <= tail.usual_bytes
        or n != delta + 1
        or not 0 <= delta < at.MOST_DELTA
        or flags & at.CODEC > 4
        or flags & at.REFUSED
    ):
        return False
    transactional = flags & at.TRANSACTIONAL != 0
    if producer_id >= 0:
        if sequence < 0 or not in_sequence(
            tail.producers, producer_id, epoch, sequence, transactional
        ):
            return False
    elif transactional:
        return False
    body = at.covered(view)
    if at.checksum(body) != crc:
        return False
    if flags & at.CODEC:
        header: BatchHeader = _new(BatchHeader, fields)
        plain = inflate_quickly(data[start + at.HEADER_SIZE : start + size], header)
        return plain is not None and promised(plain, 0, fields)
    return promised(body, at.RECORDS_AT, fields)


def is_due(tail: TailHead, active: SegmentHead, fields: at.Fields) -> bool:
    """Whether a batch with these fields may need a new segment first."""
    return (
        fields[8] > tail.roll_after
        or active.size + fields[1] + 12 > tail.segment_bytes
        or active.index_full
        or tail.end + fields[6] - active.base_offset > at.MAX_RELATIVE
    )


def write(
    tail: TailHead,
    active: SegmentHead,
    room: memoryview,
    fields: at.Fields,
    leader_epoch: int,
) -> int:
    """Give the batch the next offsets (it is changed in place) and write it; its first offset.

    Raises OSError; a part of it may be in the file then.
    """
    _, length, _, _, _, _, delta, _, timestamp, producer_id, _, sequence, _ = fields
    first, position = tail.end, active.size
    last = first + delta
    at.stamp(room, first, length, leader_epoch)
    add(active, room, length + 12, last, timestamp)
    producers = tail.producers
    tail.end = producers.end_offset = last + 1
    if producer_id >= 0:
        note(producers, producer_id, sequence + delta, last, delta, timestamp)
    offsets = tail.offsets
    offsets.append(first)
    tail.positions.append(position)
    if len(offsets) > at.PLACES:
        tail.trim()
    return first


def add(segment: SegmentHead, data: Buffer, size: int, last_offset: int, timestamp: int) -> None:
    """Write a batch of ``size`` bytes, of that last offset and largest timestamp. An index entry
    every ``index.interval.bytes``.

    Raises OSError, ShortenedError if it does not follow those before.
    """
    account(segment, extend(segment, data, size), size, last_offset, timestamp)


def extend(segment: SegmentHead, data: Buffer, size: int) -> int:
    """Write batches of ``size`` bytes; where they begin. Errors as those of :func:`add`."""
    file = segment.log_file or segment.open_log()
    if isinstance(file, FileHead):
        known: FileHead = file
        end = known.add(data)
    else:
        end = file.append(memoryview(data))
    if end != segment.size + size:
        raise ShortenedError(file.path)
    return segment.size


def account(
    segment: SegmentHead, position: int, size: int, last_offset: int, timestamp: int
) -> None:
    """A batch that was written belongs to the segment. Raises OSError, and it does not."""
    if not position:
        segment.oldest = timestamp
    latest = segment.latest
    if timestamp > latest and (latest != at.UNKNOWN or timestamp > segment.read_latest()):
        segment.latest = timestamp
        segment.max_timestamp_offset = last_offset
    if segment.bytes_since_index > segment.index_interval_bytes:
        segment.add_index_entry(last_offset, position)
    segment.bytes_since_index += size
    segment.size = position + size


def settle(
    partition: PartitionHead, tail: TailHead, wake: WakeHead, size: int, messages: int
) -> None:
    """So much was appended at the ``tail`` of a partition that is led here: count it, and let
    readers have it."""
    meter = partition.meter
    meter.produces += 1
    meter.bytes_in += size
    meter.messages_in += messages
    if partition.in_sync is not None:
        if len(partition.isr) < 2:  # else the others have to come for it first
            partition.advance_high_watermark()
    elif tail.first_unstable < 0:
        tail.high_watermark = tail.end
    else:
        tail.move_high_watermark(tail.end)
    if wake.readers or wake.waiting:
        key = partition.key
        if key in wake.readers or key in wake.waiting:
            wake.appended(key)
