"""Java's string hash, by which groups and transactional ids find their partition."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
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


def partition_hash(place: tuple[str, int]) -> int:
    """``TopicPartition.hashCode`` of a topic and a partition, signed 32 bits."""
    value = (31 * (31 + place[1]) + java_hash(place[0])) & 0xFFFFFFFF
    return value - (1 << 32) if value & _SIGN else value


def in_hash_order(
    keys: Iterable[T], hash_of: Callable[[T], int], *, copied: bool = False
) -> list[T]:
    """Keys, each once, in the order in which a ``java.util.HashMap`` that they were put into goes
    through them: by bucket of a table that doubles when it is three quarters full; of one that is
    a copy (``copied``) the table is as small as that allows."""
    once = list(dict.fromkeys(keys))
    size = 1 if copied else 16
    least = len(once) * 4 // 3 + 1 if copied else len(once) * 4 / 3
    while size < least:
        size *= 2

    def bucket(key: T) -> int:
        value = hash_of(key) & 0xFFFFFFFF
        return (value ^ (value >> 16)) & (size - 1)

    return sorted(once, key=bucket)
