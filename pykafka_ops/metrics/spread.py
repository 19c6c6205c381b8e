"""How values are spread: counts by size since the start, and quantiles of the last minutes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from pykafka_ops.metrics.family import Buckets, Times

_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_BOUNDS = (1.0, 2.5, 5.0)


def _decades(first: int, last: int, steps: Sequence[float]) -> tuple[float, ...]:
    scaled = (float(f"{step}e{power}") for power in range(first, last) for step in steps)
    return (*scaled, float(f"1e{last}"))


MS: Final = _decades(-2, 5, _STEPS)
"""Bounds of times in ms, from 10 microseconds to 100 s: ten in each decade."""
BYTES: Final = _decades(1, 9, _STEPS)
"""Bounds of sizes in bytes."""
SHARES: Final = ("0.50", "0.75", "0.95", "0.98", "0.99", "0.999")
"""The quantiles that Kafka's histograms have, as jmx_exporter's rules write them."""
_LE_MS = [at for at in _decades(-1, 4, _BOUNDS) if at in MS]
WINDOW_MS = 60_000
"""Quantiles are of the last one to two of these."""


class Spread:
    """Values by size. ``bounds`` are upper bounds; a value beyond the last counts, too.

    In the place of Yammer's ``Histogram`` with its decaying sample: this one counts all, which
    Prometheus needs, and forgets in steps of :data:`WINDOW_MS`.
    """

    __slots__ = ("_bounds", "_counts", "_newer", "_older", "_turned", "number", "total")

    def __init__(self, bounds: tuple[float, ...] = MS) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._older = self._newer = tuple(self._counts)
        self._turned: float | None = None
        self.number = 0
        self.total = 0.0

    def add(self, value: float, weight: int = 1) -> None:
        """A value, which stands for ``weight`` of them."""
        self._counts[bisect_left(self._bounds, value)] += weight
        self.number += weight
        self.total += value * weight

    def turn(self, now: float) -> None:
        """It is ``now`` (ms): forget what is too old for quantiles; before values are added."""
        if self._turned is None:
            self._turned = now
        passed = now - self._turned
        if passed >= WINDOW_MS:
            counts = tuple(self._counts)
            self._older = counts if passed >= 2 * WINDOW_MS else self._newer
            self._newer = counts
            self._turned = now

    def take_in(self, other: Spread) -> None:
        """Add what another has counted, of the same bounds and turns."""
        self._counts = [sum(both) for both in zip(self._counts, other._counts, strict=True)]
        self._older = tuple(map(sum, zip(self._older, other._older, strict=True)))
        self.number += other.number
        self.total += other.total

    def times(self, shares: Sequence[str] = SHARES) -> Times:
        """Quantiles of the last minutes, to 10 %; none if nothing came."""
        recent = [now - was for now, was in zip(self._counts, self._older, strict=True)]
        found = _quantiles(self._bounds, recent, [float(share) for share in shares])
        return Times(tuple(zip(shares, found, strict=False)), self.number, round(self.total, 6))

    def seconds(self) -> Buckets:
        """All since the start, of values in ms; bounds and sum in seconds."""
        counts, below, at = [], 0, 0
        for bound in _LE_MS:
            until = bisect_left(self._bounds, bound) + 1
            below += sum(self._counts[at:until])
            at = until
            counts.append((f"{bound / 1000:g}", below))
        return Buckets(tuple(counts), self.number, round(self.total / 1000, 9))


def _quantiles(
    bounds: Sequence[float], counts: Sequence[int], shares: Sequence[float]
) -> list[float]:
    """Within the interval that holds a quantile all values count as evenly spread."""
    number = sum(counts)
    found: list[float] = []
    if not number:
        return found
    below, place = 0, 0
    for share in shares:
        rank = share * number
        while below + counts[place] < rank:
            below += counts[place]
            place += 1
        low = bounds[place - 1] if place else 0.0
        high = bounds[min(place, len(bounds) - 1)]
        within = (rank - below) / counts[place] if counts[place] else 0.0
        found.append(float(f"{low + (high - low) * within:.4g}"))
    return found
