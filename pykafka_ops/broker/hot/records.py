"""Whether a batch holds the records that its header promises: well formed, offsets from 0 up one by
one, the latest timestamp that of the header. For a batch with CreateTime that is all there is to
check where a topic sets no bounds and needs no keys.

Compiled, :func:`in_order` goes from record to record. Not compiled, ``disk.survey`` has quicker
ways for one record and for many. False may also mean that finding out takes longer than that: the
ordinary code then looks closely.
"""

from __future__ import annotations

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.survey import as_promised

Fields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]

_NO_TIMESTAMP = -1
_MOST_TIME = 1 << 62
"""Beyond it a sum may run over."""
_BITS = 35
"""Of five bytes of variable length, which hold every length, and time spans of 99 days."""

_new = tuple.__new__


def promised(data: bytes | memoryview, start: int, fields: Fields) -> bool:
    """Whether the records that fill ``data`` from ``start`` on are those of a header with these
    fields."""
    if at.COMPILED:
        return in_order(data, start, fields[7], fields[8], fields[12])
    assert isinstance(data, bytes)
    header: BatchHeader = _new(BatchHeader, fields)
    return as_promised(data, start, header)


def in_order(
    data: bytes | memoryview, place: int, base_time: int, max_time: int, count: int
) -> bool:
    """Whether ``data`` from ``place`` on holds ``count`` records, the latest of ``max_time`` (ms),
    others not later."""
    if not -_MOST_TIME < base_time < _MOST_TIME:
        return False
    total, latest = len(data), _NO_TIMESTAMP
    try:
        for number in range(count):
            size, place = varint(data, place)
            end = place + size
            delta, place = varint(data, place + 1)  # attributes mean nothing
            time = base_time + delta
            delta, place = varint(data, place)
            if delta != number or end > total:
                return False
            place = behind_headers(data, behind(data, behind(data, place)), end)
            if place != end:
                return False
            if time > latest:
                latest = time
    except IndexError:
        return False
    return place == total and latest == max_time


def varint(data: bytes | memoryview, place: int) -> tuple[int, int]:
    """The number of variable length, zig-zag, at ``place``, and where it ends. Raises IndexError if
    it does not, or is longer than five bytes."""
    number, shift = 0, 0
    while shift < _BITS:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number >> 1 ^ -(number & 1), place
        shift += 7
    raise IndexError


def behind(data: bytes | memoryview, place: int) -> int:
    """Where the key or value ends whose length is at ``place``. Raises IndexError."""
    size, place = varint(data, place)
    return place + size if size > 0 else place


def behind_headers(data: bytes | memoryview, place: int, end: int) -> int:
    """Where the headers end whose number is at ``place``; no more than that they end by ``end`` is
    asked of them. Raises IndexError."""
    count, place = varint(data, place)
    if not 0 <= count <= end - place:
        raise IndexError
    for _ in range(count):
        size, place = varint(data, place)
        if size < 0 or place + size > end:
            raise IndexError
        place = behind(data, place + size)
        if place > end:
            raise IndexError
    return place
