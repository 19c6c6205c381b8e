"""Rooms that columns are written into. Compiled, ``filling.pxd`` has it in C; this file is left out
then."""

from __future__ import annotations


def copied(data: bytes, start: int, size: int, room: memoryview, to: int) -> int:
    """Copy ``size`` bytes, none below 1, from ``start`` on to ``to`` in ``room``; where they end
    there."""
    if size < 1:
        return to
    room[to : to + size] = data[start : start + size]
    return to + size
