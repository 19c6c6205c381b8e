"""Growth of a disk: what was measured, what is expected, and between which bounds."""

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
    words,
)
from pykafka_ops.page.charts.lines import HEIGHT, TOP, across, path, time_labels
from pykafka_ops.page.markup import Markup, el, join
from pykafka_ops.page.units import moment

FOOT = 20


@dataclass(frozen=True, slots=True)
class Grown:
    """Bytes at a time (ms); ``low`` and ``high`` bound a forecast, None where it was measured."""

    time: int
    value: float
    low: float | None = None
    high: float | None = None
    forecast: bool = False


def band(
    title: str,
    description: str,
    points: Sequence[Grown],
    ticks: Sequence[float],
    said: Callable[[float], str],
    capacity: float | None = None,
) -> Markup:
    """Measured line, dashed forecast in its band, and the capacity if it is within the picture."""
    if not points:
        return nothing("There is no history to show.")
    span, most = (points[0].time, points[-1].time), ticks[-1]
    seen = [p for p in points if not p.forecast]
    coming = [*seen[-1:], *(p for p in points if p.forecast)]
    made = [
        el("polygon", points=_area(coming, span, most), class_="band"),
        el("path", d=path([(p.time, p.value) for p in seen], span, most, HEIGHT),
           class_="line l-0"),
        el("path", d=path([(p.time, p.value) for p in coming], span, most, HEIGHT),
           class_="line l-forecast"),
    ]  # fmt: skip
    dots = [_hover(p, span, most, said) for p in points]
    levels = [(t / most, said(t)) for t in ticks]
    picture = chart(
        title,
        description,
        TOP + HEIGHT + FOOT,
        stretched(TOP, HEIGHT, *made),
        *dots,
        grid(levels, TOP, HEIGHT),
        _capacity(capacity, most, said),
        below(time_labels(*span), TOP + HEIGHT + 14),
    )
    entries = [("0", "measured"), ("forecast", "forecast, with its interval")]
    return join(line_legend(entries if len(coming) > 1 else entries[:1]), picture)


def _area(points: Sequence[Grown], span: tuple[int, int], most: float) -> str:
    def place(time: int, value: float) -> str:
        y = HEIGHT * (1 - min(1.0, max(0.0, value / most)))
        return f"{1000 * across(time, span):.1f},{y:.1f}"

    upper = [place(p.time, p.value if p.high is None else p.high) for p in points]
    lower = [place(p.time, p.value if p.low is None else p.low) for p in reversed(points)]
    return " ".join([*upper, *lower])


def _hover(
    point: Grown, span: tuple[int, int], most: float, said: Callable[[float], str]
) -> Markup:
    text = f"{moment(point.time, '%Y-%m-%d %H:%M')}: {said(point.value)}"
    if point.low is not None and point.high is not None:
        text += f" ({said(point.low)} to {said(point.high)})"
    y = TOP + HEIGHT * (1 - min(1.0, max(0.0, point.value / most)))
    return el("circle", el("title", text), cx=at(across(point.time, span), 1), cy=y, r=6,
              class_="hover", data_value=point.value)  # fmt: skip


def _capacity(capacity: float | None, most: float, said: Callable[[float], str]) -> Markup:
    if capacity is None or capacity > most:
        return Markup()
    y = TOP + HEIGHT * (1 - capacity / most)
    line = el("line", x1=0, x2="100%", y1=y, y2=y, class_="mark limit")
    return join(line, words(f"full at {said(capacity)}", "100%", y - 4, "tick strong", "end"))
