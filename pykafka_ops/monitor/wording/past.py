"""Points of the history as a chart wants them: gaps are gaps. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from pykafka_ops.monitor.history.model import HistoryPoint

Point = tuple[int, float | None]
"""A time (ms) and a value; None: nothing was seen then."""
_MISSED: Final = 2.5
"""Steps without a point that make a gap."""


def last(point: HistoryPoint) -> float:
    """The value at the end of a step."""
    return point.last


def highest(point: HistoryPoint) -> float:
    """The worst of a step, where more is worse."""
    return point.max


def gapped(
    points: Iterable[HistoryPoint], step_ms: int, value: Callable[[HistoryPoint], float] = last
) -> list[Point]:
    """The points, with None in between where steps of ``step_ms`` are missing."""
    found: list[Point] = []
    before: int | None = None
    for point in points:
        if before is not None and point.at_ms - before > _MISSED * step_ms:
            found.append((before + step_ms, None))
        found.append((point.at_ms, value(point)))
        before = point.at_ms
    return found
