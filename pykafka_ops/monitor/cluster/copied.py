"""What mirrors copy of a cluster: where its logs end for readers of committed records, and when
records were written. Filled by the thread that asks the cluster, read by those of others."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pykafka_ops.analysis.lag.rows import end_at
from pykafka_ops.monitor.cluster.answers import Ends, Partition
from pykafka_ops.monitor.cluster.ends import LogEnds

MOST_TIMES: Final = 200
"""Records whose time is read in a round."""
MOST_KEPT: Final = 20_000
"""Partitions of which a time is kept."""


class CopiedLogs:
    """The topics of a cluster that somebody copies. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._topics: dict[tuple[str, str], frozenset[str]] = {}
        self._ends = LogEnds()
        self._wanted: dict[Partition, int] = {}
        self._stamps: dict[Partition, tuple[int, int]] = {}

    @property
    def topics(self) -> frozenset[str]:
        """Those whose ends are asked for."""
        with self._lock:
            return frozenset().union(*self._topics.values())

    def follow(self, link: tuple[str, str], topics: Collection[str]) -> None:
        """What a link (its target, its name) copies; nothing where it is no more."""
        with self._lock:
            if topics:
                self._topics[link] = frozenset(topics)
            else:
                self._topics.pop(link, None)

    def record(self, at: int, ends: Ends) -> None:
        """The ends that a round found, at that time (ms)."""
        if ends:
            with self._lock:
                self._ends.record(at, ends)

    def forget(self, topic: str) -> None:
        """A topic was deleted, or made anew."""
        with self._lock:
            self._ends.forget(topic)
            for place in [p for p in (*self._stamps, *self._wanted) if p[0] == topic]:
                self._stamps.pop(place, None)
                self._wanted.pop(place, None)

    def end(self, topic: str, partition: int, at: int) -> int | None:
        """Where readers of committed records came to the end at a time (ms): between two rounds in
        proportion, behind the last one as it was then. None where the last round did not say."""
        with self._lock:
            if self._ends.latest(topic, partition) is None:
                return None
            samples = self._ends.samples(topic, partition)
        found = end_at(samples, at)
        return samples[0][1] if found is None else found

    def written(self, topic: str, partition: int, offset: int) -> int | None:
        """About when a record was written (ms). One that came before the first round is wanted from
        then on: what was read near it stands for it meanwhile, in proportion to the first end that
        is known."""
        place = topic, partition
        with self._lock:
            found = self._ends.time_of(topic, partition, offset)
            if found is not None:
                self._stamps[place] = offset, found  # for when the round is forgotten
                return found
            self._wanted[place] = offset
            at, stamp = self._stamps.get(place, (offset + 1, 0))
            samples = self._ends.samples(topic, partition)
        if at == offset:
            return stamp
        if at > offset or not samples or samples[0][1] <= offset:
            return None
        first_ms, first_end = samples[0]
        return stamp + round(max(0, first_ms - stamp) * (offset - at) / (first_end - at))

    def times_wanted(self) -> list[tuple[Partition, int]]:
        """Records whose time has to be read; each is named once."""
        with self._lock:
            some = list(self._wanted.items())[:MOST_TIMES]
            self._wanted.clear()
            return [(p, at) for p, at in some if self._stamps.get(p, (-1, 0))[0] != at]

    def learn(self, found: Mapping[tuple[Partition, int], int], mine: Iterable[object]) -> None:
        """Times of records, as they were read; ``mine`` are those that were wanted here."""
        wanted = set(mine)
        with self._lock:
            for (place, offset), stamp in found.items():
                if (place, offset) in wanted:
                    self._stamps.pop(place, None)
                    self._stamps[place] = offset, stamp
            for place in list(self._stamps)[: max(0, len(self._stamps) - MOST_KEPT)]:
                del self._stamps[place]
