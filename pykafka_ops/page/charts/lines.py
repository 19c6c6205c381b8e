"""Lines over time, each with its own colour and dash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pykafka_ops.page.charts.frame import (
    at,
    below,
    chart,
    grid,
    line_legend,
    nothing,
    stretched,
)
from pykafka_ops.page.markup import Markup, el, join
from pykafka_ops.page.ticks import moments
from pykafka_ops.page.units import moment

HEIGHT, TOP, FOOT = 200, 18, 20
TIPS = 400
"""Points up to which each has its figures to hover over."""

Point = tuple[int, float | None]
"""A time (ms) and a value; None: not known then, the line has a gap."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line: its name in the legend, its points in order of time, its tone (0 to 5)."""

    label: str
    points: Sequence[Point]
    tone: str


def lines(
    title: str,
    description: str,
    series: Sequence[Series],
    ticks: Sequence[float],
    said: Callable[[float], str],
    period: tuple[int, int] | None = None,
) -> Markup:
    """The lines with their legend, from 0 to the last of ``ticks``; ``period`` (ms) is what the
    width stands for (None: from the first point to the last)."""
    times = [t for s in series for t, v in s.points if v is not None]
    if not times:
        return nothing("There is nothing to show over time.")
    start, end = period or (min(times), max(times))
    most = ticks[-1]
    drawn = [el("path", d=path(s.points, (start, end), most, HEIGHT), class_=f"line l-{s.tone}")
             for s in series]  # fmt: skip
    few = sum(len(s.points) for s in series) <= TIPS
    dots = [_dots(s, (start, end), most, said, few) for s in series]
    picture = chart(
        title,
        description,
        TOP + HEIGHT + FOOT,
        stretched(TOP, HEIGHT, *drawn),
        *dots,
        grid([(t / most, said(t)) for t in ticks], TOP, HEIGHT),
        below(time_labels(start, end), TOP + HEIGHT + 14),
    )
    return join(line_legend([(s.tone, s.label) for s in series]), picture)


def time_labels(start: int, end: int) -> list[tuple[float, str]]:
    """Round times as shares of the way from start to end (ms)."""
    if end <= start:
        return [(0.5, moment(start, "%d %b %H:%M"))]
    return [((t - start) / (end - start), label) for t, label in moments(start, end)]


def path(points: Sequence[Point], span: tuple[int, int], most: float, height: float) -> str:
    """The path through known points, anew behind every gap."""
    made, pen = [], "M"
    for time, value in points:
        if value is None:
            pen = "M"
            continue
        x = 1000 * across(time, span)
        y = height * (1 - min(1.0, max(0.0, value / most)))
        made.append(f"{pen}{x:.1f},{y:.1f}")
        pen = "L"
    return " ".join(made)


def across(time: int, span: tuple[int, int]) -> float:
    """How far across a time lies (0 to 1); in the middle where there is only one time."""
    start, end = span
    return 0.5 if end <= start else (time - start) / (end - start)


def _dots(
    series: Series, span: tuple[int, int], most: float, said: Callable[[float], str], few: bool
) -> Markup:
    """The last point, seen; all others only to hover over."""
    known = [(t, v) for t, v in series.points if v is not None]
    made = []
    for i, (time, value) in enumerate(known):
        last = i == len(known) - 1
        if not last and not few:
            continue
        tip = el("title", f"{series.label}, {moment(time, '%Y-%m-%d %H:%M')}: {said(value)}")
        y = TOP + HEIGHT * (1 - min(1.0, max(0.0, value / most)))
        made.append(el("circle", tip, cx=at(across(time, span), 1), cy=y, r=3.5 if last else 6,
                       class_=f"dot l-{series.tone}" if last else "hover"))  # fmt: skip
    return join(*made)
