"""The append of the usual batch, of magic 2 and as its producer made it, to the active segment.

:func:`checked` holds the batch against what Kafka's ``LogValidator`` and ``ProducerAppendInfo``
demand: header, CRC, records, sequence. It declines what must be refused, rewritten or looked at
closely: control batches, the first batch of a transaction, batches that take long, topics whose
settings ask for more (``usual_bytes``). :func:`is_due` says that something has to come first: a new
segment, a new leader epoch, a look at the file. :func:`write` then gives the batch its offsets and
writes it; nothing is changed before that.
"""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error

from pykafka_ops.broker.hot.heads import (
    MAX_RELATIVE,
    UNKNOWN,
    BatchMetadata,
    SegmentHead,
    ShortenedError,
    TailHead,
)
from pykafka_ops.broker.hot.quick import QUICK_RECORDS, inflate_quickly
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, increment_sequence
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.survey import as_promised

Buffer = bytes | bytearray | memoryview
Fields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""Those of a batch's header, in order."""

PLACES = 256
"""Of so many batches at the end it is known where they stand."""

unpack_header = Struct(">qiibIhiqqqhii").unpack_from
_pack_start = Struct(">qii").pack_into
"""Base offset, length, leader epoch."""
_REFUSED_FLAGS = 0x28
"""LogAppendTime, control: not the usual batch of a client."""
TRANSACTIONAL = 0x10
"""The flag of a batch that belongs to a transaction."""
_QUICK_BITS = (QUICK_RECORDS - 1).bit_length()
"""Of an offset delta in a batch that takes not long: it is not negative, either."""
_CRC_COVERS = 21
_RECORDS_AT = HEADER_SIZE - _CRC_COVERS
_new = tuple.__new__


def checked(tail: TailHead, records: memoryview) -> Fields | None:
    """The header fields of a client's batch that can go the quick way; None if anything
    about it needs more than that, or must be refused."""
    try:
        fields: Fields = unpack_header(records)
    except struct_error:
        return None
    base, length, _, magic, crc, flags, delta, _, _, producer_id, epoch, sequence, n = fields
    size = length + 12
    if (
        magic != 2
        or base
        or size != len(records)
        or not HEADER_SIZE <= size <= tail.usual_bytes
        or n != delta + 1
        or delta >> _QUICK_BITS
        or flags & 7 > 4
        or flags & _REFUSED_FLAGS
    ):
        return None
    transactional = flags & TRANSACTIONAL != 0
    if producer_id >= 0:
        if sequence < 0 or not tail.producers.in_sequence(
            producer_id, epoch, sequence, transactional
        ):
            return None
    elif transactional:
        return None
    body = bytes(records[_CRC_COVERS:])
    if crc32c(body) != crc:
        return None
    header: BatchHeader = _new(BatchHeader, fields)
    check = _inflates_as_promised if flags & 7 else as_promised
    return fields if check(body, _RECORDS_AT, header) else None


def _inflates_as_promised(body: bytes, position: int, header: BatchHeader) -> bool:
    """The same of records that are compressed."""
    plain = inflate_quickly(memoryview(body)[position:], header)
    return plain is not None and as_promised(plain, 0, header)


def is_due(tail: TailHead, active: SegmentHead, fields: Fields) -> bool:
    """Whether a batch with these fields may need a new segment first."""
    return (
        fields[8] > tail.roll_after
        or active.size + fields[1] + 12 > tail.segment_bytes
        or active.index_full
        or tail.end + fields[6] - active.base_offset > MAX_RELATIVE
    )


def write(
    tail: TailHead, active: SegmentHead, records: memoryview, fields: Fields, leader_epoch: int
) -> int:
    """Give the batch the next offsets (it is changed in place) and write it; its first offset.

    Raises OSError; a part of it may be in the file then.
    """
    _, length, _, _, _, _, delta, _, timestamp, producer_id, epoch, sequence, _ = fields
    first, position = tail.end, active.size
    last = first + delta
    _pack_start(records, 0, first, length, leader_epoch)
    add(active, records, length + 12, last, timestamp)
    producers = tail.producers
    tail.end = producers.end_offset = last + 1
    if producer_id >= 0:
        batch = (increment_sequence(sequence, delta), last, delta, timestamp)
        producers.add_batch(producer_id, epoch, _new(BatchMetadata, batch))
    offsets = tail.offsets
    offsets.append(first)
    tail.positions.append(position)
    if len(offsets) > PLACES:
        tail.trim()
    return first


def add(segment: SegmentHead, data: Buffer, size: int, last_offset: int, timestamp: int) -> None:
    """Write batches of ``size`` bytes; ``last_offset`` and ``timestamp`` (its largest) are those of
    the last. An index entry every ``index.interval.bytes``.

    Raises OSError, ShortenedError if they do not follow those before.
    """
    position = segment.size
    file = segment.log_file or segment.open_log()
    if file.append(data) != position + size:
        raise ShortenedError(file.path)
    if not position:
        segment.oldest = timestamp
    segment.size = position + size
    latest = segment.latest
    if timestamp > latest and (latest != UNKNOWN or timestamp > segment.read_latest()):
        segment.latest = timestamp
        segment.max_timestamp_offset = last_offset
    if segment.bytes_since_index > segment.index_interval_bytes:
        segment.add_index_entry(last_offset, position)
    segment.bytes_since_index += size
