"""The series that exist, and which of them to drop when there are too many."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from pykafka_ops.monitor.history.model import HOUR, SeriesKey

PARTITION = "partition"
"""The kind whose series are dropped first."""
_AGAIN_MS = 60_000


class SeriesEntry:
    """One series; ``id`` is 0 until the file has it, ``seen`` the recorder's clock."""

    __slots__ = ("cluster", "gone", "id", "key", "seen")

    def __init__(self, cluster: str, key: SeriesKey, seen: int, series: int = 0) -> None:
        self.cluster = cluster
        self.key = key
        self.seen = seen
        self.id = series
        self.gone = False


class Catalogue:
    """Series by cluster and key, at most ``most``.

    When all places are taken, those go that were silent for longest, an hour at least; series of
    partitions first. Where none is silent, series of partitions give way to those of other kinds,
    and a new one of a partition has no place.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_cluster: dict[str, dict[SeriesKey, SeriesEntry]] = {}
        self._full_until: dict[bool, int] = {}
        self.count = 0
        self.dropped: list[int] = []
        """Ids of dropped series, to delete from the file; whoever reads the list empties it."""
        self.refused = 0

    def __iter__(self) -> Iterator[SeriesEntry]:
        for entries in self._by_cluster.values():
            yield from entries.values()

    def of(self, cluster: str) -> dict[SeriesKey, SeriesEntry]:
        """The series of a cluster."""
        return self._by_cluster.setdefault(cluster, {})

    def add(self, cluster: str, key: SeriesKey, clock: int, series: int = 0) -> SeriesEntry | None:
        """A new series, or None if there is no place for it."""
        if self.count >= self._most and not self._make_room(key.kind, clock):
            self.refused += 1
            return None
        entry = self.of(cluster)[key] = SeriesEntry(cluster, key, clock, series)
        self.count += 1
        return entry

    def drop(self, entry: SeriesEntry) -> None:
        """Forget a series with all its points."""
        if entry.gone:
            return
        entry.gone = True
        del self._by_cluster[entry.cluster][entry.key]
        self.count -= 1
        if entry.id:
            self.dropped.append(entry.id)

    def adopt(self, rows: Iterable[tuple[int, str, SeriesKey, int]]) -> None:
        """Take over the series of a file: id, cluster, key, when it was seen."""
        self.dropped.clear()
        for entry in self:
            entry.id = 0
        for series, cluster, key, seen in rows:
            known = self.of(cluster).get(key)
            if known is None:
                if self.add(cluster, key, seen, series) is None:
                    self.dropped.append(series)
            else:
                known.id = series

    def _make_room(self, kind: str, clock: int) -> bool:
        partition = kind == PARTITION
        if clock < self._full_until.get(partition, 0):
            return False
        silent = clock - HOUR
        found = heapq.nsmallest(
            max(1, self._most // 100),
            (
                entry
                for entry in self
                if entry.seen <= silent or (not partition and entry.key.kind == PARTITION)
            ),
            key=lambda entry: (entry.key.kind != PARTITION, entry.seen),
        )
        for entry in found:
            self.drop(entry)
        if not found:
            self._full_until[partition] = clock + _AGAIN_MS
        return bool(found)
