"""Java's string hash, by which groups and transactional ids find their partition."""

from __future__ import annotations

import struct

_SIGN = 0x80000000


def java_hash(text: str) -> int:
    """``String.hashCode``: signed 32 bits over the text's UTF-16 units."""
    data = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for (unit,) in struct.iter_unpack(">H", data):
        value = (31 * value + unit) & 0xFFFFFFFF
    return value - (1 << 32) if value & _SIGN else value


def partition_for(key: str, partitions: int) -> int:
    """The partition of an internal topic with that many ``partitions`` a key belongs to.

    As ``Utils.abs(key.hashCode) % partitions``: the one number without a counterpart counts as 0.
    """
    value = java_hash(key)
    return 0 if value == -_SIGN else abs(value) % partitions
