"""The innermost loops of compaction, for where they are compiled; what they do stands in ``loops``,
which has a quicker form of them for plain Python."""

from __future__ import annotations

from typing import NamedTuple

import pykafka_ops.broker.storage.cleaner.raw as at
from pykafka_ops.broker.storage.cleaner.keys import SALT, KeyMap
from pykafka_ops.disk.fault import LATE_END
from pykafka_ops.errors import CorruptBatchError

_NOWHERE = -(1 << 62)
"""In the place of an offset, of which none is so low."""
STRANGE_OFFSET = "Found a record with an offset outside of its batch"


class Sifted(NamedTuple):
    """What of a batch stays: (start, end) of stretches of whole records, their number, whether a
    tombstone is among them, and the keyless records that went."""

    runs: list[tuple[int, int]]
    kept: int
    tombstones: bool
    keyless: int


def take_in(
    data: bytes,
    span: tuple[int, int, int],
    offsets: tuple[int, int],
    start: int,
    keys: KeyMap,
    fates: bytearray,
) -> int:
    """As ``loops.take_in``; IndexError where records are cut."""
    place, end, count = span
    base, most = offsets
    cells, slots, size = keys.cells, keys.slots, keys.size
    waits, ends, offset, tag, second = False, False, 0, 0, 0
    try:
        while count or waits:
            keyed, here = False, -1
            if count:
                count -= 1
                place, delta, key_at, key_size = at.head(data, place, end)
                if delta < 0 or delta > most:
                    raise CorruptBatchError(STRANGE_OFFSET)
                here = base + delta - start
                if key_size >= 0 and here >= 0:
                    keyed, key = True, at.part(data, key_at, key_size)
                    new_tag, new_second = hash(key) or 1, hash(key + SALT)
                    # comes from memory while the record before is put in its place
                    at.prefetch(cells, new_tag % slots * 3)
            if waits:
                slot = put(cells, slots, tag, second, size < keys.limit)
                if slot < 0:
                    return offset
                size += cells[slot + 2] == _NOWHERE
                note(fates, cells[slot + 2] - start, offset - start, ends)
                cells[slot + 2] = offset
            waits = keyed
            if keyed:
                tag, second, offset = new_tag, new_second, here + start
                ends = data[key_at + key_size] & 1 != 0
            elif 0 <= here < len(fates):
                fates[here] = at.KEYLESS
    finally:
        keys.size = size
    if place != end:
        raise CorruptBatchError(LATE_END)
    return -1


def note(fates: bytearray, before: int, here: int, is_tombstone: bool) -> None:
    """What a record tells of the one ``before`` it that has its key, if it is one of these, and of
    itself."""
    room = len(fates)
    if 0 <= before < room:
        fates[before] |= at.DEAD
    if is_tombstone and here < room:
        fates[here] = at.TOMBSTONE


def put(cells: at.Cells, slots: int, tag: int, second: int, may_grow: bool) -> int:
    """The cell of a key, in which it stands now, at _NOWHERE if it is new; -1 if it is and may not
    be put there."""
    slot = probe(cells, slots, tag, second)
    if cells[slot] == 0:
        if not may_grow:
            return -1
        cells[slot] = tag
        cells[slot + 1] = second
        cells[slot + 2] = _NOWHERE
    return slot


def probe(cells: at.Cells, slots: int, tag: int, second: int) -> int:
    """As ``KeyMap.probe``."""
    place = tag % slots * 3
    if cells[place] == 0 or (cells[place] == tag and cells[place + 1] == second):
        return place
    step, end = 3 + second % (slots - 1) * 3, slots * 3
    while cells[place] and (cells[place] != tag or cells[place + 1] != second):
        place += step
        if place >= end:
            place -= end
    return place


def sift(
    data: bytes, span: tuple[int, int, int], base: int, keys: KeyMap, drop_tombstones: bool
) -> Sifted:
    """As ``loops.sift``; IndexError where records are cut."""
    place, end, count = span
    latest = keys.latest_offset
    runs: list[tuple[int, int]] = []
    begin, kept, keyless, tombstones = -1, 0, 0, False
    while count:
        count -= 1
        stop, delta, key_at, key_size = at.head(data, place, end)
        offset = base + delta
        dirty = offset > latest
        if not dirty and key_size < 0:
            keyless += 1
        keep = dirty or (key_size >= 0 and is_last(data, key_at, key_size, keys, offset))
        if keep and is_tombstone(data, key_at, key_size, stop):
            if drop_tombstones and not dirty:
                keep = False
            else:
                tombstones = True
        if keep:
            kept += 1
            if begin < 0:
                begin = place
        elif begin >= 0:
            runs.append((begin, place))
            begin = -1
        place = stop
    if place != end:
        raise CorruptBatchError(LATE_END)
    if begin >= 0:
        runs.append((begin, place))
    return Sifted(runs, kept, tombstones, keyless)


def is_last(data: bytes, key_at: int, key_size: int, keys: KeyMap, offset: int) -> bool:
    """Whether no record after ``offset`` is known to have this key."""
    cells = keys.cells
    key = at.part(data, key_at, key_size)
    slot = probe(cells, keys.slots, hash(key) or 1, hash(key + SALT))
    return cells[slot] == 0 or offset >= cells[slot + 2]


def is_tombstone(data: bytes, key_at: int, key_size: int, stop: int) -> bool:
    """Whether the value behind this key is null; IndexError where it ends behind ``stop``."""
    value_at, size = at.sized(data, key_at + key_size if key_size > 0 else key_at)
    if value_at + size > stop:
        raise IndexError
    return size < 0


def pick(
    data: bytes, span: tuple[int, int, int], fates: bytearray, drop_tombstones: bool
) -> Sifted:
    """As ``loops.pick``; IndexError where records are cut."""
    place, end, count = span
    runs: list[tuple[int, int]] = []
    begin, kept, tombstones = -1, 0, False
    while count:
        count -= 1
        stop, delta = at.start(data, place, end)
        fate = fates[delta] if delta >= 0 else at.DEAD
        if fate & at.DEAD or (fate and drop_tombstones):
            if begin >= 0:
                runs.append((begin, place))
                begin = -1
        else:
            kept += 1
            if fate:
                tombstones = True
            if begin < 0:
                begin = place
        place = stop
    if place != end:
        raise CorruptBatchError(LATE_END)
    if begin >= 0:
        runs.append((begin, place))
    return Sifted(runs, kept, tombstones, 0)
