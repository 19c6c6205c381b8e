"""Horizontal bars: a name above each, its figure on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pykafka_ops.page.charts.frame import at, block, chart, nothing, words
from pykafka_ops.page.markup import Markup, el, join, shorten

ROW, TOP = 38, 4
LABEL = 30
"""Characters of a name that fit on a phone."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its name, its length, its figure as text, its tone.

    ``low`` and ``high`` make an interval around the end of the bar; None: there is none.
    ``value`` None is not known and draws no bar.
    """

    label: str
    value: float | None
    text: str
    tone: str = "plain"
    low: float | None = None
    high: float | None = None
    tip: str = ""


def bars(
    title: str,
    items: Sequence[Bar],
    *,
    description: str = "",
    mark: tuple[float, str] | None = None,
    full: float | None = None,
) -> Markup:
    """One row per bar; ``mark`` is a vertical line with its name, ``full`` what the width means."""
    if not items:
        return nothing("There is nothing to show.")
    most = max(
        full or 0.0,
        mark[0] if mark else 0.0,
        *((b.value or 0.0 if b.high is None else b.high) for b in items),
        *(b.value or 0.0 for b in items),
    )
    most = min(most, full) if full else most
    top = TOP + (18 if mark else 0)
    rows = [_row(b, top + i * ROW, most) for i, b in enumerate(items)]
    levels = _mark(mark, most, [top + i * ROW for i in range(len(items))])
    description = description or "; ".join(b.tip for b in items)
    return chart(title, description, top + len(items) * ROW, *rows, levels)


def head(label: str, tip: str, figure: str, y: float) -> list[Markup]:
    """The name of a bar, its figure, and the track that it fills."""
    return [
        el("text", el("title", tip), shorten(label, LABEL), x=0, y=y + 12, class_="name"),
        words(figure, "100%", y + 12, "value", "end"),
        el("rect", x=0, y=y + 18, width="100%", height=12, rx=3, class_="track"),
    ]


def _row(bar: Bar, y: float, most: float) -> Markup:
    said = bar.tip or f"{bar.label}: {bar.text}"
    made = head(bar.label, said, bar.text, y)
    if bar.value is not None and bar.value > 0:
        made.append(block(bar.tone, said, x=0, y=y + 18, width=at(bar.value, most), height=12,
                          rx=3, data_value=bar.value))  # fmt: skip
    if bar.low is not None and bar.high is not None and bar.high > bar.low:
        made.append(_interval(at(bar.low, most), at(bar.high, most), y + 24))
    return join(*made)


def _interval(low: str, high: str, y: float) -> Markup:
    ends = [el("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="whisker") for x in (low, high)]
    return join(el("line", x1=low, x2=high, y1=y, y2=y, class_="whisker"), *ends)


def _mark(mark: tuple[float, str] | None, most: float, tops: Sequence[float]) -> Markup:
    if mark is None:
        return Markup()
    x = at(mark[0], most)
    share = mark[0] / most if most > 0 else 0.0
    anchor = "start" if share < 0.2 else "end" if share > 0.8 else "middle"
    lines = [el("line", x1=x, x2=x, y1=y + 14, y2=y + 34, class_="mark") for y in tops]
    return join(words(mark[1], x, 12, "tick", anchor), *lines)
