"""Round values for axes."""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, floor, isfinite, log10

from pykafka_ops.page.units import moment

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_SPANS = (
    *(1, 2, 5, 10, 15, 30),
    *(m * _MINUTE for m in (1, 2, 5, 10, 15, 30)),
    *(h * _HOUR for h in (1, 2, 3, 6, 12)),
    *(d * _DAY for d in (1, 2, 7, 14, 30, 60, 90, 182, 365, 730, 1825, 3650)),
)


def linear(most: float, wanted: int = 4) -> list[float]:
    """Ticks from 0 to the first round value not below ``most``, about ``wanted`` steps."""
    if not isfinite(most) or most <= 0:
        return [0.0, 1.0]
    return _up_to(most, _step(most / wanted, 1.0))


def counts(most: float, wanted: int = 4) -> list[float]:
    """The same of whole things: no tick lies between two of them."""
    if not isfinite(most) or most <= 0:
        return [0.0, 1.0]
    return _up_to(most, max(1.0, _step(most / wanted, 1.0)))


def spans(most: float, wanted: int = 4) -> list[float]:
    """The same in seconds: round in minutes, hours and days."""
    if not isfinite(most) or most < 1:
        return linear(most, wanted)
    return _up_to(most, float(_SPANS[min(bisect_left(_SPANS, most / wanted), len(_SPANS) - 1)]))


def sizes(most: float, wanted: int = 4) -> list[float]:
    """The same in bytes: round in the unit that ``most`` is shown in."""
    if not isfinite(most) or most <= 0:
        return [0.0, 1.0]
    unit = 1.0
    while most / unit >= 1024:
        unit *= 1024
    return _up_to(most, max(1.0, _step(most / wanted, unit)))


def moments(start: int, end: int, wanted: int = 4) -> list[tuple[int, str]]:
    """Round times between two (ms) with their labels; at least one."""
    if end <= start:
        return [(start, moment(start, "%d %b %H:%M"))]
    span = (end - start) / 1000
    # The smallest step that gives not more ticks than wanted.
    step = int(_SPANS[min(bisect_left(_SPANS, span / wanted), len(_SPANS) - 1)]) * 1000
    pattern = _pattern(step)
    times = [i * step for i in range(ceil(start / step), floor(end / step) + 1)]
    if not times:
        return [(start, moment(start, "%d %b %H:%M"))]
    found = [(t, moment(t, pattern)) for t in times[: 2 * wanted]]
    if step < _DAY * 1000 < span * 1000:  # hours of more than one day: midnight says which
        found = [(t, moment(t, "%d %b") if t % (_DAY * 1000) == 0 else s) for t, s in found]
    return found


def _pattern(step: int) -> str:
    if step >= 364 * _DAY * 1000:
        return "%Y"
    if step >= 30 * _DAY * 1000:
        return "%b %Y"
    if step >= _DAY * 1000:
        return "%d %b"
    if step < _MINUTE * 1000:
        return "%H:%M:%S"
    return "%H:%M"


def _step(rough: float, unit: float) -> float:
    """The round value (1, 2, 2.5 or 5 times a power of ten, of ``unit``) not below ``rough``."""
    power = 10.0 ** floor(log10(rough / unit))
    for factor in (1, 2, 2.5, 5, 10):
        if factor * power * unit >= rough * (1 - 1e-9):
            return factor * power * unit
    return 10 * power * unit


def _up_to(most: float, step: float) -> list[float]:
    return [i * step for i in range(ceil(most / step - 1e-9) + 1)]
