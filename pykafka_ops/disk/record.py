"""Records inside a batch v2: walk, decode, encode (Kafka: ``DefaultRecord``).

A record: length varint (of what follows), attributes int8, timestampDelta varlong, offsetDelta
varint, key length varint (-1 null) and bytes, value likewise, header count varint, and per header
key length varint and UTF-8 bytes, value length varint (-1 null) and bytes.

Lengths and counts are never trusted: each is held against the bytes that remain. A header key that
is no UTF-8 keeps its bytes as surrogate escapes, so that it can be written back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.compression import codec_of, decompress
from pykafka_ops.disk.fault import EARLY_END, LATE_END
from pykafka_ops.disk.survey import Survey, survey_records
from pykafka_ops.disk.varint import read_varint, varint
from pykafka_ops.disk.walk import Headers, read_headers, walk
from pykafka_ops.errors import CorruptBatchError

_HEADER_SIZE = 61
#: Smallest record: length, attributes, two deltas, two lengths and the header count, a byte each.
MIN_RECORD_SIZE = 7
_new = tuple.__new__


_RUN = 256
_BYTES = [bytes((value,)) for value in range(256)]


class Record(NamedTuple):
    """One record: absolute offset, timestamp in ms (-1 none), and what the producer sent."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


def payload(buf: Buffer, pos: int, header: BatchHeader, limit: int) -> bytes:
    """The records of the batch at ``pos`` as plain bytes.

    Raises CorruptBatchError as :func:`payload_view` does.
    """
    data = payload_view(buf, pos, header, limit)
    return data if isinstance(data, bytes) else bytes(data)


def payload_view(buf: Buffer, pos: int, header: BatchHeader, limit: int) -> bytes | memoryview:
    """The same, where they stand unless they are compressed.

    Raises CorruptBatchError when the batch is cut, its codec unknown, its compression malformed,
    its count impossible, or its records take more than ``limit`` bytes decompressed.
    """
    end = pos + header.size
    if header.batch_length < _HEADER_SIZE - 12 or end > len(buf):
        raise CorruptBatchError(EARLY_END)
    stored = memoryview(buf)[pos + _HEADER_SIZE : end]
    codec = codec_of(header.attributes)
    data = decompress(codec, stored, limit) if codec else stored
    if not 0 <= header.record_count <= len(data) // MIN_RECORD_SIZE:
        raise CorruptBatchError(
            f"Found invalid record count {header.record_count} in magic v2 batch"
        )
    return data


def iter_records(
    buf: Buffer, pos: int, header: BatchHeader, limit: int = 2**31 - 1
) -> Iterator[Record]:
    """Every record of the batch at ``pos``; ``limit`` bounds the decompressed bytes.

    Offsets and timestamps are absolute; with LogAppendTime every timestamp is the batch's.
    Raises CorruptBatchError, in Kafka's words, at the record that is wrong. No CRC check.
    """
    data = payload(buf, pos, header, limit)
    for offset, timestamp, _, key_at, key_size, value_at, value_size, rest in walk(data, header):
        key = data[key_at : key_at + key_size] if key_size >= 0 else None
        value = data[value_at : value_at + value_size] if value_size >= 0 else None
        headers = read_headers(data, rest) if data[rest] else ()
        yield _new(Record, (offset, timestamp, key, value, headers))


def count_records(buf: Buffer, pos: int, header: BatchHeader, limit: int = 2**31 - 1) -> int:
    """The number of records, by their lengths alone; CorruptBatchError unless it is the header's.

    ``limit`` bounds the decompressed bytes.
    """
    data = payload(buf, pos, header, limit)
    at, end, count = 0, len(data), 0
    try:
        while at < end:
            size = data[at]
            at += 1
            if size > 127:
                size, at = read_varint(data, at - 1)
            else:
                size = size >> 1 ^ -(size & 1)
            if size < MIN_RECORD_SIZE - 1:
                raise CorruptBatchError(f"Invalid record size: {size}")
            at += size
            count += 1
    except IndexError:
        raise CorruptBatchError(EARLY_END) from None
    if at != end:
        raise CorruptBatchError(EARLY_END)
    if count != header.record_count:
        raise CorruptBatchError(LATE_END if count > header.record_count else EARLY_END)
    return count


def lengths_fit(data: bytes, at: int, count: int) -> bool:
    """Whether exactly ``count`` records, by their lengths alone, fill ``data`` from ``at`` on.

    The quick half of :func:`count_records`, which says what is wrong. Records of one length in a
    row, the usual case, are compared all at once.
    """
    end = len(data)
    before = 0
    try:
        while at < end:
            size = data[at]
            if size & 1:  # negative
                return False
            second = -1
            if size < 128:
                step = 1 + (size >> 1)
            elif (second := data[at + 1]) < 128:
                step = 2 + ((size & 127 | second << 7) >> 1)
            else:
                long, after = read_varint(data, at)
                step, before = after - at + long, 0
            at += step
            count -= 1
            if step == before:
                run = _run(data, at, step, min(count, (end - at) // step, _RUN), size, second)
                at += run * step
                count -= run
            before = step if second < 128 else 0
    except (IndexError, CorruptBatchError):
        return False
    return at == end and not count


def _run(data: bytes, at: int, step: int, most: int, first: int, second: int) -> int:
    """How many of the next ``most`` records begin with the same length as the one before them."""
    if most < 2:
        return 0
    stop = at + most * step
    run = most - len(data[at:stop:step].lstrip(_BYTES[first]))
    if second >= 0 and run:
        run = min(run, most - len(data[at + 1 : stop : step].lstrip(_BYTES[second])))
    return run


def survey(buf: Buffer, pos: int, header: BatchHeader, limit: int = 2**31 - 1) -> Survey:
    """What ``LogValidator`` looks at in every record: keys, timestamps, offsets.

    Raises CorruptBatchError as ``iter_records``; ``limit`` bounds the decompressed bytes.
    """
    return survey_records(payload(buf, pos, header, limit), 0, header)


def encode_records(records: Iterable[Record], base_offset: int, base_timestamp: int) -> bytearray:
    """The plain records section of a batch; a record without timestamp (-1) counts as any other."""
    out = bytearray()
    for offset, timestamp, key, value, headers in records:
        parts = [b"\x00", varint(timestamp - base_timestamp), varint(offset - base_offset)]
        _append(parts, key)
        _append(parts, value)
        parts.append(varint(len(headers)))
        for name, content in headers:
            _append(parts, name.encode("utf-8", "surrogateescape"))
            _append(parts, content)
        body = b"".join(parts)
        out += varint(len(body))
        out += body
    return out


def _append(parts: list[bytes], content: bytes | None) -> None:
    if content is None:
        parts.append(b"\x01")
    else:
        parts.append(varint(len(content)))
        parts.append(content)
