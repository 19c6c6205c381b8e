"""The bytes of ASN.1 values: what stands behind each other, and in each other (X.690, DER)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SEQUENCE, SET = 0x30, 0x31
OCTETS, OID = 0x04, 0x06
MOST_ARC = 1 << 128
"""Larger numbers in an OID are not made into text."""


class Value(NamedTuple):
    """One value: its tag (one byte), its content, and all of its bytes."""

    tag: int
    content: bytes
    whole: bytes


def values(data: bytes) -> Iterator[Value]:
    """The values that stand behind each other in ``data``. Raises ValueError if it is torn."""
    at = 0
    while at < len(data):
        found = first(data[at:] if at else data)
        yield found
        at += len(found.whole)


def first(data: bytes) -> Value:
    """The first of them. Raises ValueError if it is torn, or none."""
    if len(data) < 2 or data[0] & 0x1F == 0x1F:
        raise ValueError("no ASN.1 value")
    size, head = data[1], 2
    if size & 0x80:
        head += size & 0x7F
        if not 2 < head <= 6:
            raise ValueError("an ASN.1 length of no or too many bytes")
        size = int.from_bytes(data[2:head], "big")
    whole = data[: head + size]
    if len(whole) != head + size:
        raise ValueError("an ASN.1 value that is not whole")
    return Value(data[0], whole[head:], whole)


def inside(data: bytes, tag: int) -> list[Value]:
    """What is in the value that ``data`` begins with; ValueError if that has another tag."""
    outer = first(data)
    if outer.tag != tag:
        raise ValueError(f"ASN.1 tag {outer.tag:#x} where {tag:#x} was expected")
    return list(values(outer.content))


def dotted(content: bytes) -> str:
    """The content of an object identifier as text: ``2.5.4.3``. Raises ValueError."""
    arcs: list[int] = []
    number = 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if number > MOST_ARC:
            raise ValueError("an object identifier with a number that is too large")
        if not byte & 0x80:
            arcs.append(number)
            number = 0
    if not arcs or content[-1] & 0x80:
        raise ValueError("an object identifier that is not whole")
    top = min(arcs[0] // 40, 2)
    return ".".join(map(str, [top, arcs[0] - 40 * top, *arcs[1:]]))
