"""How something grows that was measured now and then: a line that outliers and steps do not bend,
and the band around it.

The slope is the median of the slopes between all pairs of points (Theil 1950, Sen, JASA 63, 1968),
the spread of the points about the line comes from quantiles of their distances. Deviations that
last from one point to the next (a first-order autoregression, its coefficient corrected for its
bias: Kendall, Biometrika 41, 1954) make the band wider, and what follows begins with the last one.
x in days, y in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import inf, isfinite, sqrt
from statistics import median
from typing import Final, NamedTuple

from pykafka_ops.analysis.forecast import CONFIDENCE, Interval, crossing, t_quantile

LEAST_POINTS: Final = 5
LEAST_DAYS: Final = 2.0
"""Fewer points, or closer together, say nothing: the hour of the day would pass for a trend."""
REACHED, WITHIN, MAYBE, NOT_WITHIN = "reached", "within", "maybe", "not-within"
NO_CAPACITY, TOO_FEW, GONE = "no-capacity", "too-few-runs", "gone"
STATUSES: Final = (NOT_WITHIN, NO_CAPACITY, TOO_FEW, GONE, MAYBE, WITHIN, REACHED)
"""The most urgent last."""
GROWING, SHRINKING, STEADY = "growing", "shrinking", "steady"
TRENDS: Final = (STEADY, SHRINKING, GROWING, TOO_FEW, GONE)
_STEP_SPREADS: Final = 8.0
_STEP_SHARE: Final = 0.05
_RECURS: Final = 0.5
_NEAR: Final = 5
_MOST_LASTING: Final = 0.98
_GRID: Final = 180
Points = Sequence[tuple[float, float]]


class LevelStep(NamedTuple):
    """A jump of ``height`` between the point with number ``at``, at ``x``, and the one before."""

    at: int
    x: float
    height: float


@dataclass(frozen=True, slots=True)
class GrowthTrend:
    """``slope`` per day with its interval; the line is at ``level`` at ``center``. ``points`` were
    used, their distances from the line have the deviation ``spread``; ``width`` is the sum of
    squared distances of their x from the center. ``lasting`` of a deviation (0 to 1) is left after
    ``step`` days; ``first`` and ``last`` are the x of the ends, ``off`` is how far the last point
    is from the line. ``steps`` were taken out.
    """

    slope: Interval
    center: float
    level: float
    points: int
    spread: float
    width: float
    lasting: float
    step: float
    first: float
    last: float
    off: float
    steps: tuple[LevelStep, ...]

    def predict(self, x: float) -> Interval:
        """What is to be expected at ``x``, which is not before the last point; never below 0."""
        left = self.lasting ** ((x - self.last) / self.step)
        value = self.level + self.slope.value * (x - self.center) + left * self.off
        about = (1 / self.points + (x - self.center) ** 2 / self.width) * self._inflation
        reach = self._quantile * self.spread * sqrt(max(0.0, 1 - left * left) + about)
        low = value - reach - self._drops(x)
        return Interval(*(max(0.0, v) for v in (value, low, value + reach)))

    def _drops(self, x: float) -> float:
        """What drops take by ``x`` if they come again as soon as they can have: a drop that was
        seen once may be that of retention which takes much at a time."""
        taken = 0.0
        for step in self.steps:
            if step.height < 0:
                period = max(step.x - self.first, self.last - step.x)
                taken -= step.height * ((x - step.x) // period)
        return taken

    @property
    def _inflation(self) -> float:
        """How many points say as much as one would if deviations did not last."""
        return (1 + self.lasting) / (1 - self.lasting)

    @property
    def _quantile(self) -> float:
        freedom = max(1, int(self.points / self._inflation) - 2)
        return t_quantile((1 + CONFIDENCE) / 2, freedom)

    @property
    def said(self) -> str:
        """One of ``TRENDS``: whether the interval of the slope leaves out 0."""
        if self.slope.low > 0:
            return GROWING
        return SHRINKING if self.slope.high < 0 else STEADY


class CapacityReached(NamedTuple):
    """In how many days a level is reached: None where that is not known, inf where it is not within
    the days looked ahead. ``status`` is one of ``STATUSES``."""

    earliest: float | None
    expected: float | None
    latest: float | None
    status: str


def trend(points: Points) -> GrowthTrend | None:
    """The trend of points with rising x; None where they are too few, or too close together."""
    if len(points) < LEAST_POINTS or points[-1][0] - points[0][0] < LEAST_DAYS:
        return None
    steps = level_steps(points)
    level = _levelled(points, steps)
    slope = median((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(level, 2))
    count = len(level)
    center = sum(x for x, _ in level) / count
    at = median(y - slope * (x - center) for x, y in level)
    off = [y - at - slope * (x - center) for x, y in level]
    spread = _spread(off)
    if spread <= 1e-9 * max(1.0, abs(at)):  # nothing but the last digits of floats
        spread = 0.0
    lasting = _lasting(off, spread)
    made = GrowthTrend(
        Interval(slope, slope, slope), center, at, count, spread,
        sum((x - center) ** 2 for x, _ in level), lasting,
        median(b[0] - a[0] for a, b in pairwise(level)), level[0][0], level[-1][0], off[-1],
        tuple(steps),
    )  # fmt: skip
    reach = made._quantile * spread * sqrt(made._inflation / made.width)
    return replace(made, slope=Interval(slope, slope - reach, slope + reach))


def level_steps(points: Points) -> list[LevelStep]:
    """Jumps that came once: beyond what else happens from point to point, and a twentieth of the
    largest value at least. Jumps that recur are part of the trend, as retention that takes whole
    segments; they are two of a direction, the smaller at least half as high as the larger."""
    rate = median((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points))
    jumps = [b[1] - a[1] - rate * (b[0] - a[0]) for a, b in pairwise(points)]
    least = max(
        _STEP_SPREADS * median(abs(jump) for jump in jumps),
        _STEP_SHARE * max(y for _, y in points),
    )
    found = [
        LevelStep(n, points[n][0], jump) for n, jump in enumerate(jumps, 1) if abs(jump) > least
    ]
    single = [step for step in found if not _recurs(step, jumps)]
    borders = [0, *(step.at for step in single), len(points)]
    return [
        step._replace(height=_height(points, rate, *borders[n : n + 3]))
        for n, step in enumerate(single)
    ]


def _height(points: Points, rate: float, first: int, at: int, end: int) -> float:
    """That of a step, by some points on either side of it."""
    before, after = points[max(first, at - _NEAR) : at], points[at : min(end, at + _NEAR)]
    return median(b[1] - a[1] - rate * (b[0] - a[0]) for a in before for b in after)


def _recurs(step: LevelStep, jumps: Sequence[float]) -> bool:
    """Whether another jump goes the same way, and as far but for a factor of two or more."""
    return any(jump / step.height >= _RECURS for n, jump in enumerate(jumps, 1) if n != step.at)


def _levelled(points: Points, steps: Sequence[LevelStep]) -> list[tuple[float, float]]:
    """The points, those before a step moved by its height."""
    moved = [y for _, y in points]
    for step in steps:
        for n in range(step.at):
            moved[n] += step.height
    return [(x, y) for (x, _), y in zip(points, moved, strict=True)]


def _spread(off: Sequence[float]) -> float:
    """The deviation that a normal distribution with such distances has: by their median, or by the
    nine tenths, whatever is more; a few outliers are left out."""
    distances = sorted(abs(v) for v in off)
    most = distances[min(len(distances) - 1, int(0.9 * len(distances)))]
    scale = sqrt(len(off) / max(1, len(off) - 2))
    return scale * max(1.4826 * median(distances), most / 1.645)


def _lasting(off: Sequence[float], spread: float) -> float:
    """How much of a deviation is left at the next point."""
    if not spread:
        return 0.0
    cut = [max(-3 * spread, min(3 * spread, v)) for v in off]
    whole = sum(v * v for v in cut)
    found = sum(a * b for a, b in pairwise(cut)) / whole if whole else 0.0
    count = len(off)
    corrected = (count * found + 2) / (count - 4) if count > 4 else found
    return min(_MOST_LASTING, max(0.0, corrected))


def reached(
    found: GrowthTrend | None, held: float, capacity: float | None, days: float
) -> CapacityReached:
    """When ``capacity`` is reached by what is ``held`` at the last point, within ``days``."""
    if capacity is not None and held >= capacity:
        return CapacityReached(0.0, 0.0, 0.0, REACHED)
    if found is None or capacity is None:
        status = NO_CAPACITY if capacity is None else TOO_FEW
        return CapacityReached(None, None, None, status)
    ahead = [days * n / _GRID for n in range(_GRID + 1)]
    said = [found.predict(found.last + day) for day in ahead]

    def first(values: Sequence[float]) -> float:
        at = crossing([*zip(ahead, values, strict=True)], capacity)
        return inf if at is None else at

    earliest, expected, latest = (
        first([getattr(one, name) for one in said]) for name in ("high", "value", "low")
    )
    status = WITHIN if isfinite(expected) else MAYBE if isfinite(earliest) else NOT_WITHIN
    return CapacityReached(earliest, expected, latest, status)


def spread_out(times: Sequence[int], most: int) -> list[int]:
    """The places of at most ``most`` of some rising times: the last of each of as many equal
    stretches, so that what was measured often does not count for more."""
    if len(times) <= most:
        return [*range(len(times))]
    span = times[-1] - times[0]
    chosen = {min(most - 1, (t - times[0]) * most // max(1, span)): n for n, t in enumerate(times)}
    return sorted(chosen.values())
