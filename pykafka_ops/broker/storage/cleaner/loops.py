"""The innermost loops of compaction, over the plain records section of a batch v2.

``take_in`` fills a key map and notes what it finds out about each record on the way; ``pick`` tells
by these notes what to keep, ``sift`` by the map alone, where there are none. Where ``sifting`` is
not compiled their sources are put together once from a piece that reads an integer of variable
length in place, as in ``disk.walk``: a call per integer would double the price of a record.
"""

from __future__ import annotations

import linecache
from typing import Any

from pykafka_ops.broker.storage.cleaner import sifting
from pykafka_ops.broker.storage.cleaner.keys import SALT, KeyMap
from pykafka_ops.broker.storage.cleaner.raw import DEAD as DEAD
from pykafka_ops.broker.storage.cleaner.raw import KEYLESS as KEYLESS
from pykafka_ops.broker.storage.cleaner.raw import TOMBSTONE as TOMBSTONE
from pykafka_ops.broker.storage.cleaner.sifting import STRANGE_OFFSET as STRANGE_OFFSET
from pykafka_ops.broker.storage.cleaner.sifting import Sifted as Sifted
from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk.fault import EARLY_END, LATE_END
from pykafka_ops.disk.varint import ZIGZAG, read_varint
from pykafka_ops.errors import CorruptBatchError

_INTEGER = """
        byte = data[at]
        at += 1
        if byte > 127:
            following = data[at]
            if following > 127:
                {name}, at = read_varint(data, at - 1)
            else:
                at += 1
                byte = byte & 127 | following << 7
                {name} = byte >> 1 ^ -(byte & 1)
        else:
            {name} = ZIGZAG[byte]
"""

_START = """
        {size}
        stop = at + size
        if size < 6 or stop > end:
            raise CorruptBatchError(EARLY_END)
        at += 1
        while data[at] > 127:
            at += 1
        at += 1
        {delta}
"""

_HEAD = """
        {start}
        offset = base + delta
        {key_size}
        if at + key_size > stop:
            raise CorruptBatchError(EARLY_END)
"""

_PROBE = """
            tag = hash(key) or 1
            second = hash(key + SALT)
            slot = tag % slots * 3
            found = cells[slot]
            if found != tag or cells[slot + 1] != second:
                if found:
                    slot = keys.probe(tag, second)
                    found = cells[slot]
"""

_TAKE_IN = """
def take_in(data, at, end, count, base, most, start, keys, fates):
    room = len(fates)
    cells, slots = keys.cells, keys.slots
    size_left = keys.limit - keys.size
    while count:
        count -= 1
        {head}
        if delta < 0 or delta > most:
            raise CorruptBatchError(STRANGE_OFFSET)
        here = offset - start
        if key_size >= 0 and here >= 0:
            key = data[at : at + key_size]
            {probe}
            if found:
                before = cells[slot + 2] - start
                if before < room:
                    fates[before] |= DEAD
            else:
                if not size_left:
                    return offset
                size_left -= 1
                keys.size += 1
                cells[slot] = tag
                cells[slot + 1] = second
            cells[slot + 2] = offset
            if data[at + key_size] & 1 and here < room:
                fates[here] = TOMBSTONE
        elif 0 <= here < room:
            fates[here] = KEYLESS
        at = stop
    if at != end:
        raise CorruptBatchError(LATE_END)
    return -1
"""

_SIFT = """
def sift(data, at, end, count, base, keys, drop_tombstones):
    cells, slots = keys.cells, keys.slots
    latest = keys.latest_offset
    runs, begin, kept, keyless, tombstones = [], -1, 0, 0, False
    while count:
        count -= 1
        first = at
        {head}
        if offset > latest:
            keep = True
        elif key_size < 0:
            keep = False
            keyless += 1
        else:
            key = data[at : at + key_size]
            {probe}
            keep = not found or offset >= cells[slot + 2]
        if keep:
            if key_size > 0:
                at += key_size
            {value_size}
            if at + value_size > stop:
                raise CorruptBatchError(EARLY_END)
            if value_size < 0:
                if drop_tombstones and offset <= latest:
                    keep = False
                else:
                    tombstones = True
        if keep:
            kept += 1
            if begin < 0:
                begin = first
        elif begin >= 0:
            runs.append((begin, first))
            begin = -1
        at = stop
    if at != end:
        raise CorruptBatchError(LATE_END)
    if begin >= 0:
        runs.append((begin, at))
    return Sifted(runs, kept, tombstones, keyless)
"""


