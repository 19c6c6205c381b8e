"""What compiled modules do with single bytes: numbers read and written in place, checksums.

Not compiled these are calls into the standard library. Compiled, ``raw.pxd`` has functions of C for
the same names, with bounds checked by themselves; this file is left out then.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct

COMPILED = False
"""Whether the module that asks is compiled."""

HEADER_SIZE = 61
"""Bytes of a batch's header."""
CRC_COVERS = 21
"""From which byte of a batch on its checksum counts."""
RECORDS_AT = HEADER_SIZE - CRC_COVERS

CODEC = 7
"""Bits of a batch's attributes: the codec,"""
TRANSACTIONAL = 0x10
"""part of a transaction."""

Fields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""Those of a batch's header, in order."""

header = Struct(">qiibIhiqqqhii").unpack_from
"""The fields of the header of the batch v2 that begins at byte 0; at least 61 bytes are there."""

pair = Struct(">ii").unpack_from
"""Two numbers of 32 bits at ``(view, place)``; the bytes are there."""

_length = Struct(">i").unpack_from


def length(view: memoryview, place: int) -> int:
    """A number of 32 bits; the bytes are there."""
    found: int = _length(view, place)[0]
    return found


_stamp = Struct(">qii").pack_into


def stamp(view: memoryview, first: int, length: int, leader_epoch: int) -> None:
    """Write base offset, length and leader epoch into the batch that begins at byte 0."""
    _stamp(view, 0, first, length, leader_epoch)


def covered(view: memoryview) -> bytes:
    """What the checksum of a batch covers."""
    return bytes(view[CRC_COVERS:])


_crc: Callable[[bytes], int] | None = None
"""Found when it is needed: the library for it takes 2 MB."""


def checksum(data: bytes) -> int:
    """CRC-32C."""
    global _crc
    if _crc is None:
        from google_crc32c import value

        _crc = value
    return _crc(data)


def checksum_of(data: bytes | bytearray | memoryview) -> int:
    """The same, of any bytes."""
    return checksum(data if type(data) is bytes else bytes(data))


def holds(view: memoryview, place: int, wanted: bytes) -> bool:
    """Whether these bytes stand at ``place``."""
    return view[place : place + len(wanted)] == wanted


Record = tuple[int, int, int, int, int, int, int, int]
_MALFORMED = -1, 0, 0, 0, 0, 0, 0, 0


def record(data: bytes, place: int) -> Record:
    """The record at ``place``, all of which is read (``DefaultRecord.readFrom``): where it ends, -1
    if it is malformed, timestamp and offset delta, start and size of key (-1: null), of value,
    start of the headers."""
    try:
        size, at = number(data, place, 32)
        end = at + size
        time, at = number(data, at + 1, 64)
        delta, at = number(data, at, 32)
        key_size, key_at = number(data, at, 32)
        value_size, value_at = number(data, key_at + max(key_size, 0), 32)
        rest = value_at + max(value_size, 0)
        if _behind_headers(data, rest, end) != end or end > len(data):
            return _MALFORMED
    except IndexError:
        return _MALFORMED
    return end, time, delta, key_at, key_size, value_at, value_size, rest


def number(data: bytes, at: int, bits: int) -> tuple[int, int]:
    """The zig-zag number of 32 or 64 bits at ``at``, and behind it; IndexError where it is longer,
    or cut."""
    found = shift = 0
    while shift < bits:
        byte = data[at]
        at += 1
        found |= (byte & 127) << shift
        if byte < 128:
            found &= (1 << bits) - 1
            return found >> 1 ^ -(found & 1), at
        shift += 7
    raise IndexError


def part(data: bytes, at: int, size: int) -> bytes:
    """These bytes, which are there."""
    return bytes(data[at : at + size])


def _behind_headers(data: bytes, at: int, end: int) -> int:
    """Where the headers at ``at`` end; IndexError where they do not by ``end``."""
    count, at = number(data, at, 32)
    if not 0 <= 2 * count <= end - at:
        raise IndexError
    for _ in range(count):
        size, at = number(data, at, 32)
        if size < 0:
            raise IndexError
        size, at = number(data, at + size, 32)
        at += max(size, 0)
        if at > end:
            raise IndexError
    return at


def plus(one: int, other: int) -> int:
    """As Java adds longs: what is too large runs over."""
    return (one + other + 2**63 & 2**64 - 1) - 2**63
