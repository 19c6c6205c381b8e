"""Counts of many values in little memory: how many are different, and how large they are.

Both merge without loss, so tasks count for themselves. They need numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, Final

import numpy as np
from numpy import typing as npt

_BITS: Final = 11
_REGISTERS: Final = 1 << _BITS
#: Standard error of ``Distinct``: 1.04 / sqrt(registers).
DISTINCT_ERROR: Final = 0.023
_STEPS: Final = 5
#: Values in a class of ``Sizes`` differ by no more than this.
SIZE_ERROR: Final = 1 / (1 << _STEPS)


class Distinct:
    """How many different values there are, by hashes: HyperLogLog (Flajolet and others, 2007).

    ``registers`` is what it keeps: a byte each.
    """

    __slots__ = ("registers",)

    def __init__(self, registers: bytes | None = None) -> None:
        made = np.frombuffer(registers, dtype=np.uint8) if registers else np.zeros(_REGISTERS, "u1")
        self.registers: npt.NDArray[Any] = made.copy()

    def add(self, hashes: npt.NDArray[Any]) -> None:
        """Count values by their 64-bit hashes."""
        bits = hashes.view(np.uint64)
        places = (bits >> np.uint64(64 - _BITS)).astype(np.int64)
        rest = (bits << np.uint64(_BITS)) >> np.uint64(_BITS)
        # The exponent of a number below 2**53 is exact: 53 bits are what is left.
        ranks = 64 - _BITS - np.frexp(rest.astype(np.float64))[1] + 1
        np.maximum.at(self.registers, places, ranks.astype(np.uint8))

    def merge(self, other: Distinct) -> None:
        """Take in what another one saw."""
        np.maximum(self.registers, other.registers, out=self.registers)

    @property
    def count(self) -> int:
        """The estimate."""
        sums = float(np.ldexp(1.0, -self.registers.astype(np.int64)).sum())
        estimate = 0.7213 / (1 + 1.079 / _REGISTERS) * _REGISTERS * _REGISTERS / sums
        empty = int((self.registers == 0).sum())
        if estimate <= 2.5 * _REGISTERS and empty:
            estimate = _REGISTERS * log(_REGISTERS / empty)
        return round(estimate)

    def pack(self) -> bytes:
        """What ``Distinct(registers)`` takes."""
        return self.registers.tobytes()


class Sizes:
    """How large values (0 or more, below 2**40) are: counts by classes of 1/32 of a power of two.

    Below 64 every value is a class of its own.
    """

    __slots__ = ("counts",)

    def __init__(self, packed: bytes | None = None) -> None:
        made = np.frombuffer(packed, dtype=np.int64) if packed else np.zeros(64, dtype=np.int64)
        self.counts: npt.NDArray[Any] = made.copy()

    def add(self, values: npt.NDArray[Any]) -> None:
        """Count values."""
        if not len(values):
            return
        shift = np.maximum(np.frexp(values.astype(np.float64))[1] - 1 - _STEPS, 0)
        classes = (shift << _STEPS) + (values.astype(np.int64) >> shift)
        self._take(np.bincount(classes))

    def merge(self, other: Sizes) -> None:
        """Take in what another one counted."""
        self._take(other.counts)

    def _take(self, counts: npt.NDArray[Any]) -> None:
        if len(counts) > len(self.counts):
            self.counts = np.concatenate(
                [self.counts, np.zeros(len(counts) - len(self.counts), dtype=np.int64)]
            )
        self.counts[: len(counts)] += counts

    def quantiles(self, shares: Sequence[float]) -> list[int] | None:
        """The value that this share of all values does not exceed, for each share, give or take
        half of ``SIZE_ERROR``. None if there are no values."""
        total = int(self.counts.sum())
        if not total:
            return None
        so_far = np.cumsum(self.counts)
        wanted = [max(1, -int(-share * total // 1)) for share in shares]
        return [_middle(int(np.searchsorted(so_far, rank))) for rank in wanted]

    def pack(self) -> bytes:
        """What ``Sizes(packed)`` takes."""
        return self.counts.tobytes()


def _middle(number: int) -> int:
    """The value in the middle of a class."""
    shift = max((number >> _STEPS) - 1, 0)
    return ((number - (shift << _STEPS)) << shift) + ((1 << shift) >> 1)
