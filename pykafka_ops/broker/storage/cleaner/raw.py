"""How the records begin that a compaction looks at. Compiled, ``raw.pxd`` has it in C; this file is
left out then."""

from __future__ import annotations

from array import array
from typing import TypeAlias

import pykafka_ops.compiled.raw as base

Fields = base.Fields
HEADER_SIZE = base.HEADER_SIZE
checksum = base.checksum
covered = base.covered
header = base.header
number = base.number
part = base.part

Cells: TypeAlias = "array[int]"

DEAD, TOMBSTONE, KEYLESS = 1, 2, 5
"""What the first pass finds out about a record; 0 for one that stays. A keyless one is dead."""
_LEAST = 6
"""Bytes of a record behind its length."""


def start(data: bytes, place: int, end: int) -> tuple[int, int]:
    """Where the record at ``place`` ends, and its offset delta; IndexError where it does not by
    ``end``."""
    stop, delta, _ = _start(data, place, end)
    return stop, delta


def head(data: bytes, place: int, end: int) -> tuple[int, int, int, int]:
    """The same, and start and size of its key, which is negative for null."""
    stop, delta, at = _start(data, place, end)
    key_size, key_at = number(data, at, 32)
    if key_at + key_size > stop:
        raise IndexError
    return stop, delta, key_at, key_size


def _start(data: bytes, place: int, end: int) -> tuple[int, int, int]:
    size, at = number(data, place, 32)
    stop = at + size
    if size < _LEAST or stop > end:
        raise IndexError
    at += 1  # attributes
    while data[at] > 127:  # the timestamp
        at += 1
    delta, at = number(data, at + 1, 32)
    return stop, delta, at


def sized(data: bytes, place: int) -> tuple[int, int]:
    """Where the value begins whose size is at ``place``, and that; IndexError where it is none."""
    size, at = number(data, place, 32)
    return at, size


def prefetch(cells: Cells, place: int) -> None:
    """Have the cell at hand that is looked at next; compiled only."""
