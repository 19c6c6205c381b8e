"""A row of cells per name: the stronger the colour, the more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10

from pykafka_ops.page.charts.frame import PATTERNED, at, below, chart, nothing
from pykafka_ops.page.charts.lines import time_labels
from pykafka_ops.page.markup import Markup, el, join, shorten

LEVELS = 5
GUTTER = 13
"""Percent of the width for names beside the rows."""
FOOT = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """From ``start`` to ``end`` (ms) there was ``value``; a tone other than "" lays a pattern on
    it."""

    start: int
    end: int
    value: float | None
    tip: str = ""
    tone: str = ""


def thresholds(values: Sequence[float], *, magnitudes: bool) -> list[float]:
    """Upper bounds of the five levels above 0: equal steps, or steps by equal factors."""
    most = max((v for v in values if v > 0), default=1.0)
    if not magnitudes:
        return [most * (i + 1) / LEVELS for i in range(LEVELS)]
    least = min((v for v in values if v > 0), default=1.0)
    factor = max(2.0, (most / least) ** (1 / LEVELS))
    return [_round(most / factor ** (LEVELS - 1 - i)) for i in range(LEVELS - 1)] + [most]


def _round(value: float) -> float:
    """One digit that counts; whole numbers from 1 on."""
    power = 10.0 ** floor(log10(value))
    return round(value / power) * power if value >= 1 else value


def heatmap(
    title: str,
    description: str,
    rows: Sequence[tuple[str, Sequence[Cell]]],
    said: Callable[[float], str],
    *,
    beside: bool = False,
    magnitudes: bool = False,
) -> Markup:
    """Rows over one span of time; names stand above their row, or beside if they are short."""
    cells = [c for _, row in rows for c in row]
    if not cells:
        return nothing("There is nothing to show over time.")
    start, end = min(c.start for c in cells), max(c.end for c in cells)
    bounds = thresholds([c.value for c in cells if c.value is not None], magnitudes=magnitudes)
    step, left = (18, GUTTER) if beside else (34, 0)
    made = []
    for i, (name, row) in enumerate(rows):
        y = 2 + i * step
        tip = el("title", name)
        if beside:
            made.append(el("text", tip, shorten(name, 6), x=at(GUTTER - 2, 100), y=y + 12,
                           class_="tick", text_anchor="end"))  # fmt: skip
        else:
            made.append(el("text", tip, shorten(name, 40), x=0, y=y + 11, class_="name"))
        top = y if beside else y + 15
        made += [_cell(cell, (start, end), left, top, bounds) for cell in row]
    foot = 2 + len(rows) * step
    labels = [((left + (100 - left) * x) / 100, text) for x, text in time_labels(start, end)]
    picture = chart(title, description, foot + FOOT, *made, below(labels, foot + 12))
    return join(_legend(bounds, said), picture)


def _cell(
    cell: Cell, span: tuple[int, int], left: float, y: float, bounds: Sequence[float]
) -> Markup:
    whole = max(1, span[1] - span[0])
    x = left + (100 - left) * (cell.start - span[0]) / whole
    width = (100 - left) * (cell.end - cell.start) / whole
    place = {"x": at(x, 100), "y": y, "width": at(width, 100), "height": 15}
    tip = el("title", cell.tip) if cell.tip else None
    shape = el("rect", tip, class_=f"heat h{_level(cell.value, bounds)}", **place,
               data_value=cell.value)  # fmt: skip
    if cell.tone not in PATTERNED:
        return shape
    return join(shape, el("rect", tip, class_="over", fill=f"url(#p-{cell.tone})", **place))


def _level(value: float | None, bounds: Sequence[float]) -> str:
    if value is None:
        return "n"
    if value <= 0:
        return "0"
    return str(next((i + 1 for i, b in enumerate(bounds) if value <= b * (1 + 1e-9)), LEVELS))


def _legend(bounds: Sequence[float], said: Callable[[float], str]) -> Markup:
    entries = [("0", "0"), *((str(i + 1), f"to {said(b)}") for i, b in enumerate(bounds))]
    made = []
    for level, meaning in entries:
        shape = el("rect", width=14, height=10, rx=2, class_=f"heat h{level}")
        swatch = el("svg", shape, width=14, height=10, aria_hidden="true")
        made.append(el("li", swatch, meaning))
    return el("ul", *made, class_="legend")
