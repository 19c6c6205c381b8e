"""How long the disks of brokers last: their free bytes now, and how these went."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import inf
from threading import Lock
from typing import Final

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HOUR, SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.wording.runway import DiskRunway, FreeAt, disks, with_growth

GROWTH: Final = (72 * HOUR, HOUR)
"""How far back growth is taken from, and the span between points, in ms."""
SHORT_GROWTH: Final = (6 * HOUR, 300_000)
"""The same while there is no more."""
RECENT_MS: Final = 600_000
"""How far back is looked, round by round, for a disk that is full soon."""
MOST_DISKS: Final = 20
KEPT_SECONDS: Final = 60.0
"""How long what goes back days is not read again."""


class DiskWatch:
    """The runway of the fullest disks of clusters; what goes back days is read once a minute."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, tuple[float, Mapping[int, list[FreeAt]]]] = {}

    def of(self, history: History | None, view: ClusterView, now: int) -> list[DiskRunway]:
        """The fullest disks first, with their growth as far as the history shows it; then those of
        brokers that do not tell."""
        found = disks(view, MOST_DISKS)
        if history is None:
            return found
        known = [d.broker for d in found if d.free is not None]
        past = self._past(history, view.name, known, now)
        return [
            d
            if d.free is None
            else with_growth(d, past.get(d.broker, []), _recent(history, view.name, d.broker, now))
            for d in found
        ]

    def one(self, history: History | None, view: ClusterView, broker: int, now: int) -> DiskRunway:
        """That of one broker."""
        found = next(d for d in disks(view, len(view.brokers)) if d.broker == broker)
        if history is None:
            return found
        past = _free(history, view.name, broker, now)
        return with_growth(found, past, _recent(history, view.name, broker, now))

    def full_in(self, history: History, view: ClusterView, now: int) -> dict[int, float]:
        """Seconds until the disks of a broker are full, infinity where they do not fill; brokers of
        which it is not known are left out."""
        found = self.of(history, view, now)
        return {
            d.broker: inf if d.full_in is None else d.full_in for d in found if d.growth is not None
        }

    def _past(
        self, history: History, cluster: str, brokers: Sequence[int], now: int
    ) -> Mapping[int, list[FreeAt]]:
        at = time.monotonic()
        with self._lock:
            known = self._known.get(cluster)
        if known is not None and at - known[0] < KEPT_SECONDS and set(brokers) <= known[1].keys():
            return known[1]
        past = {broker: _free(history, cluster, broker, now) for broker in brokers}
        with self._lock:
            self._known[cluster] = at, past
        return past


def _free(history: History, cluster: str, broker: int, now: int) -> list[FreeAt]:
    """Free bytes over time, over days where there are days."""
    key = _key(broker)
    for past_ms, step_ms in (GROWTH, SHORT_GROWTH):
        points = history.read(cluster, key, now - past_ms, now + 1, step_ms)
        if len(points) > 6:
            break
    return [(p.at_ms, float(p.last)) for p in points]


def _recent(history: History, cluster: str, broker: int, now: int) -> list[FreeAt]:
    """Free bytes by round."""
    points = history.read(cluster, _key(broker), now - RECENT_MS, now + 1, 1)
    return [(p.at_ms, float(p.last)) for p in points]


def _key(broker: int) -> SeriesKey:
    return SeriesKey("broker", str(broker), "free_bytes")
