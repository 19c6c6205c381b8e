"""What is not in the file yet. Any thread may call any method."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from pykafka_ops.monitor.history.catalogue import Catalogue, SeriesEntry
from pykafka_ops.monitor.history.codec import OpenSegments, plain
from pykafka_ops.monitor.history.model import (
    HOUR,
    MOST_MS,
    HistoryEvent,
    HistoryLimits,
    Number,
    SeriesKey,
)

MOST_POINTS = 4 << 20
"""Of the open hour: a start after a kill reads as many again."""
MOST_PENDING = 1 << 19
"""Values that wait for the journal; with more, the writer writes the open hours instead."""
MOST_EVENTS = 10_000
_AT_ONCE = 2000
_COST = 330
"""Bytes of a series in the open hour, apart from its points."""

Values = list[tuple[SeriesEntry, Number]]


class OpenHour:
    """The points of one cluster in one hour."""

    def __init__(self, cluster: str, hour: int) -> None:
        self.cluster = cluster
        self.hour = hour
        self.segments: dict[SeriesEntry, OpenSegments] = {}
        self.points = 0
        self.bytes = 0
        self.journalled = 0
        """The last row of the journal with points of it."""

    def append(self, entry: SeriesEntry, at_ms: int, value: Number) -> None:
        """One more point."""
        segments = self.segments.get(entry)
        if segments is None:
            segments = self.segments[entry] = OpenSegments()
        self.bytes += segments.add(at_ms, value)
        self.points += 1


class Round(NamedTuple):
    """Values at one time, for the journal; a large round comes in parts."""

    hour: OpenHour
    at_ms: int
    values: Values


class OpenHistory:
    """Series, the open hours, and what the writer has not written."""

    def __init__(self, limits: HistoryLimits) -> None:
        self._limits = limits
        self.lock = threading.RLock()
        self.catalogue = Catalogue(limits.max_series)
        self.clock = 0
        """Milliseconds that were recorded; of a gap an hour at most."""
        self.last_ms = -1
        """The time of the last record, or -1."""
        self._open: dict[str, OpenHour] = {}
        self.closing: deque[OpenHour] = deque()
        """Hours to write, the oldest first."""
        self.rounds: deque[Round] = deque()
        self.events: deque[HistoryEvent] = deque()
        self._journal_points = 0
        self.lost = 0
        """Points and events that were dropped because the file could not be written."""
        self.next_event = 1

    def record(self, cluster: str, at_ms: int, values: Mapping[SeriesKey, Number]) -> None:
        """Take values into memory."""
        if not 0 <= at_ms < MOST_MS:
            self.lost += len(values)
            return
        with self.lock:
            if self.last_ms >= 0:
                self.clock += min(max(at_ms - self.last_ms, 0), HOUR)
            self.last_ms = at_ms
        some = iter(values.items())
        while self._take(cluster, at_ms, some):
            pass

    def _take(self, cluster: str, at_ms: int, some: Iterator[tuple[SeriesKey, Number]]) -> bool:
        """A part of the values, so that others get the lock; whether there are more."""
        taken: Values = []
        with self.lock:
            hour = self._hour(cluster, at_ms)
            known, clock = self.catalogue.of(cluster), self.clock
            more = False
            for index, (key, value) in enumerate(islice(some, _AT_ONCE), 1):
                more = index == _AT_ONCE
                kept = plain(value)
                if kept is None:
                    continue
                entry = known.get(key) or self.catalogue.add(cluster, SeriesKey(*key), clock)
                if entry is None:
                    continue
                entry.seen = clock
                hour.append(entry, at_ms, kept)
                taken.append((entry, kept))
            if taken:
                self.rounds.append(Round(hour, at_ms, taken))
                self._journal_points += len(taken)
                self._keep_small()
            return more

    def _hour(self, cluster: str, at_ms: int) -> OpenHour:
        found = self._open.get(cluster)
        start = at_ms - at_ms % HOUR
        if found is None or found.hour != start or found.points > MOST_POINTS:
            if found is not None:
                self.closing.append(found)
            found = self._open[cluster] = OpenHour(cluster, start)
        return found

    @staticmethod
    def replay(
        hours: dict[tuple[str, int], OpenHour],
        cluster: str,
        seq: int,
        recorded: tuple[int, Values],
    ) -> None:
        """Add a row of the journal of a file to its hour."""
        at_ms, values = recorded
        start = at_ms - at_ms % HOUR
        hour = hours.setdefault((cluster, start), OpenHour(cluster, start))
        hour.journalled = seq
        for entry, value in values:
            hour.append(entry, at_ms, value)

    def _keep_small(self) -> None:
        """Hand the open hours to the writer when they take too much memory; drop hours that the
        writer cannot write."""
        size = sum(hour.bytes for hour in self._open.values())
        if size > self._limits.memory_bytes:
            self.close_hours()
        most = self._limits.memory_bytes * 2 + self._limits.max_series * _COST
        while len(self.closing) > 1 and most < sum(
            hour.bytes + len(hour.segments) * _COST for hour in self.closing
        ):
            self.lost += self.closing.popleft().points
        if self._journal_points > MOST_PENDING or len(self.rounds) > MOST_EVENTS:
            self.forget_rounds()
            self.close_hours()

    def forget_rounds(self) -> None:
        """Drop values that wait for the journal: the hours have the same points."""
        self.rounds.clear()
        self._journal_points = 0

    def close_hours(self) -> None:
        """Hand all open hours to the writer."""
        with self.lock:
            self.closing.extend(hour for hour in self._open.values() if hour.segments)
            self._open.clear()

    def take_rounds(self, most: int) -> list[Round]:
        """The oldest rounds to write; :meth:`rounds_written` removes them."""
        with self.lock:
            return [self.rounds[index] for index in range(min(most, len(self.rounds)))]

    def rounds_written(self, written: Iterable[tuple[Round, int]]) -> None:
        """These are in the journal, with their numbers there."""
        with self.lock:
            for round_, seq in written:
                if self.rounds and self.rounds[0] is round_:
                    self.rounds.popleft()
                    self._journal_points -= len(round_.values)
                round_.hour.journalled = seq

    def segments(self, entry: SeriesEntry) -> list[tuple[int, bytes]]:
        """The hours of a series that are not in the file, in the order of recording."""
        with self.lock:
            hours = [*self.closing]
            if entry.cluster in self._open:
                hours.append(self._open[entry.cluster])
            return [
                (hour.hour, found.encoded())
                for hour in hours
                if hour.cluster == entry.cluster and (found := hour.segments.get(entry))
            ]

    def forget(self, entry: SeriesEntry) -> None:
        """Drop a series and its points."""
        with self.lock:
            self.catalogue.drop(entry)
            for hour in (*self.closing, *self._open.values()):
                hour.segments.pop(entry, None)

    def note(self, event: HistoryEvent) -> None:
        """Add an event, and give it an id."""
        with self.lock:
            self.events.append(event._replace(id=self.next_event))
            self.next_event += 1
            if len(self.events) > MOST_EVENTS:
                self.events.popleft()
                self.lost += 1

    def take_events(self) -> list[HistoryEvent]:
        """The events to write; :meth:`events_written` removes them."""
        with self.lock:
            return list(self.events)

    def events_written(self, written: list[HistoryEvent]) -> None:
        """These are in the file."""
        last = written[-1].id if written else 0
        with self.lock:
            while self.events and self.events[0].id <= last:
                self.events.popleft()

    def renumber_events(self, first: int) -> None:
        """Give waiting events new ids from ``first`` on, for another file."""
        self.next_event = first
        waiting = list(self.events)
        self.events.clear()
        for event in waiting:
            self.note(event)

    def take_dropped(self) -> list[int]:
        """Ids of dropped series."""
        with self.lock:
            dropped, self.catalogue.dropped = self.catalogue.dropped, []
            return dropped

    def give_back(self, dropped: list[int]) -> None:
        """Take ids back that could not be deleted from the file."""
        with self.lock:
            self.catalogue.dropped.extend(dropped)

    def drop_silent(self, before: int) -> None:
        """Forget series that were last seen before the clock stood at ``before``."""
        with self.lock:
            for entry in [each for each in self.catalogue if each.seen < before]:
                self.forget(entry)

    def first_closing(self) -> OpenHour | None:
        """The hour to write first."""
        with self.lock:
            return self.closing[0] if self.closing else None

    def hour_written(self, hour: OpenHour) -> None:
        """All of it is in the file."""
        with self.lock:
            if hour in self.closing:
                self.closing.remove(hour)

    def is_past(self, cluster: str, hour: int) -> bool:
        """Whether a cluster records another hour now, and has nothing of ``hour`` in memory."""
        with self.lock:
            found = self._open.get(cluster)
            return (
                found is not None
                and found.hour != hour
                and not any(e.cluster == cluster and e.hour == hour for e in self.closing)
            )

    def is_open(self) -> bool:
        """Whether an hour is open."""
        return bool(self._open)

    def waiting(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.rounds or self.events or self.closing or self.catalogue.dropped)
