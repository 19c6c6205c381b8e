"""What pages draw of the history: points of some series, the growth of disks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Final

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryPoint, SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.monitor.pages.pictures import HOUR, ChartPast, Period, period_of
from pykafka_ops.monitor.told.past import Point, gapped, highest, last
from pykafka_ops.monitor.told.runway import DiskRunway, disks, with_growth

OVERVIEW: Final = Period("6h", 6 * HOUR, 360_000)
GROWTH: Final = Period("3d", 72 * HOUR, HOUR)
SHORT_GROWTH: Final = Period("6h", 6 * HOUR, 300_000)
"""What growth is taken from while there is no more."""
MOST_DISKS: Final = 20
KEPT_SECONDS: Final = 60.0
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


class DiskWatch:
    """The runway of the fullest disks of clusters, looked up once a minute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, tuple[float, Mapping[int, list[tuple[int, float]]]]] = {}

    def of(self, history: History | None, view: ClusterView, now: int) -> list[DiskRunway]:
        """The fullest disks first; their growth as far as the history tells."""
        found = disks(view, MOST_DISKS)
        if history is None:
            return found
        past = self._past(history, view.name, [d.broker for d in found], now)
        return [with_growth(d, past.get(d.broker, [])) for d in found]

    def one(self, history: History | None, view: ClusterView, broker: int, now: int) -> DiskRunway:
        """That of one broker."""
        found = next(d for d in disks(view, len(view.brokers)) if d.broker == broker)
        return (
            found if history is None else with_growth(found, _free(history, view.name, broker, now))
        )

    def _past(
        self, history: History, cluster: str, brokers: Sequence[int], now: int
    ) -> Mapping[int, list[tuple[int, float]]]:
        at = time.monotonic()
        with self._lock:
            known = self._known.get(cluster)
        if known is not None and at - known[0] < KEPT_SECONDS and set(brokers) <= known[1].keys():
            return known[1]
        past = {broker: _free(history, cluster, broker, now) for broker in brokers}
        with self._lock:
            self._known[cluster] = at, past
        return past


def _free(history: History, cluster: str, broker: int, now: int) -> list[tuple[int, float]]:
    """Free bytes over time, over days where there are days."""
    key = SeriesKey("broker", str(broker), "free_bytes")
    for period in (GROWTH, SHORT_GROWTH):
        points = history.read(cluster, key, now - period.past_ms, now + 1, period.step_ms)
        if len(points) > 6:
            break
    return [(p.at_ms, float(p.last)) for p in points]
