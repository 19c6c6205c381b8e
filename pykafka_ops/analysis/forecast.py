"""A straight line through points, how sure it is, and when it reaches a level."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, exp, inf, pi, sin, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

#: Probability that the true value lies within an interval.
CONFIDENCE: Final = 0.9


class Interval(NamedTuple):
    """A value, and the interval it is expected in."""

    value: float
    low: float
    high: float


class FittedLine(NamedTuple):
    """Least squares: y = ``at`` + ``slope`` (x - ``center``), from ``points`` points.

    ``spread`` is the standard deviation of the points about the line (two degrees of freedom
    less), ``width`` the sum of squared distances of the x from ``center``.
    """

    slope: float
    at: float
    center: float
    points: int
    spread: float
    width: float

    def value(self, x: float) -> float:
        """y of the line at x."""
        return self.at + self.slope * (x - self.center)

    def predict(self, x: float, confidence: float = CONFIDENCE) -> Interval:
        """Where one more point at ``x`` would be: the prediction interval.

        Two points or fewer have no spread, so there is no interval.
        """
        value = self.value(x)
        if self.points <= 2:
            return Interval(value, value, value)
        error = self.spread * sqrt(1 + 1 / self.points + (x - self.center) ** 2 / self.width)
        reach = t_quantile((1 + confidence) / 2, self.points - 2) * error
        return Interval(value, value - reach, value + reach)


def fit(points: Sequence[tuple[float, float]]) -> FittedLine | None:
    """The line through (x, y) points; None without two different x."""
    count = len(points)
    if count < 2:
        return None
    center = sum(x for x, _ in points) / count
    middle = sum(y for _, y in points) / count
    width = sum((x - center) ** 2 for x, _ in points)
    if not width:
        return None
    slope = sum((x - center) * (y - middle) for x, y in points) / width
    off = sum((y - middle - slope * (x - center)) ** 2 for x, y in points)
    spread = sqrt(off / (count - 2)) if count > 2 else 0.0
    return FittedLine(slope, middle, center, count, spread, width)


def reached(start: float, rate: float, level: float) -> float | None:
    """How long until ``start``, growing by ``rate``, is at ``level``: 0 if it is; None: never."""
    if start >= level:
        return 0.0
    return (level - start) / rate if rate > 0 else None


def crossing(curve: Sequence[tuple[float, float]], level: float) -> float | None:
    """The first x where a curve of (x, y) points, straight between them, reaches ``level``.

    None if it does not get there within the curve.
    """
    if not curve:
        return None
    before = curve[0]
    if before[1] >= level:
        return before[0]
    for point in curve[1:]:
        if point[1] >= level:
            return before[0] + (level - before[1]) * (point[0] - before[0]) / (point[1] - before[1])
        before = point
    return None


def t_quantile(p: float, freedom: int) -> float:
    """Where Student's t with ``freedom`` (1 or more) degrees of freedom is below with probability
    ``p`` (0 to 1): G. W. Hill, Algorithm 396, Communications of the ACM 13 (1970)."""
    if p <= 0 or p >= 1:
        return inf if p >= 1 else -inf
    if p == 0.5:
        return 0.0
    tail = 2 * min(p, 1 - p)
    found = _two_tailed(tail, freedom)
    return found if p > 0.5 else -found


def _two_tailed(tail: float, n: int) -> float:
    if n == 1:
        return cos(tail * pi / 2) / sin(tail * pi / 2)
    if n == 2:
        return sqrt(2 / (tail * (2 - tail)) - 2)
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = (d * tail) ** (2 / n)
    if y > 0.05 + a:
        x = NormalDist().inv_cdf(tail / 2)
        y = x * x
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = a * y * y
        y = exp(y) - 1 if y > 0.002 else 0.5 * y * y + y
    else:
        y = (
            (1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1
        ) * (n + 1) / (n + 2) + 1 / y
    return sqrt(n * y)
