"""Unsigned varints (base 128, low bits first) and tagged fields that our tables do not know.

Kafka counterpart: ``ByteUtils.readUnsignedVarint``, ``RawTaggedField``, KIP-482.
"""

from __future__ import annotations

from typing import Final

from pykafka_ops.errors import WireError
from pykafka_ops.wire.types import Buffer

MAX_TAGS: Final = 64
"""Most tagged fields accepted in one struct; Kafka itself has never used more than four."""

_ONE_BYTE: Final = tuple(bytes((i,)) for i in range(128))


def varint(value: int) -> bytes:
    """The shortest encoding of ``value`` (0 to 2**32 - 1)."""
    if value < 128:
        return _ONE_BYTE[value]
    if value < 16384:
        return bytes((value & 127 | 128, value >> 7))
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return bytes(data)


def read_varint(buf: Buffer, pos: int) -> tuple[int, int]:
    """The varint at ``pos`` and the position after it; IndexError when ``buf`` ends first."""
    return rest_of_varint(buf, pos + 1, buf[pos])


def rest_of_varint(buf: Buffer, pos: int, first: int) -> tuple[int, int]:
    """As ``read_varint`` when the first byte has been read already and ``pos`` is behind it."""
    value = first & 127
    shift = 7
    while first > 127:
        first = buf[pos]
        pos += 1
        value |= (first & 127) << shift
        shift += 7
        if shift > 35 or value > 0xFFFFFFFF:
            raise WireError("a variable-length number has more than 32 bits")
    return value, pos


def tag_count(buf: Buffer, pos: int, end: int, first: int) -> tuple[int, int]:
    """The number of tagged fields whose first byte is ``first``, checked, and what follows it."""
    count, pos = rest_of_varint(buf, pos, first)
    if count > MAX_TAGS or count * 2 > end - pos:
        raise WireError(f"{count} tagged fields in one struct")
    return count, pos


def tag_head(buf: Buffer, pos: int, end: int) -> tuple[int, int, int]:
    """Tag, position of its value, position after its value."""
    tag, pos = read_varint(buf, pos)
    size, pos = read_varint(buf, pos)
    if size > end - pos:
        raise WireError(f"tagged field {tag} has {size} bytes, {end - pos} remain")
    return tag, pos, pos + size


def skip_tags(buf: Buffer, pos: int, end: int, first: int) -> int:
    """Step over tagged fields, none of them known; nothing is kept."""
    count, pos = tag_count(buf, pos, end, first)
    for _ in range(count):
        _, _, pos = tag_head(buf, pos, end)
    return pos
