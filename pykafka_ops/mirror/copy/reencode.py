"""Records of a batch taken out and put into another one, their keys, values and headers unopened.

What must be opened: LogAppendTime, gaps, half batches, old formats, batches that are too large or
too small. A record keeps its bytes from the length of its key on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pykafka_ops.disk.batch import HEADER_SIZE, NO_LEADER_EPOCH, BatchHeader
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT, Codec, compress
from pykafka_ops.disk.legacy import MessageHeader, iter_message
from pykafka_ops.disk.record import payload
from pykafka_ops.disk.varint import read_varint, read_varlong, signed64, varint
from pykafka_ops.disk.walk import EARLY_END, LATE_END
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.mirror.copy.pieces import SourceRun

_NULL: Final = b"\x01"
_FAR: Final = 1 << 62
_LEAST: Final = 7
MOST_IN_BATCH: Final = 1 << 20
"""Records that one batch is given; what a producer sends has far fewer."""


class Loose(NamedTuple):
    """A record out of its batch: absolute offset, timestamp in ms, its bytes from the key on."""

    offset: int
    timestamp: int
    rest: bytes


def loosen(part: memoryview, header: BatchHeader) -> Iterator[Loose]:
    """The records of a batch v2; with LogAppendTime each has the batch's time.

    Raises CorruptBatchError where a length, count or offset cannot be.
    """
    data = payload(part, 0, header, DECOMPRESSED_LIMIT)
    base, fixed = header.base_offset, header.is_log_append_time
    start, last = header.base_timestamp, header.last_offset_delta
    at, end, before = 0, len(data), -1
    try:
        for _ in range(header.record_count):
            size, at = read_varint(data, at)
            stop = at + size
            if size < _LEAST - 1 or stop > end:
                raise CorruptBatchError(EARLY_END)
            time, at = read_varlong(data, at + 1)
            delta, at = read_varint(data, at)
            if not before < delta <= last or at >= stop:
                raise CorruptBatchError(
                    f"the batch at offset {base} holds records out of order or range"
                )
            before = delta
            time = header.max_timestamp if fixed else signed64(start + time)
            yield Loose(base + delta, time, data[at:stop])
            at = stop
    except IndexError:
        raise CorruptBatchError(EARLY_END) from None
    if at != end:
        raise CorruptBatchError(LATE_END)


def loosen_message(part: memoryview, header: MessageHeader) -> Iterator[Loose]:
    """The records of a message v0 or v1, or of what its wrapper holds; CorruptBatchError."""
    before = -1
    for record in iter_message(part, 0, header, DECOMPRESSED_LIMIT, verify=True):
        if record.offset <= before:
            raise CorruptBatchError(
                f"the message at offset {header.offset} holds no rising offsets"
            )
        before = record.offset
        rest = b"".join((_field(record.key), _field(record.value), b"\0"))
        yield Loose(record.offset, record.timestamp, rest)


def _field(content: bytes | None) -> bytes:
    return _NULL if content is None else varint(len(content)) + content


def fasten(records: Sequence[Loose], codec: Codec) -> bytearray:
    """A batch v2 of at least one record, without producer, offsets from 0 on."""
    start = latest = records[0].timestamp
    out = bytearray()
    for n, (_, time, rest) in enumerate(records):
        latest = max(latest, time)
        delta = time - start
        if not -_FAR < delta < _FAR:
            delta = signed64(delta)
        head = b"\0" + varint(delta) + varint(n)
        out += varint(len(head) + len(rest))
        out += head
        out += rest
    header = BatchHeader(
        base_offset=0,
        batch_length=0,
        partition_leader_epoch=NO_LEADER_EPOCH,
        magic=2,
        crc=0,
        attributes=codec,
        last_offset_delta=len(records) - 1,
        base_timestamp=start,
        max_timestamp=latest,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        record_count=len(records),
    )
    return assemble(header, compress(codec, out) if codec else out)


def runs_of(records: Sequence[Loose]) -> tuple[SourceRun, ...]:
    """The stretches of records whose source offsets follow each other."""
    found: list[SourceRun] = []
    begin, at = records[0].offset, 0
    for n in range(1, len(records) + 1):
        if n < len(records) and records[n].offset == begin + n - at:
            continue
        found.append(SourceRun(begin, at, n - at))
        if n < len(records):
            begin, at = records[n].offset, n
    return tuple(found)


def plain_size(records: Sequence[Loose]) -> int:
    """About the bytes of a batch of them without compression; never less by much."""
    return HEADER_SIZE + sum(len(record.rest) + 12 for record in records)
