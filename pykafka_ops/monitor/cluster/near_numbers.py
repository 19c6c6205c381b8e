"""Rows of numbers that are near each other, in four bytes each: times of commits, offsets."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class NearNumbers:
    """``width`` numbers a row, kept as distances from a number of that row.

    A row whose numbers lie further apart than 32 bits makes all distances twice as long: rare
    enough to pay for then.
    """

    __slots__ = ("_bases", "_distances", "_width")

    def __init__(self, width: int) -> None:
        self._width = width
        self._bases = array("q")
        self._distances = array("i")

    def grow(self, rows: int) -> None:
        """So many more."""
        self._bases.frombytes(bytes(self._bases.itemsize * rows))
        self._distances.frombytes(bytes(self._distances.itemsize * rows * self._width))

    def begin(self, row: int, value: int) -> None:
        """What is in the row no longer counts; ``value`` stands first."""
        self._bases[row] = value
        self._distances[row * self._width] = 0

    def put(self, row: int, place: int, value: int, used: Iterable[int]) -> None:
        """Set one of a row; ``used`` are the places in it that count."""
        try:
            self._distances[row * self._width + place] = value - self._bases[row]
        except OverflowError:
            self._rebase(row, value, [n for n in used if n != place])
            self._distances[row * self._width + place] = 0

    def get(self, row: int, place: int) -> int:
        """One of a row."""
        return self._bases[row] + self._distances[row * self._width + place]

    def _rebase(self, row: int, base: int, used: Iterable[int]) -> None:
        """Keep the row as distances from another number."""
        moved = {n: self.get(row, n) - base for n in used}
        self._bases[row] = base
        start = row * self._width
        try:
            for place, distance in moved.items():
                self._distances[start + place] = distance
        except OverflowError:
            self._distances = array("q", self._distances)
            for place, distance in moved.items():
                self._distances[start + place] = distance
