"""The newest offset of every key of a dirty section, in bounded memory (``SkimpyOffsetMap``)."""

from __future__ import annotations

from array import array

SLOT_BYTES = 24
"""Two halves of a key's digest and an offset."""

SALT = b"\xa5"
"""Appended to a key for the second half of its digest."""


class KeyMap:
    """Open addressing with double hashing over one array of int64, never grown; three cells a slot:
    both halves of the key's digest (the first is 0 in a hole) and the offset.

    A key is known by 128 bits: Python's SipHash, keyed at random per process, over the key and
    over the key with ``SALT`` behind it; half the price of MD5 and as hard to collide without
    the secret. The map is of use in the process that filled it only.

    ``records`` bounds the records that can come, so that a small job takes little memory;
    ``memory`` is in bytes, ``load`` the largest share of slots in use.
    """

    __slots__ = ("cells", "latest_offset", "limit", "size", "slots")

    def __init__(self, memory: int, *, records: int = 2**62, load: float = 0.9) -> None:
        most = max(memory // SLOT_BYTES, 5)
        wanted = min(most, 2 * max(records, 0) + 8)
        self.slots = _prime_below(wanted)
        self.limit = max(1, min(int(self.slots * load), self.slots - 2))
        self.cells = array("q", [0]) * (3 * self.slots)
        self.size = 0
        self.latest_offset = -1

    def slot(self, key: bytes) -> tuple[int, int, int]:
        """(cell of ``key`` or of the hole where it would go, both halves of its digest)."""
        tag = hash(key) or 1
        second = hash(key + SALT)
        return self.probe(tag, second), tag, second

    def probe(self, tag: int, second: int) -> int:
        """The cell of a digest, or of the first hole on its way."""
        cells, slots = self.cells, self.slots
        at = tag % slots * 3
        step = 3 + second % (slots - 1) * 3
        end = slots * 3
        while (found := cells[at]) and (found != tag or cells[at + 1] != second):
            at += step
            if at >= end:
                at -= end
        return at

    def put(self, key: bytes, offset: int) -> bool:
        """Remember ``offset`` for ``key``; False if the map is full and does not know the key."""
        at, tag, second = self.slot(key)
        cells = self.cells
        if not cells[at]:
            if self.size >= self.limit:
                return False
            self.size += 1
            cells[at], cells[at + 1] = tag, second
        cells[at + 2] = offset
        self.advance(offset)
        return True

    def get(self, key: bytes) -> int:
        """The newest offset of ``key``, -1 if it is not there."""
        at, _, _ = self.slot(key)
        return self.cells[at + 2] if self.cells[at] else -1

    def advance(self, offset: int) -> None:
        """Everything up to ``offset`` is taken in."""
        self.latest_offset = max(self.latest_offset, offset)


def _prime_below(number: int) -> int:
    """The largest prime at or below ``number`` (at least 5): every step then visits all slots."""
    candidate = max(number, 5)
    while any(candidate % d == 0 for d in range(2, int(candidate**0.5) + 1)):
        candidate -= 1
    return candidate
