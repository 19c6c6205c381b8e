"""Upright bars side by side, for many of a kind: the partitions of a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pykafka_ops.page.charts.bars import Bar
from pykafka_ops.page.charts.frame import at, below, block, chart, grid, nothing, words
from pykafka_ops.page.markup import Markup, el, join

HEIGHT, TOP, FOOT = 170, 18, 20
NAMED = 16
"""With more bars than this only some have their name."""


def columns(
    title: str,
    description: str,
    items: Sequence[Bar],
    ticks: Sequence[float],
    said: Callable[[float], str],
    mark: tuple[float, str] | None = None,
) -> Markup:
    """One column per bar against the values of ``ticks``; ``mark`` is a level with its name."""
    if not items:
        return nothing("There is nothing to show.")
    most = ticks[-1]
    count = len(items)
    wide = min(0.8, 0.12 * count)  # one or two bars must not fill the picture
    made = []
    for i, bar in enumerate(items):
        high = max(1.0, HEIGHT * (bar.value or 0.0) / most) if bar.value else 0.0
        made.append(block(bar.tone, bar.tip or f"{bar.label}: {bar.text}",
                          x=at(i + (1 - wide) / 2, count), y=TOP + HEIGHT - high,
                          width=at(wide, count), height=high, data_value=bar.value))  # fmt: skip
    levels = [(t / most, said(t)) for t in ticks]
    lines = grid(levels, TOP, HEIGHT, right=True)
    return chart(title, description, TOP + HEIGHT + FOOT, *made, lines,
                 _mark(mark, most), below(_names(items), TOP + HEIGHT + 14))  # fmt: skip


def _names(items: Sequence[Bar]) -> list[tuple[float, str]]:
    count = len(items)
    every = 1 if count <= NAMED else -(-count // 8)
    return [((i + 0.5) / count, items[i].label) for i in range(0, count, every)]


def _mark(mark: tuple[float, str] | None, most: float) -> Markup:
    if mark is None:
        return Markup()
    y = TOP + HEIGHT * (1 - mark[0] / most)
    line = el("line", x1=0, x2="100%", y1=y, y2=y, class_="mark")
    return join(line, words(mark[1], "60%", y - 4, "tick strong", "middle"))
