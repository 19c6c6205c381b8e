"""A look at every record of a batch v2 at once, where they are the usual ones.

``LogValidator`` steps through every record it appends. A loop over the six integers of a record
would cost more than all else a broker does for it; so one loop goes from record to record by their
lengths, and the rest is arithmetic over columns: the same byte of many records, side by side as
lanes of one long integer. What is not usual is not judged here: ``record.survey`` does that.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import repeat
from operator import add, itemgetter
from typing import NamedTuple

from pykafka_ops.disk.batch import BatchHeader

_BEFORE = 3
"""Where the attributes of a record are in its row: behind the longest length, and a byte more."""
_ROW = 14
"""Bytes of a row, up to two of the value's length where there is no key."""
_CHUNK = 1024
_RUN = 4096
_FEW = 48
"""Fewer records than this are not worth the columns."""
MAX_SIZE = 16_383
"""The highest number that two bytes of variable length hold."""
_MOST = 1 << 17
_MAX_TOP = 1 << 26
NO_TIMESTAMP = -1
_LONG = re.compile(rb"[\x80-\xff]*")
_SHORT = re.compile(rb"[\x00-\x7f]*")
_BYTES = [bytes((value,)) for value in range(256)]
_KEYS = bytes(0 if value & 1 else value >> 1 for value in range(256))
"""From a key's length, zig-zag in one byte, to bytes; null takes none."""


class Usual(NamedTuple):
    """What is known of a usual batch beyond its header: whether a record is without key."""

    keyless: bool


def usual(data: bytes, at: int, header: BatchHeader) -> Usual | None:
    """Whether ``data`` from ``at`` on holds exactly the records that ``header`` promises.

    If so, every record is well formed and without headers, offsets count up from the batch's
    first, and timestamps lie between the batch's first and its max, which one of them has. None if
    any of that is not so, or if the records are not of a kind that can be checked quickly.
    """
    top = header.max_timestamp - header.base_timestamp
    if not (0 <= top < _MAX_TOP and _FEW <= header.record_count <= _MOST):
        return None
    if header.max_timestamp < NO_TIMESTAMP or len(data) == at or data[-1]:
        return None
    if at < _BEFORE:
        # Joining lets other threads go on, where adding does not.
        data, at = b"".join((bytes(_BEFORE), data[at:])), _BEFORE
    walk = _Walk(data, at, header.record_count, 2 * top)
    try:
        while walk.left:
            if not walk.step():
                return None
    except IndexError:
        return None
    return Usual(walk.keyless) if walk.at == len(walk.data) and walk.reached else None


class _Rows(NamedTuple):
    """Records one after the other: byte ``i`` of row ``n`` is ``data[start + n * stride + i]``.

    A row begins three bytes before the record's attributes. ``first`` is the number of its first
    record, ``number`` how many they are, ``ats`` where their attributes are in the batch,
    ``extent`` the bytes that all of them take, ``size`` their length, zig-zag, if it is the same.
    """

    data: bytes
    start: int
    stride: int
    first: int
    number: int
    ats: list[int] | range
    extent: int
    size: int = 0

    def column(self, index: int, begin: int, end: int) -> bytes:
        """Byte ``index`` of the rows from ``begin`` to ``end``."""
        at = self.start + index + begin * self.stride
        return self.data[at : at + (end - begin - 1) * self.stride + 1 : self.stride]

    def pairs(self, low: int, high: int, begin: int, end: int) -> int:
        """Two bytes of each row as lanes of 16 bits."""
        packed = bytearray(2 * (end - begin))
        packed[0::2] = self.column(low, begin, end)
        packed[1::2] = self.column(high, begin, end)
        return int.from_bytes(packed, "little")


