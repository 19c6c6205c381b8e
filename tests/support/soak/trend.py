"""Whether a figure grows without bound, judged by all that was sampled."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

Sample = tuple[float, float]
"""Seconds since the begin, and the value then."""


class Allowed(NamedTuple):
    """How much a figure may be higher at the end than at the begin: in its unit, and as a share."""

    units: float
    share: float


def slope(samples: Sequence[Sample]) -> float:
    """What the value gains in a second: the median of the slopes between any two samples
    (Theil and Sen), which a third of wild samples does not move. 0 of fewer than two."""
    found = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(samples, 2) if b[0] > a[0]]
    return statistics.median(found) if found else 0.0


def after(samples: Sequence[Sample], warm_up: float) -> list[Sample]:
    """The samples from ``warm_up`` seconds on."""
    return [sample for sample in samples if sample[0] >= warm_up]


class Trend(NamedTuple):
    """A figure over time: its median in the first and in the last quarter, and what the slope
    gains from the first sample to the last."""

    first: float
    last: float
    gain: float

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Trend:
        """ValueError of fewer than four samples."""
        if len(samples) < 4:
            raise ValueError(f"{len(samples)} samples tell no trend")
        quarter = max(1, len(samples) // 4)
        values = [value for _, value in samples]
        return cls(
            statistics.median(values[:quarter]),
            statistics.median(values[-quarter:]),
            slope(samples) * (samples[-1][0] - samples[0][0]),
        )

    def grows(self, allowed: Allowed) -> bool:
        """Whether slope and quarters both say that it grows more than is allowed."""
        most = allowed.units + allowed.share * self.first
        return self.gain > most and self.last - self.first > most
