"""Points as bytes: differences as zigzag varints, in segments that can be read on their own.

A segment is its kind, the length of its body, and the body. Whole numbers are kept as they are.
Of the others 24 binary digits are kept (7 decimal ones): cut to sign, exponent and 23 bits of
mantissa they are whole numbers in the same order, near each other where the values are.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.history.model import MOST_MS, HistoryPoint, Number

FLOAT, ROLLED, PACKED = 1, 2, 128
"""Bits of a segment's kind: no whole numbers; last, min and max for each time; zlib."""

MOST_BODY: Final = 1 << 16
"""Bytes; a longer series of points goes on in another segment."""
_LONGEST_BODY: Final = MOST_BODY + 256
_WORTH_PACKING: Final = 32
_CUT: Final = 29
_DOUBLE: Final = struct.Struct(">d")
_BITS: Final = struct.Struct(">Q")
_MOST_FLOAT: Final = (0x7FF0 << 48 >> _CUT) - 1
_WHOLE: Final = 1 << 24
"""Whole numbers up to here are the same as floats."""


def plain(value: Number) -> Number | None:
    """``value`` as it is kept: None for NaN and infinity, a float for what needs over 64 bits."""
    if isinstance(value, int):
        if -(1 << 63) <= value < 1 << 63:
            return int(value)
        try:
            value = float(value)
        except OverflowError:
            return None
    if not value:
        return 0.0
    return from_code(to_code(value)) if math.isfinite(value) else None


def to_code(value: float) -> int:
    """A finite float as a whole number of the same order, 24 binary digits of it."""
    bits: int = _BITS.unpack(_DOUBLE.pack(abs(value)))[0]
    code = min((bits + (1 << _CUT - 1)) >> _CUT, _MOST_FLOAT)
    return -code if value < 0 else code


def from_code(code: int) -> float:
    """The float of a code. Raises CorruptError for an invalid one."""
    if abs(code) > _MOST_FLOAT:
        raise CorruptError(f"{code} is the code of no number")
    value: float = _DOUBLE.unpack(_BITS.pack(abs(code) << _CUT))[0]
    return -value if code < 0 else value


