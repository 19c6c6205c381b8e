"""Lorenz curve: which share of the bytes the smaller partitions hold together."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.page.charts.frame import nothing
from pykafka_ops.page.markup import Markup, el

SIDE, LEFT, FOOT = 260, 34, 34
POINTS = 200
"""More partitions than this are drawn with as many points."""


def curve(values: Sequence[float]) -> list[tuple[float, float]]:
    """Points from (0, 0) to (1, 1): share of the holders, smallest first, and of what they hold."""
    ordered = sorted(max(0.0, v) for v in values)
    total = sum(ordered)
    if total <= 0:
        return []
    count, running = len(ordered), 0.0
    points = [(0.0, 0.0)]
    every = max(1, count // POINTS)
    for i, value in enumerate(ordered, 1):
        running += value
        if i % every == 0 or i == count:
            points.append((i / count, running / total))
    return points


def lorenz(title: str, description: str, values: Sequence[float], gini: float | None) -> Markup:
    """The curve under the diagonal of evenness, with its Gini coefficient."""
    points = curve(values)
    if not points:
        return nothing("There are no bytes to compare.")
    places = [(LEFT + x * SIDE, 8 + (1 - y) * SIDE) for x, y in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    corner = f"{LEFT},{8 + SIDE} {LEFT + SIDE},8"
    percent = [
        el("text", f"{p} %", x=LEFT - 4, y=8 + SIDE * (1 - p / 100) + 4, class_="tick",
           text_anchor="end") for p in (0, 50, 100)
    ]  # fmt: skip
    said = None
    if gini is not None:
        said = el("text", f"Gini {gini:.3f}", x=LEFT + 12, y=34, class_="figure", data_value=gini)
    return el(
        "svg",
        el("title", title),
        el("desc", description),
        el("rect", x=LEFT, y=8, width=SIDE, height=SIDE, class_="frame"),
        el("polygon", points=f"{line} {corner}", class_="gap"),
        el("line", x1=LEFT, y1=8 + SIDE, x2=LEFT + SIDE, y2=8, class_="mark"),
        el("polyline", points=line, class_="line l-0"),
        *percent,
        said,
        el("text", "partitions, smallest first", x=LEFT + SIDE / 2, y=SIDE + 26, class_="tick",
           text_anchor="middle"),
        viewBox=f"0 0 {LEFT + SIDE + 4} {SIDE + FOOT}",
        class_="chart square",
        role="img",
    )  # fmt: skip