_PICK = """
def pick(data, at, end, count, fates, drop_tombstones):
    runs, begin, kept, tombstones = [], -1, 0, False
    while count:
        count -= 1
        first = at
        {start}
        fate = fates[delta] if delta >= 0 else DEAD
        if fate & DEAD or (fate and drop_tombstones):
            if begin >= 0:
                runs.append((begin, first))
                begin = -1
        else:
            kept += 1
            if fate:
                tombstones = True
            if begin < 0:
                begin = first
        at = stop
    if at != end:
        raise CorruptBatchError(LATE_END)
    if begin >= 0:
        runs.append((begin, at))
    return Sifted(runs, kept, tombstones, 0)
"""


def _integer(name: str) -> str:
    return _INTEGER.format(name=name).strip()


def _deeper(text: str) -> str:
    """Four spaces more, for all lines but the first."""
    return text.replace("\n", "\n    ")


def _compile() -> dict[str, Any]:
    start = _START.format(size=_integer("size"), delta=_integer("delta")).strip()
    head = _HEAD.format(start=start, key_size=_integer("key_size")).strip()
    value = _deeper(_integer("value_size"))
    source = _TAKE_IN.format(head=head, probe=_PROBE.strip())
    source += _SIFT.format(head=head, probe=_PROBE.strip(), value_size=value)
    source += _PICK.format(start=start)
    name = "<pykafka_ops.broker.storage.cleaner.loops>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {
        "CorruptBatchError": CorruptBatchError,
        "DEAD": DEAD,
        "EARLY_END": EARLY_END,
        "KEYLESS": KEYLESS,
        "LATE_END": LATE_END,
        "SALT": SALT,
        "STRANGE_OFFSET": STRANGE_OFFSET,
        "Sifted": Sifted,
        "TOMBSTONE": TOMBSTONE,
        "ZIGZAG": ZIGZAG,
        "read_varint": read_varint,
    }
    exec(compile(source, name, "exec"), space)
    return space


_space = _compile()
_COMPILED = is_compiled()
_INNERMOST = 2**62
"""Offsets up to it can be added as numbers of 64 bits."""


def _run(name: str, base: int, *arguments: Any) -> Any:
    """A loop over records of a batch with this base offset."""
    try:
        if _COMPILED and abs(base) < _INNERMOST:
            return getattr(sifting, name)(*arguments)
        if type(arguments[0]) is memoryview:
            arguments = bytes(arguments[0]), *arguments[1:]
        flat = [item for one in arguments for item in (one if type(one) is tuple else (one,))]
        return _space[name](*flat)
    except (IndexError, OverflowError):
        raise CorruptBatchError(EARLY_END) from None


def take_in(
    data: bytes | memoryview,
    span: tuple[int, int, int],
    offsets: tuple[int, int],
    start: int,
    keys: KeyMap,
    fates: bytearray,
) -> int:
    """Put the keys of records from offset ``start`` on into ``keys``.

    ``span`` is where the records begin and end in ``data``, and their number; ``offsets`` the
    batch's base offset and last offset delta. ``fates`` has a byte for each offset from
    ``start`` on, as far as it reaches: ``DEAD`` once a newer record of the key is known,
    ``TOMBSTONE``, ``KEYLESS``. The offset of the first record that did not fit, -1 if all did.
    Raises CorruptBatchError where records do not fill the span exactly, or lie about offsets.
    """
    found: int = _run("take_in", offsets[0], data, span, offsets, start, keys, fates)
    return found


def sift(
    data: bytes | memoryview,
    span: tuple[int, int, int],
    base: int,
    keys: KeyMap,
    *,
    drop_tombstones: bool,
) -> Sifted:
    """Which records of a batch are the last of their key, as far as ``keys`` has looked.

    Keyless ones go; tombstones too with ``drop_tombstones``. Arguments and errors as ``take_in``.
    """
    found: Sifted = _run("sift", base, data, span, base, keys, drop_tombstones)
    return found


def pick(
    data: bytes | memoryview,
    span: tuple[int, int, int],
    fates: bytearray,
    *,
    drop_tombstones: bool,
) -> Sifted:
    """As ``sift``, for a batch whose records' ``fates``, by offset delta, are known."""
    found: Sifted = _run("pick", 0, data, span, fates, drop_tombstones)
    return found