class _Walk:
    """How far :func:`usual` has come; ``top`` is the largest timestamp delta, zig-zag."""

    __slots__ = ("at", "data", "done", "keyless", "left", "next", "reached", "top", "walked")

    def __init__(self, data: bytes, at: int, count: int, top: int) -> None:
        self.data = data
        self.at = at
        self.left = count
        self.done = 0
        self.top = top
        self.next = b""
        self.keyless = False
        self.reached = False
        self.walked = 0
        """Bytes of the present rows by the lengths that were read from their columns."""

    def step(self) -> bool:
        """Judge the next records; False if they are not the usual ones."""
        rows = self._equal_rows() or self._rows(min(self.left, _CHUNK))
        if rows is None:
            return False
        count, begin, groups = rows.number, 0, 0
        self.walked = 0
        while begin < count:
            groups += 1
            end = self._group(rows, begin, count)
            if not end or groups > 4 + count // 64:
                return False
            begin = end
        self.left -= count
        self.done += count
        self.at += rows.extent
        return self.walked == rows.extent

    def _rows(self, count: int) -> _Rows | None:
        """The next ``count`` records of any lengths below 8 KiB."""
        data, at = self.data, self.at
        heads: list[bytes] = []
        ats: list[int] = []
        add_head, add_at = heads.append, ats.append
        for _ in repeat(None, count):
            size = data[at]
            if size > 127:
                size += data[at + 1] - 1 << 7
                at += 2
            else:
                at += 1
            add_head(data[at - 3 : at + 11])
            add_at(at)
            at += size >> 1
        if not self.done:  # before the first there is no record, whatever is there
            length = ats[0] - self.at
            heads[0] = bytes(_BEFORE - length) + heads[0][_BEFORE - length :]
        heads[-1] = heads[-1].ljust(_ROW, b"\0")
        joined = b"".join(heads)
        if at > len(data) or len(joined) != count * _ROW:
            return None
        return _Rows(joined, 0, _ROW, self.done, count, ats, at - self.at)

    def _equal_rows(self) -> _Rows | None:
        """The next records as far as they have one length, if these are many."""
        data, at = self.data, self.at
        size, width = data[at], 1
        if size > 127:
            size += data[at + 1] - 1 << 7
            width = 2
        step = width + (size >> 1)
        most = min(self.left, (len(data) - at) // step, _RUN)
        if most < _FEW or step < 7:
            return None
        stop = at + most * step
        run = most - len(data[at:stop:step].lstrip(_BYTES[data[at]]))
        if size > MAX_SIZE:
            return None
        if width == 2 and run:
            run = min(run, most - len(data[at + 1 : stop : step].lstrip(_BYTES[data[at + 1]])))
        if run < _FEW:
            return None
        start = at + width
        ats = range(start, start + run * step, step)
        return _Rows(data, start - _BEFORE, step, self.done, run, ats, run * step, size)

    def _group(self, rows: _Rows, begin: int, end: int) -> int:
        """Judge the records from ``begin`` on whose fields have the same widths; where these end,
        0 if they are not the usual ones."""
        number = rows.first + begin
        offset_width = 1 if number < 64 else 2 if number < 8192 else 3
        end = min(end, (64, 8192, _MOST)[offset_width - 1] - rows.first)
        times = []
        for time_width in range(1, 5):
            column = rows.column(_BEFORE + time_width, begin, end)
            times.append(column)
            kind = _LONG if column[0] > 127 else _SHORT
            end = begin + len(kind.match(column)[0])  # type: ignore[index] # matches always
            if kind is _SHORT:
                break
        else:
            return 0
        at = _BEFORE + 1 + time_width
        for index, table in enumerate(_offsets()[offset_width - 1]):
            if rows.column(at + index, begin, end) != table[number : rows.first + end]:
                return 0
        if not self._times([column[: end - begin] for column in times]):
            return 0
        return end if self._sizes(rows, begin, end, at + offset_width) else 0

    def _times(self, columns: list[bytes]) -> bool:
        """Whether no timestamp, in these bytes, is before the batch's first or after its max."""
        count = len(columns[0])
        packed = bytearray(4 * count)
        for index, column in enumerate(columns):
            packed[index::4] = column
        lanes, one = int.from_bytes(packed, "little"), _ones(4, count)
        value = lanes & 0x7F * one
        for index in range(1, len(columns)):
            value += lanes >> index & (0x7F << 7 * index) * one
        high = (1 << 31) * one
        if value & one or (high + self.top * one - value) & high != high:
            return False
        self.reached = self.reached or _holds(value.to_bytes(4 * count, "little"), self.top)
        return True

    def _sizes(self, rows: _Rows, begin: int, end: int, at: int) -> bool:
        """Whether key, value and the empty headers fill each record; ``at`` is the key's length."""
        count = end - begin
        one = _ones(2, count)
        keys = rows.column(at, begin, end)
        if not keys.isascii():
            return False
        packed = bytearray(2 * count)
        packed[0::2] = keys
        key = int.from_bytes(packed, "little")
        nulls = key & one
        if key & nulls * 0x7E:  # a negative length other than -1
            return False
        key -= nulls
        self.keyless = self.keyless or nulls != 0
        if key:
            behind = self._behind_keys(rows.ats[begin:end], keys, at + 1 - _BEFORE)
        else:
            behind = rows.pairs(at + 1, at + 2, begin, end)
        two, value = _two_bytes(behind, one)
        value_nulls = value & one
        size = self._lengths(rows, begin, end, one)
        if size is None or behind >> 15 & two or value & value_nulls * 0x3FFE:
            return False
        fixed = 2 * (at + 3 - _BEFORE)  # up to the value's length, one byte of it, no headers
        return value - value_nulls + key + 2 * two + fixed * one == size

    def _behind_keys(self, ats: list[int] | range, keys: bytes, at: int) -> int:
        """The two bytes behind each key, as lanes; the keys begin ``at`` behind the attributes."""
        if not self.next:
            self.next = self.data[1:]
        if len(ats) == 1:  # then itemgetter gives no tuple
            place = ats[0] + at + _KEYS[keys[0]]
            return self.data[place] | self.next[place] << 8
        gather = itemgetter(*map(add, ats, keys.translate(_keys_at(at))))
        packed = bytearray(2 * len(keys))
        packed[0::2] = bytes(gather(self.data))
        packed[1::2] = bytes(gather(self.next))
        return int.from_bytes(packed, "little")

    def _lengths(self, rows: _Rows, begin: int, end: int, one: int) -> int | None:
        """The records' own lengths, zig-zag; None if one takes three bytes, or if the record
        before one does not end in the 0 which says that it has no headers.

        Whether a length takes two bytes shows in the second byte before the attributes: above
        127, or else that 0. Were it neither, the lengths would add up to more than ``extent``.
        """
        if rows.size:
            before = rows.column(1 if rows.size < 128 else 0, begin, end)
            if before[not rows.first + begin :].strip(b"\0") or rows.size & 1:
                return None
            self.walked += rows.stride * (end - begin)
            return rows.size * one
        behind = rows.pairs(1, 2, begin, end)
        two = behind >> 7 & one
        single = one - two
        packed = bytearray(2 * (end - begin))
        packed[0::2] = rows.column(0, begin, end)
        odd = int.from_bytes(packed, "little") & two * 0xFF | behind & single * 0xFF
        size = (behind & two * 0x7F) + (behind >> 1 & two * 0x3F80) + (behind >> 8 & single * 0x7F)
        if behind >> 15 & one or odd or size & one:
            return None
        self.walked += (_sum(size, end - begin) >> 1) + end - begin + two.bit_count()
        return size


def _two_bytes(lanes: int, one: int) -> tuple[int, int]:
    """(which varints in ``lanes`` take two bytes, their values)."""
    two = lanes >> 7 & one
    return two, (lanes & 0x7F * one) + (lanes >> 1 & two * 0x3F80)


def _sum(lanes: int, count: int) -> int:
    """The sum of ``count`` lanes of 16 bits, if it is below 2**32 - 1."""
    low = _ones(4, count + 1 >> 1) * 0xFFFF
    return ((lanes & low) + (lanes >> 16 & low)) % 0xFFFF_FFFF


def _holds(lanes: bytes, value: int) -> bool:
    """Whether one of the 32-bit ``lanes`` is ``value``."""
    wanted, at = value.to_bytes(4, "little"), -1
    while (at := lanes.find(wanted, at + 1)) >= 0:
        if not at & 3:
            return True
    return False


@lru_cache(maxsize=16)
def _keys_at(at: int) -> bytes:
    """From a key's length to where it ends, if it begins at ``at``."""
    return bytes(min(size + at, 255) for size in _KEYS)


@lru_cache(maxsize=256)
def _ones(width: int, count: int) -> int:
    """1 in each of ``count`` lanes of ``width`` bytes."""
    return int.from_bytes(b"\1".ljust(width, b"\0") * count, "little")


@lru_cache(maxsize=1)
def _offsets() -> tuple[tuple[bytes, ...], ...]:
    """By width: the bytes of every offset delta of that width, a table for each byte.

    A table begins at the delta 0, so that a delta is its own index.
    """
    high = bytes(range(0x80, 0x100, 2))
    middle = b"".join(bytes((value,)) * 64 for value in range(128))
    times = _MOST // 8192
    return (
        (bytes(range(0, 128, 2)),),
        (high * 128, middle),
        (
            high * (128 * times),
            bytes(value | 0x80 for value in middle) * times,
            b"".join(bytes((value,)) * 8192 for value in range(times)),
        ),
    )