def zigzag(value: int) -> int:
    """0, -1, 1, -2, ... as 0, 1, 2, 3, ..."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def unzigzag(value: int) -> int:
    """The reverse of :func:`zigzag`."""
    return value >> 1 ^ -(value & 1)


def put(out: bytearray, value: int) -> None:
    """Append a number that is not negative."""
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def numbers(data: Iterable[int]) -> list[int]:
    """All numbers in some bytes. Raises CorruptError where the last one is incomplete."""
    found = []
    value = shift = 0
    for byte in data:
        if byte > 127:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 77:
                raise CorruptError("a number of more than 77 bits")
        else:
            found.append(value | byte << shift)
            value = shift = 0
    if shift:
        raise CorruptError("a number has no end")
    return found


def sealed(kind: int, body: bytes | bytearray) -> bytes:
    """A segment, compressed where that saves bytes."""
    if len(body) > _WORTH_PACKING:
        packed = zlib.compress(body, 1)
        if len(packed) < len(body):
            kind, body = kind | PACKED, packed
    head = bytearray([kind])
    put(head, len(body))
    return bytes(head + body)


class OpenSegments:
    """The points of one series that are not on the disk, in the order of recording."""

    __slots__ = ("_before", "_body", "_code", "_float", "_gap", "_last")

    def __init__(self) -> None:
        self._before = b""
        self._body = bytearray()
        self._float = False
        self._last = self._gap = self._code = 0

    def add(self, at_ms: int, value: Number) -> int:
        """Append a value that :func:`plain` gave; bytes that this took."""
        if self._float and isinstance(value, int) and -_WHOLE <= value <= _WHOLE:
            value = float(value)
        is_float = isinstance(value, float)
        code = to_code(value) if is_float and value else int(value)
        body = self._body
        if is_float != self._float or at_ms <= self._last or len(body) > MOST_BODY:
            if body:
                self._before = self.encoded()
                body = self._body = bytearray()
            self._float = is_float
        size = len(body)
        if size:
            gap = at_ms - self._last
            put(body, zigzag(gap - self._gap))
            put(body, zigzag(code - self._code))
        else:
            gap = 0
            put(body, at_ms)
            put(body, zigzag(code))
        self._last, self._gap, self._code = at_ms, gap, code
        return len(body) - size

    def encoded(self) -> bytes:
        """All of them as segments."""
        if not self._body:
            return self._before
        return self._before + sealed(FLOAT if self._float else 0, self._body)


def encode_rolled(points: Sequence[HistoryPoint], unit_ms: int) -> bytes:
    """Points whose times are multiples of ``unit_ms``, in rising order."""
    out = b""
    body = bytearray()
    kind = -1
    at = last = 0
    for point in points:
        is_float = any(isinstance(value, float) for value in point[1:])
        codes = [to_code(value) if is_float else int(value) for value in point[1:]]
        wanted = ROLLED | (FLOAT if is_float else 0)
        if kind != wanted or len(body) > MOST_BODY:
            if body:
                out += sealed(kind, body)
            body, kind, at, last = bytearray(), wanted, 0, 0
        unit = point.at_ms // unit_ms
        put(body, unit - at)
        put(body, zigzag(codes[0] - last))
        put(body, codes[0] - codes[1])
        put(body, codes[2] - codes[0])
        at, last = unit, codes[0]
    return out + sealed(kind, body) if body else out


def decode(data: bytes, unit_ms: int) -> Iterator[HistoryPoint]:
    """The points of all segments as they were recorded. Raises CorruptError."""
    at = 0
    while at < len(data):
        kind = data[at]
        at += 1
        size = shift = 0
        while True:
            if at >= len(data) or shift > 21:
                raise CorruptError("a segment has no length")
            size |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                break
        if kind & ~(FLOAT | ROLLED | PACKED) or size > len(data) - at:
            raise CorruptError(f"a segment of kind {kind} and {size} bytes, {len(data) - at} left")
        body = data[at : at + size]
        at += size
        yield from _points(kind, unpacked(body) if kind & PACKED else body, unit_ms)


def unpacked(body: bytes, most: int = _LONGEST_BODY) -> bytes:
    """The bytes that zlib packed. Raises CorruptError for damaged ones and for over ``most``."""
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(body, most)
    except zlib.error as error:
        raise CorruptError(f"a packed segment is damaged: {error}") from None
    if not unpacker.eof:
        raise CorruptError("a packed segment is cut off or too long")
    return found


def _points(kind: int, body: bytes, unit_ms: int) -> Iterator[HistoryPoint]:
    found = numbers(body)
    width = 4 if kind & ROLLED else 2
    if len(found) % width:
        raise CorruptError(f"{len(found)} numbers in a segment, no multiple of {width}")
    value = from_code if kind & FLOAT else int
    at = gap = code = 0
    for index in range(0, len(found), width):
        if width == 4:
            at += found[index] * unit_ms
        elif index:
            gap += unzigzag(found[index])
            at += gap
        else:
            at = found[0]
        code += unzigzag(found[index + 1])
        if not 0 <= at < MOST_MS:
            raise CorruptError(f"a point at {at} ms")
        last = value(code)
        if width == 4:
            least, most = value(code - found[index + 2]), value(code + found[index + 3])
            yield HistoryPoint(at, last, least, most)
        else:
            yield HistoryPoint(at, last, last, last)


def encode_round(at_ms: int, values: Iterable[tuple[int, Number]]) -> bytes:
    """One row of the journal: the values of series, by their ids, at one time."""
    body = bytearray()
    put(body, at_ms)
    before = 0
    for series, value in values:
        put(body, zigzag(series - before))
        before = series
        if isinstance(value, float):
            put(body, zigzag(to_code(value)) << 1 | 1)
        else:
            put(body, zigzag(value) << 1)
    return zlib.compress(body, 1)


def decode_round(data: bytes) -> tuple[int, list[tuple[int, Number]]]:
    """Time and values of a row of the journal. Raises CorruptError."""
    found = numbers(unpacked(data, 1 << 26))
    if len(found) % 2 == 0 or found[0] >= MOST_MS:
        raise CorruptError(f"{len(found)} numbers in a row of the journal")
    series = 0
    values: list[tuple[int, Number]] = []
    for index in range(1, len(found), 2):
        series += unzigzag(found[index])
        code = unzigzag(found[index + 1] >> 1)
        values.append((series, from_code(code) if found[index + 1] & 1 else code))
    return found[0], values
