"""Where the next page of a search begins, as a word of its address."""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Final, NamedTuple

MOST_TEXT: Final = 64 << 10
LAST_OFFSET: Final = 2**63 - 1
_BAD: Final = "cursor: this is not one of an earlier answer"


class OffsetStretch(NamedTuple):
    """Offsets of a partition that are still to be read: [low, high)."""

    low: int
    high: int


def write_cursor(order: str, left: Mapping[int, OffsetStretch]) -> str:
    """Of what is left in each partition; ``order`` is newest or oldest."""
    text = ",".join(f"{n}:{s.low}:{s.high - s.low}" for n, s in sorted(left.items()))
    packed = zlib.compress(f"{order[0]}1,{text}".encode(), 9)
    return urlsafe_b64encode(packed).decode().rstrip("=")


def read_cursor(text: str) -> tuple[str, dict[int, OffsetStretch]]:
    """(order, what is left); ValueError for anything that ``write_cursor`` did not make."""
    try:
        packed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, MOST_TEXT).decode("ascii")
        if not unpacker.eof:
            raise ValueError(_BAD)
        head, *parts = plain.split(",")
        order = {"n1": "newest", "o1": "oldest"}[head]
        left = {}
        for part in parts:
            number, low, length = (int(figure) for figure in part.split(":"))
            if not (
                0 <= number < 2**31 and low >= 0 and length > 0 and low + length <= LAST_OFFSET
            ):
                raise ValueError(_BAD)
            left[number] = OffsetStretch(low, low + length)
        if not left:
            raise ValueError(_BAD)
    except (ValueError, KeyError, zlib.error):
        raise ValueError(_BAD) from None
    return order, left
