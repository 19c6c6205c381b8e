"""Usual batches of a log, many in one go: what both passes of a compaction do where nothing has to
be looked at closely.

For where it is compiled. A batch is left to the ordinary code (``clean``, ``retain``), which looks
at one after the other, if it is cut off, of another format, damaged, a control batch, of a
transaction; in the first pass also if it is compressed or the map may get full, in the second if
only some of its records go, or a producer's last sequence might.
"""

from __future__ import annotations

import pykafka_ops.broker.storage.cleaner.raw as at
from pykafka_ops.broker.storage.cleaner.keys import KeyMap
from pykafka_ops.broker.storage.cleaner.sifting import take_in
from pykafka_ops.disk.batch import LOG_OVERHEAD
from pykafka_ops.disk.fault import EARLY_END
from pykafka_ops.errors import CorruptBatchError

Stay = tuple[int, int, int, int]
"""A batch that stays: where it begins and ends, its last offset, its largest timestamp (ms)."""

_LEAST = 49
_CODEC = 7
_CLOSELY = 0x30
"""Attributes: a transaction, control."""
_LEAST_RECORD = 7
_INNERMOST = 1 << 62
"""Offsets up to it can be added as numbers of 64 bits."""


def size_at(data: bytes | memoryview, place: int, fields: at.Fields, attributes: int) -> int:
    """Bytes of the batch with these fields, if it is whole and has none of the attributes; or 0."""
    size = LOG_OVERHEAD + fields[1]
    if fields[3] != 2 or fields[1] < _LEAST or size > len(data) - place:
        return 0
    if fields[5] & attributes or not 0 <= fields[0] < _INNERMOST or fields[6] < 0:
        return 0
    return size


def index(
    data: memoryview, place: int, start: int, keys: KeyMap, fates: bytearray
) -> tuple[int, int]:
    """Take in the keys of batches from byte ``place`` on, as ``loops.take_in``: where the first
    begins that is left to others, and the last offset before it (-1: there was none).

    Raises CorruptBatchError.
    """
    reached = -1
    while len(data) - place >= at.HEADER_SIZE:
        batch = data[place:]
        fields = at.header(batch)
        size = size_at(data, place, fields, _CLOSELY | _CODEC)
        count = fields[12]
        if not size or not 0 <= count <= (size - at.HEADER_SIZE) // _LEAST_RECORD:
            break
        if count > keys.limit - keys.size:
            break
        batch = batch[:size]
        if at.checksum(at.covered(batch)) != fields[4]:
            break
        try:
            span, offsets = (at.HEADER_SIZE, size, count), (fields[0], fields[6])
            take_in(batch, span, offsets, start, keys, fates)  # type: ignore[arg-type]
        except (IndexError, OverflowError):
            raise CorruptBatchError(EARLY_END) from None
        place += size
        if fields[0] + fields[6] > reached:
            reached = fields[0] + fields[6]
    return place, reached


def settle(
    data: memoryview, place: int, fates: bytearray, first: int, latest: int
) -> tuple[int, list[Stay], int]:
    """Tell of batches from byte ``place`` on whether they stay, by the ``fates`` of records from
    offset ``first`` up to ``latest``: where the first begins that is left to others, those before
    it that stay, and how many records without a key went."""
    found: list[Stay] = []
    keyless, room = 0, len(fates)
    while len(data) - place >= at.HEADER_SIZE:
        batch = data[place:]
        fields = at.header(batch)
        size = size_at(data, place, fields, _CLOSELY)
        begin, last = fields[0] - first, fields[0] + fields[6]
        end = begin + fields[6] + 1
        if not size or begin < 0 or end > room or last > latest or fields[12] <= 0:
            break
        gone, without, tombstones = 0, 0, 0
        for number in range(begin, end):
            fate = fates[number]
            if fate & at.DEAD:
                gone += 1
                if fate == at.KEYLESS:
                    without += 1
            elif fate:
                tombstones += 1
        if tombstones or 0 < gone < end - begin or (gone and fields[9] >= 0):
            break
        if at.checksum(at.covered(batch[:size])) != fields[4]:
            break
        keyless += without
        if not gone:
            found.append((place, place + size, last, fields[8]))
        place += size
    return place, found, keyless
