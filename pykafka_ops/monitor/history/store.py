"""The history of a monitor: one thread writes, every thread may record and read."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pykafka_ops.errors import PkoError, StorageError, UsageError, internal
from pykafka_ops.monitor.history.catalogue import SeriesEntry
from pykafka_ops.monitor.history.database import file_bytes, is_damage, lock_for, move_aside
from pykafka_ops.monitor.history.file import HistoryFile
from pykafka_ops.monitor.history.memory import OpenHistory
from pykafka_ops.monitor.history.model import (
    MOST_MS,
    HistoryEvent,
    HistoryLimits,
    HistoryPoint,
    HistoryRow,
    Number,
    SeriesKey,
)
from pykafka_ops.monitor.history.reader import MOST_EVENTS_READ, HistoryReader, read_series
from pykafka_ops.monitor.history.upkeep import drop_aged, keep_size, roll

log = logging.getLogger("pko.monitor.history")

_LONGEST_PAUSE_S: Final = 60.0


@dataclass(frozen=True)
class HistoryStatus:
    """The state of the history."""

    trouble: str
    """Why nothing is written, or ""."""
    bytes: int
    series: int
    refused: int
    """Values of new series that were dropped for lack of a place."""
    lost: int
    """Points and events that were dropped while nothing could be written."""


class History:
    """What a monitor records, in the file ``path`` of bounded size.

    ``record`` and ``note`` return at once and raise nothing, whatever the disk does; what they took
    can be read at once. After ``kill -9`` all is there that was taken ``limits.flush_ms`` and one
    transaction before, unless ``status`` has a trouble. After a power cut the file is whole; its
    last seconds may be missing. A time at which a series was recorded twice has the value that came
    last.

    Raises StorageError if another process has the file, UsageError if a later release wrote it.
    """

    def __init__(self, path: Path | str, limits: HistoryLimits | None = None) -> None:
        self.path = Path(path)
        self.limits = limits or HistoryLimits()
        self._memory = OpenHistory(self.limits)
        self._file = HistoryFile(self.path, self._memory, self.limits)
        self._reader = HistoryReader(self.path)
        self._held = lock_for(self.path)
        self._trouble = ""
        self._pause = 0.0
        self._wake = threading.Event()
        self._turn = threading.Condition()
        self._turns = 0
        self._stopping = False
        self._thread: threading.Thread | None = None
        try:
            self._work()
        except BaseException:
            self._unlock()
            raise
        self._thread = threading.Thread(target=self._run, name="pko-history", daemon=True)
        self._thread.start()

    def record(self, cluster: str, at_ms: int, values: Mapping[SeriesKey, Number]) -> None:
        """Keep the values measured at ``at_ms``; absent ones are unknown at that time.

        Whole numbers of 64 bits are kept as they are, others with 24 binary digits; what is not
        finite counts as unknown. Takes about a microsecond a value of the caller's thread.
        """
        self._memory.record(cluster, at_ms, values)

    def read(
        self, cluster: str, key: SeriesKey, from_ms: int, to_ms: int, step_ms: int
    ) -> list[HistoryPoint]:
        """The points of a series from ``from_ms`` up to, not including, ``to_ms``: one for each
        step that has any, from the finest level that is left. Steps begin at multiples of
        ``step_ms``; where only a coarser level is left, they are as long as its."""
        return self.read_many(cluster, [key], from_ms, to_ms, step_ms)[SeriesKey(*key)]

    def read_many(
        self, cluster: str, keys: Iterable[SeriesKey], from_ms: int, to_ms: int, step_ms: int
    ) -> dict[SeriesKey, list[HistoryPoint]]:
        """The points of several series, as of one moment; see :meth:`read`."""
        wanted: dict[SeriesKey, SeriesEntry] = {}
        found: dict[SeriesKey, list[HistoryPoint]] = {}
        with self._memory.lock:
            known = self._memory.catalogue.of(cluster)
            for key in keys:
                found[SeriesKey(*key)] = []
                if key in known:
                    wanted[SeriesKey(*key)] = known[key]
        if wanted:
            found |= read_series(self._reader, self._memory, wanted, (from_ms, to_ms), step_ms)
        return found

    def series(self, cluster: str, kind: str | None = None, prefix: str = "") -> list[SeriesKey]:
        """The series of a cluster whose names begin so, in order."""
        with self._memory.lock:
            known = list(self._memory.catalogue.of(cluster))
        return sorted(
            key for key in known if kind in (None, key.kind) and key.name.startswith(prefix)
        )

    def forget(self, cluster: str, kind: str, name: str) -> None:
        """Drop all series of a topic, group or broker, with all their points."""
        memory = self._memory
        with memory.lock:
            known = list(memory.catalogue.of(cluster).values())
            for entry in known:
                if entry.key.kind == kind and entry.key.name == name:
                    memory.forget(entry)

    def note(
        self, cluster: str, at_ms: int, kind: str, subject: str, text: str, details: object = None
    ) -> None:
        """Add to the timeline; ``details`` is any JSON value."""
        at_ms = min(max(at_ms, 0), MOST_MS)
        self._memory.note(HistoryEvent(0, cluster, at_ms, kind, subject, text, details))

    def events(
        self, cluster: str, from_ms: int, to_ms: int, limit: int = 100, cursor: str = ""
    ) -> tuple[list[HistoryEvent], str]:
        """The newest events first, and the cursor for those behind them, or "".

        Raises UsageError for a cursor that no answer had.
        """
        limit = min(max(limit, 1), MOST_EVENTS_READ)
        before = _position(cursor)
        with self._memory.lock:
            waiting = list(self._memory.events)
        found = {
            event.id: event
            for event in waiting
            if event.cluster == cluster
            and from_ms <= event.at_ms < to_ms
            and (event.at_ms, event.id) < before
        }
        try:
            stored = self._reader.stored_events(cluster, (from_ms, to_ms), limit + 1, before)
        except StorageError:
            stored = []
        found |= {event.id: event for event in stored}
        ordered = sorted(found.values(), key=lambda event: (-event.at_ms, -event.id))
        more = len(ordered) > limit
        last = ordered[limit - 1] if more else None
        return ordered[:limit], f"{last.at_ms}-{last.id}" if last else ""

    def rows(
        self,
        from_ms: int,
        to_ms: int,
        *,
        step_ms: int = 1,
        clusters: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
    ) -> Iterator[HistoryRow]:
        """All points of all series, series by series, without what the last flush interval took.

        Raises StorageError where the file cannot be read.
        """
        return self._reader.rows(from_ms, to_ms, step_ms=step_ms, clusters=clusters, kinds=kinds)

    def status(self) -> HistoryStatus:
        """The state of the history."""
        memory = self._memory
        with memory.lock:
            counts = memory.catalogue.count, memory.catalogue.refused, memory.lost
        return HistoryStatus(self._trouble, file_bytes(self.path), *counts)

    def flush(self, timeout_s: float = 60.0) -> bool:
        """Wait until the file has all recorded values and the writer has nothing left to do; False
        if the time runs out."""
        end = time.monotonic() + timeout_s
        with self._turn:
            wanted = self._turns + 2  # the current turn may have missed it
            while self._turns < wanted or (self._memory.waiting() and not self._trouble):
                self._wake.set()
                left = end - time.monotonic()
                if left <= 0 or not self._turn.wait(left):
                    return False
        return not self._trouble

    def close(self) -> None:
        """Write what is left and close the file."""
        self._memory.close_hours()
        self._stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        self._reader.close()
        self._file.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(max(self.limits.flush_ms / 1000, self._pause))
            self._wake.clear()
            self._work()
            with self._turn:
                self._turns += 1
                self._turn.notify_all()
        self._work()

    def _work(self) -> None:
        """Write all there is to write."""
        try:
            if self._held < 0:
                self._held = lock_for(self.path)
            while self._step():
                pass
        except Exception as error:
            self._file.close()
            self._failed(error)
        else:
            if self._trouble:
                log.warning("writing %s again; %d values were lost", self.path, self._memory.lost)
            self._trouble, self._pause = "", 0.0

    def _failed(self, error: Exception) -> None:
        """Log the error and try again later; at the start, raise it."""
        if isinstance(error, PkoError) and self._thread is None:
            raise error
        if isinstance(error, sqlite3.Error) and is_damage(error) and self._begin_anew(error):
            return
        known = isinstance(error, sqlite3.Error | PkoError | OSError)
        self._worry(str(error) if known else internal(error))

    def _step(self) -> bool:
        file = self._file
        return (
            file.write_rounds()
            or file.write_hour()
            or keep_size(file)
            or roll(file)
            or drop_aged(file)
        )

    def _begin_anew(self, error: sqlite3.Error) -> bool:
        try:
            aside = move_aside(self.path)
        except OSError:
            return False
        self._reader.close()
        log.warning(
            "%s is damaged (%s): kept it as %s, starting a new history", self.path, error, aside
        )
        self._wake.set()
        return True

    def _worry(self, text: str) -> None:
        if not self._trouble:
            log.warning("%s: %s: monitoring continues without history", self.path, text)
        self._trouble = text
        self._pause = min(max(self._pause * 2, 1.0), _LONGEST_PAUSE_S)


def _position(cursor: str) -> tuple[int, int]:
    """Time and id of a cursor."""
    if not cursor:
        return 1 << 62, 0
    at_ms, _, event = cursor.partition("-")
    if not (at_ms.isdecimal() and event.isdecimal() and len(cursor) < 40):
        raise UsageError(f"{cursor[:40]!r} is no cursor: leave it out to begin with the newest")
    return int(at_ms), int(event)
