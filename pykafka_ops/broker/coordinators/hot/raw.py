"""What the path of groups does with single bytes beyond ``broker.hot.raw``.

Compiled, ``raw.pxd`` has functions of C for the same names; this file is left out then.
"""

from __future__ import annotations

from struct import Struct

import pykafka_ops.broker.hot.raw as base

Fields = base.Fields
HEAD_SIZE = base.HEAD_SIZE
checksum = base.checksum
covered = base.covered
holds = base.holds
length = base.length
monotonic_clock = base.monotonic_clock
wall_clock = base.wall_clock

Pattern = tuple[int, int]


def pattern(zeros: bytes, mask: bytes) -> Pattern:
    """What :func:`fits` compares with: as many bytes, ``zeros`` where ``mask`` has none."""
    return int.from_bytes(zeros, "big"), int.from_bytes(mask, "big")


def fits(view: memoryview, wanted: Pattern) -> bool:
    """Whether bytes, as many as those of the pattern, are the same where its mask has ones."""
    zeros, mask = wanted
    return int.from_bytes(view, "big") & mask == zeros


_LONG = Struct(">q").unpack_from


def long_at(view: memoryview, place: int) -> int:
    """A number of 64 bits; the bytes are there."""
    found: int = _LONG(view, place)[0]
    return found


_VALUE = Struct(">qi").pack_into
_TIME = Struct(">q").pack_into
_TIMES = Struct(">qq").pack_into
_CRC = Struct(">I").pack_into


def put_value(room: memoryview, place: int, offset: int, epoch: int) -> None:
    """Write offset and leader epoch of a commit."""
    _VALUE(room, place, offset, epoch)


def put_time(room: memoryview, place: int, time: int) -> None:
    """Write a time."""
    _TIME(room, place, time)


def put_times(room: memoryview, time: int) -> None:
    """Write the first and the latest time into the header of a batch."""
    _TIMES(room, 27, time, time)


def put_checksum(room: memoryview) -> None:
    """Write the checksum of a batch into its header."""
    _CRC(room, 17, checksum(covered(room)))


def answered(reply: bytes, view: memoryview) -> bytes:
    """A copy of ``reply`` that answers the request ``view``: with its correlation id."""
    return b"".join((reply[:4], view[4:8], reply[8:]))
