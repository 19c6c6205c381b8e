"""What pages draw of the history: points of some series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pykafka_ops.monitor.history.model import HistoryPoint, SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.monitor.pages.pictures import HOUR, ChartPast, Period, period_of
from pykafka_ops.monitor.wording.past import Point, gapped, highest, last

OVERVIEW: Final = Period("6h", 6 * HOUR, 360_000)
_WORST: Final = frozenset({"lag", "max_lag", "lag_seconds"})
"""Facts of which a chart shows the highest of each step."""


def chart_past(
    history: History | None,
    subject: tuple[str, str],
    facts: Sequence[str],
    asked: PageRequest,
) -> ChartPast | None:
    """The past of a (kind, name) for charts; None where no history is kept. ValueError for a period
    that there is not."""
    if history is None:
        return None
    period = period_of(asked.query)
    points = series(history, asked.cluster, subject, facts, (period, asked.now, asked.poll_ms))
    return ChartPast(period, asked.now, points)


def series(
    history: History,
    cluster: str,
    subject: tuple[str, str],
    facts: Sequence[str],
    span: tuple[Period, int, int],
) -> dict[str, list[Point]]:
    """Points by fact; a span is a period, the moment it ends and the span between
    rounds (ms)."""
    period, now, poll_ms = span
    gap_ms = max(period.step_ms, poll_ms)
    keys = [SeriesKey(*subject, fact) for fact in facts]
    found = history.read_many(cluster, keys, now - period.past_ms, now + 1, period.step_ms)
    return {key.fact: gapped(points, gap_ms, _value(key.fact)) for key, points in found.items()}


def _value(fact: str) -> Callable[[HistoryPoint], float]:
    return highest if fact in _WORST else last
