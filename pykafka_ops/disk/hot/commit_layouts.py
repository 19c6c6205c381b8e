"""Batches of offset commits whose records lie where those of a batch before did.

Consumers commit the same partitions again and again: such batches have the same size and differ
only in keys, offsets, times and notes. So after one was walked, the next is known by one comparison
under a mask, and its fields are cut out by one call. What looks otherwise, or is not whole, is left
to who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any

import pykafka_ops.compiled.raw as at
import pykafka_ops.disk.hot.masked as masked
from pykafka_ops.disk.batch import HEADER_SIZE, LOG_OVERHEAD, BatchHeader
from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.varint import read_varint, read_varlong
from pykafka_ops.disk.walk import walk

VALUE_VERSION = 3
_HEAD = Struct(">hqih")
"""Version, offset, leader epoch, size of the metadata: how a value of version 3 begins."""
_TIME_SIZE = 8
_SIGN = 0x80
LEAST_VALUE = _HEAD.size + _TIME_SIZE

_VARIES = ((0, 8), (12, 16), (17, 21), (27, 43))
"""Where batches of one layout differ: base offset, leader epoch, CRC, the two timestamps."""
_LARGEST = 256 << 10
"""Bytes of a batch a layout is kept for."""
_OVERHEAD = LOG_OVERHEAD
_BOOKKEEPING = 64
_MOST_BYTES = 4 << 20
"""Of all layouts together."""
_MOST_TRIES = 4
"""Layouts made for one size; if the batches still look otherwise, they have none in common."""

Fields = Callable[[int], str]
"""The ``struct`` format of what is wanted of a value of so many bytes."""


_MOST = 256
"""Batches cut in one go."""


class Layout:
    """Of a whole batch of ``size`` bytes: those that look like it have the bytes of ``expected``
    under ``mask``. ``unpack`` cuts one out of the data at a place."""

    __slots__ = ("expected", "last_offset_delta", "mask", "size", "unpack")

    def __init__(
        self,
        mask: bytes,
        batch: bytes,
        last_offset_delta: int,
        unpack: Callable[[bytes, int], tuple[Any, ...]],
    ) -> None:
        self.size = len(batch)
        self.mask = masked.pattern(mask)
        self.expected = masked.under(batch, mask)
        self.last_offset_delta = last_offset_delta
        self.unpack = unpack


Cut = tuple[int, int, tuple[Any, ...]]
"""A batch: where it ends, how far its last offset is from its base offset; its base offset, then
for each record in turn its key and the wanted fields of its value."""


class Layouts:
    """What was learned of the batches read so far.

    ``fields(size)`` is the format of what is wanted of a value of ``size`` bytes (version 3 with a
    time that is not negative, which is checked): it takes all of them.
    """

    __slots__ = ("_bytes", "_fields", "_layouts", "_tries")

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._layouts: dict[int, Layout] = {}  # by the length in the header
        self._tries: dict[int, int] = {}
        self._bytes = 0

    def cut(self, data: bytes, position: int) -> Iterator[Cut]:
        """The batches from ``position`` on, one behind the other, up to one whose layout is not
        known or that is not whole."""
        while found := self.some(data, position):
            yield from found
            position = found[-1][0]

    def some(self, data: bytes, position: int) -> list[Cut]:
        """The next of them; none where the one at ``position``, which is not negative, has to be
        looked at."""
        found: list[Cut] = []
        layouts, view, total, number = self._layouts, data, len(data), 0
        while number < _MOST and total - position >= _OVERHEAD:
            _, size = at.pair(view, position + 4)
            layout = layouts.get(size)
            if layout is None:
                break
            end = position + layout.size
            if end > total or not masked.fits(
                view, position, layout.size, layout.mask, layout.expected
            ):
                break
            found.append((end, layout.last_offset_delta, layout.unpack(data, position)))
            number += 1
            position = end
        return found

    def learn(self, data: Buffer, position: int, header: BatchHeader) -> None:
        """Know batches like this one, which is whole, from now on.

        A size that comes for the second time is worth the work. Raises CorruptBatchError for
        records that are not whole.
        """
        size = header.size
        tries = self._tries.get(size, 0)
        if tries > _MOST_TRIES or size > _LARGEST or header.attributes or header.record_count <= 0:
            return
        if self._bytes > _MOST_BYTES:
            self._layouts.clear()
            self._tries.clear()
            self._bytes = 0
        self._tries[size] = tries + 1
        self._bytes += _BOOKKEEPING
        if not tries:
            return
        layout = _layout(bytes(data[position : position + size]), header, self._fields)
        if layout is not None:
            if header.batch_length not in self._layouts:
                self._bytes += 4 * size
            self._layouts[header.batch_length] = layout


def _layout(batch: bytes, header: BatchHeader, fields: Fields) -> Layout | None:
    """The layout of this batch; None unless all records are commits as Kafka 3.9 writes them.

    Raises CorruptBatchError for records that are not whole.
    """
    mask = bytearray(b"\xff" * len(batch))
    for start, end in _VARIES:
        mask[start:end] = bytes(end - start)
    formats = [f">q{HEADER_SIZE - 8}x"]
    place = HEADER_SIZE
    data = batch[HEADER_SIZE:]
    for _, _, _, key_at, key_size, value_at, value_size, rest in walk(data, header):
        if key_size < 2 or data[key_at : key_at + 2] != b"\0\1" or data[rest]:
            return None
        if value_size < LEAST_VALUE:
            return None
        version, _, _, metadata = _HEAD.unpack_from(data, value_at)
        if version != VALUE_VERSION or metadata != value_size - LEAST_VALUE:
            return None
        time_at = value_at + value_size - _TIME_SIZE
        if data[time_at] & _SIGN:
            return None
        delta_at, delta_end = _offset_delta(batch, place)
        for n in range(delta_at, delta_end):  # any offset of as many bytes
            mask[n] = 0x80
        key_at, value_at = key_at + HEADER_SIZE, value_at + HEADER_SIZE
        mask[key_at + 2 : key_at + key_size] = bytes(key_size - 2)
        mask[value_at + 2 : value_at + 14] = bytes(12)
        mask[value_at + 16 : value_at + value_size] = bytes(value_size - 16)
        mask[time_at + HEADER_SIZE] = _SIGN
        formats.append(f"{key_at - place}x{key_size}s{value_at - key_at - key_size}x")
        formats.append(f"{fields(value_size)}x")
        place = HEADER_SIZE + rest + 1
    unpack = Struct("".join(formats)).unpack_from
    return Layout(bytes(mask), batch, header.last_offset_delta, unpack)


def _offset_delta(data: bytes, place: int) -> tuple[int, int]:
    """Where the offset delta of the record at ``place`` begins and ends."""
    _, place = read_varint(data, place)
    _, place = read_varlong(data, place + 1)
    return place, read_varint(data, place)[1]
