"""Bars made of parts: bytes by age, bytes that leave by horizon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pykafka_ops.page.charts.bars import ROW, TOP, head
from pykafka_ops.page.charts.frame import at, block, chart, legend, nothing
from pykafka_ops.page.markup import Markup, join


@dataclass(frozen=True, slots=True)
class Stack:
    """A bar: its name, its figure as text, and (tone, value, tip) of each part from the left."""

    label: str
    text: str
    parts: Sequence[tuple[str, float, str]]


def stacked(title: str, items: Sequence[Stack], meanings: Sequence[tuple[str, str]]) -> Markup:
    """One bar per item, all on the same scale; ``meanings`` are (tone, what it means)."""
    totals = [sum(p[1] for p in s.parts) for s in items]
    if not any(t > 0 for t in totals):
        return nothing("There is nothing to show.")
    most = max(totals)
    rows = [_row(s, TOP + i * ROW, most) for i, s in enumerate(items)]
    description = "; ".join(f"{s.label}: {s.text}" for s in items)
    picture = chart(title, description, TOP + len(items) * ROW, *rows)
    return join(legend(meanings), picture)


def _row(item: Stack, y: float, most: float) -> Markup:
    made = head(item.label, item.label, item.text, y)
    left = 0.0
    for tone, value, said in item.parts:
        if value > 0:
            made.append(block(tone, said, x=at(left, most), y=y + 18, width=at(value, most),
                              height=12, data_value=value))  # fmt: skip
        left += value
    return join(*made)
