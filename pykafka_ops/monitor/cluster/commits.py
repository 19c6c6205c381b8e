"""The last commits of every partition of every group, in few bytes each.

A million partitions (10,000 groups of 100) are 145 MB: arrays for each topic of a group, no object
for a partition or a commit.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Final

from pykafka_ops.analysis.commits.burrow import WINDOW, Commit
from pykafka_ops.monitor.cluster.near_numbers import NearNumbers

NONE: Final = -1
"""Nothing is committed, or it was deleted."""
_NO_LAG: Final = 0
"""How far behind a commit was is kept plus 1; this stands for not known."""
_MOST_PARTITIONS: Final = 1 << 20
"""Partitions of a topic that a commit may name: its number comes from a record."""
_MOST_TIME: Final = 1 << 62
"""Beyond any clock; a record may say what it likes."""


class TopicCommits:
    """What a group has committed of one topic.

    ``committed`` holds the offset by partition, ``NONE`` where there is none.
    """

    __slots__ = ("_counts", "_lags", "_offsets", "_times", "committed")

    def __init__(self) -> None:
        self.committed = array("q")
        self._counts = array("B")  # commits ever: the next one's place in the ring follows
        self._times = NearNumbers(WINDOW)
        self._offsets = NearNumbers(WINDOW)
        self._lags = array("I")

    def partitions(self) -> Iterator[int]:
        """The partitions that have an offset."""
        return (number for number, offset in enumerate(self.committed) if offset >= 0)

    def put(self, partition: int, offset: int) -> None:
        """The committed offset, of which the time is not known."""
        self._grow(partition)
        self.committed[partition] = offset

    def add(self, partition: int, time: int, offset: int, lag: int | None) -> None:
        """A commit at ``time`` (ms), ``lag`` records behind the end then (None: not known).

        Offset -1: it was deleted, and with it all that came before.
        """
        self._grow(partition)
        self.committed[partition] = offset
        if offset < 0:
            self._counts[partition] = 0
            return
        count = self._counts[partition]
        place = count % WINDOW
        time = min(max(time, -1), _MOST_TIME)
        if count:
            used = range(min(count, WINDOW))
            self._times.put(partition, place, time, used)
            self._offsets.put(partition, place, offset, used)
        else:
            self._times.begin(partition, time)
            self._offsets.begin(partition, offset)
        self._set_lag(partition * WINDOW + place, lag)
        self._counts[partition] = count + 1 if count < 2 * WINDOW else count - WINDOW + 1

    def ring(self, partition: int) -> list[Commit]:
        """The last commits, in order of the log; [] where there are none."""
        if partition >= len(self._counts):
            return []
        count = self._counts[partition]
        return [self._commit(partition, n % WINDOW) for n in range(max(0, count - WINDOW), count)]

    def rate(self, partition: int) -> float | None:
        """Records per second between the first and the last commit that are kept: as
        ``burrow.rate`` has it, without an object for each."""
        count = self._counts[partition]
        if count < 2:
            return None
        first, last = max(0, count - WINDOW) % WINDOW, (count - 1) % WINDOW
        times, offsets = self._times, self._offsets
        span = times.get(partition, last) - times.get(partition, first)
        read = offsets.get(partition, last) - offsets.get(partition, first)
        return read * 1000 / span if span > 0 else None

    def last_time(self, partition: int) -> int | None:
        """When the last commit came (ms)."""
        if partition >= len(self._counts) or not self._counts[partition]:
            return None
        return self._times.get(partition, (self._counts[partition] - 1) % WINDOW)

    def _commit(self, partition: int, place: int) -> Commit:
        lag = self._lags[partition * WINDOW + place]
        known = None if lag == _NO_LAG else lag - 1
        return Commit(self._times.get(partition, place), self._offsets.get(partition, place), known)

    def _set_lag(self, place: int, lag: int | None) -> None:
        value = _NO_LAG if lag is None else max(0, lag) + 1
        try:
            self._lags[place] = value
        except OverflowError:  # beyond four billion records: rare enough to pay for then
            self._lags = array("Q", self._lags)
            self._lags[place] = value

    def _grow(self, partition: int) -> None:
        missing = partition + 1 - len(self.committed)
        if missing <= 0:
            return
        self.committed.extend([NONE] * missing)
        self._times.grow(missing)
        self._offsets.grow(missing)
        for field, each in ((self._counts, 1), (self._lags, WINDOW)):
            field.frombytes(bytes(field.itemsize * each * missing))


class CommitStore:
    """Groups, their topics, what they committed."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, TopicCommits]] = {}

    def __contains__(self, group: str) -> bool:
        return group in self._groups

    def groups(self) -> Iterable[str]:
        """The groups that have committed something."""
        return self._groups.keys()

    def topics(self, group: str) -> dict[str, TopicCommits]:
        """What a group has committed, by topic; {} for an unknown one."""
        return self._groups.get(group, {})

    def add(self, group: str, topic: str, partition: int, commit: Commit) -> None:
        """A commit, or with offset -1 its deletion. A number that no partition has is left out."""
        if 0 <= partition < _MOST_PARTITIONS:
            self._of(group, topic).add(partition, *commit)

    def put(self, group: str, offsets: Iterable[tuple[tuple[str, int], int]]) -> None:
        """The offsets that a group has committed, all of them: others are no longer there."""
        known = self._groups.get(group, {})
        left = {(name, n) for name, topic in known.items() for n in topic.partitions()}
        for (topic, partition), offset in offsets:
            if 0 <= partition < _MOST_PARTITIONS:
                self._of(group, topic).put(partition, offset)
            left.discard((topic, partition))
        for topic, partition in left:
            known[topic].put(partition, NONE)

    def forget(self, group: str, topic: str | None = None) -> bool:
        """Drop a group, or one topic of it, and the group with its last; whether it was there."""
        if topic is None:
            return self._groups.pop(group, None) is not None
        found = self._groups.get(group, {}).pop(topic, None) is not None
        if found and not self._groups[group]:
            del self._groups[group]
        return found

    def _of(self, group: str, topic: str) -> TopicCommits:
        topics = self._groups.setdefault(group, {})
        found = topics.get(topic)
        if found is None:
            found = topics[topic] = TopicCommits()
        return found
