"""Days until a directory is full, with the interval of the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.markup import Markup
from pykafka_ops.page.units import span

DAY = 86_400
FAR = 365.0
"""Days that the width shows at most; what lasts longer is said in words."""
SOON, NEAR = 7.0, 30.0
"""Days below which a disk needs help now, and soon."""


@dataclass(frozen=True, slots=True)
class Runway:
    """A directory: days until it is full, and their bounds; None: not within a year."""

    label: str
    days: float | None
    low: float | None = None
    high: float | None = None


def tone(days: float | None) -> str:
    """How bad it is that a directory is full in so many days."""
    if days is None or days > NEAR:
        return "ok"
    return "stop" if days <= SOON else "warn"


def runway(title: str, description: str, items: Sequence[Runway]) -> Markup:
    """One bar per directory; the scale ends with the longest, at a year at most."""
    most = max((d for i in items for d in (i.days, i.high) if d is not None), default=0.0)
    full = min(FAR, max(most, 1.0))
    made = []
    for item in items:
        said = "not within a year" if item.days is None else span(item.days * DAY)
        tip = f"{item.label}: {said}"
        if item.low is not None:
            last = "never" if item.high is None else span(item.high * DAY)
            tip += f" ({span(item.low * DAY)} to {last})"
        shown = full if item.days is None else min(item.days, full)
        high = item.high if item.high is not None or item.low is None else full
        made.append(Bar(item.label, shown, said, tone(item.days), item.low,
                        None if high is None else min(high, full), tip))  # fmt: skip
    return bars(title, made, description=description, full=full)
