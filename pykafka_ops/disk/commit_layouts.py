"""Batches of offset commits whose records lie where those of a batch before did.

Consumers commit the same partitions again and again: such batches have the same size and differ
only in keys, offsets, times and notes. So after one was walked, the next is known by one comparison
under a mask, and its fields are cut out by one call.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any, NamedTuple

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.varint import read_varint, read_varlong
from pykafka_ops.disk.walk import walk

KEY_VERSION, VALUE_VERSION = 1, 3
_HEAD = Struct(">hqih")
"""Version, offset, leader epoch, size of the metadata: how a value of version 3 begins."""
_TIME_SIZE = 8
LEAST_VALUE = _HEAD.size + _TIME_SIZE

_LARGEST = 256 << 10
"""Bytes of records a layout is kept for."""
_MOST_BYTES = 4 << 20
"""Of all layouts together."""
_MOST_TRIES = 4
"""Layouts made for one size; if the batches still look otherwise, they have none in common."""

Fields = Callable[[int], str]
"""The ``struct`` format of what is wanted of a value of so many bytes."""


class _Layout(NamedTuple):
    """``mask`` and ``expected`` are big-endian numbers as long as the records."""

    records: int
    mask: int
    expected: int
    unpack: Callable[[bytes], tuple[Any, ...]]


class Layouts:
    """What was learned of the batches read so far.

    ``fields(size)`` is the format of what is wanted of a value of ``size`` bytes (version 3, which
    is checked): it takes all of them.
    """

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._layouts: dict[int, _Layout] = {}
        self._tries: dict[int, int] = {}
        self._bytes = 0

    def read(self, data: bytes, header: BatchHeader) -> tuple[Any, ...] | None:
        """For each record of a batch in turn its key and the wanted fields of its value.

        ``data`` is the plain records section. None where the layout is not known: the caller walks.
        """
        layout = self._layouts.get(len(data))
        if layout is not None and layout.records == header.record_count:
            _, mask, expected, unpack = layout
            if int.from_bytes(data, "big") & mask == expected:
                return unpack(data)
        return self._learn(data, header)

    def _learn(self, data: bytes, header: BatchHeader) -> tuple[Any, ...] | None:
        """As ``read``; a size that comes for the second time is worth the work."""
        size = len(data)
        tries = self._tries.get(size, 0)
        if tries > _MOST_TRIES or size > _LARGEST or header.record_count <= 0:
            return None
        if self._bytes > _MOST_BYTES:
            self._layouts.clear()
            self._tries.clear()
            self._bytes = 0
        self._tries[size] = tries + 1
        self._bytes += 64
        if not tries:
            return None
        layout = _layout(data, header, self._fields)
        if layout is None:
            return None
        if size not in self._layouts:
            self._bytes += 4 * size
        self._layouts[size] = layout
        return layout.unpack(data)


def _layout(data: bytes, header: BatchHeader, fields: Fields) -> _Layout | None:
    """The layout of these records; None unless all are commits as Kafka 3.9 writes them.

    Raises CorruptBatchError for records that are not whole.
    """
    mask, at = bytearray(b"\xff" * len(data)), 0
    formats = [">"]
    for _, _, _, key_at, key_size, value_at, value_size, rest in walk(data, header):
        if key_size < 2 or data[key_at : key_at + 2] != b"\0\1" or data[rest]:
            return None
        if value_size < LEAST_VALUE:
            return None
        version, _, _, metadata = _HEAD.unpack_from(data, value_at)
        if version != VALUE_VERSION or metadata != value_size - LEAST_VALUE:
            return None
        delta_at, delta_end = _offset_delta(data, at)
        for n in range(delta_at, delta_end):  # any offset of as many bytes
            mask[n] = 0x80
        mask[key_at + 2 : key_at + key_size] = bytes(key_size - 2)
        mask[value_at + 2 : value_at + 14] = bytes(12)
        mask[value_at + 16 : value_at + value_size] = bytes(value_size - 16)
        formats.append(f"{key_at - at}x{key_size}s{value_at - key_at - key_size}x")
        formats.append(f"{fields(value_size)}x")
        at = rest + 1
    under = int.from_bytes(mask, "big")
    unpack = Struct("".join(formats)).unpack
    return _Layout(header.record_count, under, int.from_bytes(data, "big") & under, unpack)


def _offset_delta(data: bytes, at: int) -> tuple[int, int]:
    """Where the offset delta of the record at ``at`` begins and ends."""
    _, at = read_varint(data, at)
    _, at = read_varlong(data, at + 1)
    return at, read_varint(data, at)[1]
