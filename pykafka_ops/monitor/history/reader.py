"""Reads the file, also while another process writes it."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from pykafka_ops.errors import CorruptError, StorageError
from pykafka_ops.monitor.history.catalogue import SeriesEntry
from pykafka_ops.monitor.history.codec import decode, decode_round
from pykafka_ops.monitor.history.database import open_to_read, series_key
from pykafka_ops.monitor.history.file import newest_wins
from pykafka_ops.monitor.history.memory import OpenHistory, OpenHour
from pykafka_ops.monitor.history.model import (
    HOUR,
    HOURS,
    MINUTES,
    PERIODS,
    RAW,
    STEPS,
    HistoryEvent,
    HistoryPoint,
    HistoryRow,
    SeriesKey,
    fold,
)

log = logging.getLogger("pko.monitor.history")

MOST_EVENTS_READ = 1000
_KEPT_CONNECTIONS = 4
Segments = Sequence[tuple[int, bytes]]
"""Hours and their raw segments, in the order of recording."""


class Sources:
    """Which rows of the file answer for a time, of one cluster."""

    def __init__(self, rows: Iterable[tuple[int, int, int, bool]], wanted: int) -> None:
        """``rows``: id, level, start, whether it is rolled up; ``wanted``: the coarsest level."""
        self._wanted = wanted
        self.periods: list[dict[int, int]] = [{}, {}, {}]
        self._pending: set[int] = set()
        for period, level, start, done in rows:
            self.periods[level][start] = period
            if level == RAW and not done:
                self._pending.add(start)

    def level(self, at_ms: int, open_hours: Collection[int]) -> int:
        """The level to read for the hour of ``at_ms``: the wanted one; a finer one where it is not
        rolled up yet; a coarser one where finer ones were dropped."""
        hour = at_ms - at_ms % HOUR
        if hour in open_hours or hour in self._pending:
            return RAW
        for level in range(self._wanted, HOURS):
            if at_ms - at_ms % PERIODS[level] in self.periods[level]:
                return level
        return HOURS


def coarsest(step_ms: int) -> int:
    """The level whose points make steps of this size."""
    if step_ms % STEPS[HOURS] == 0:
        return HOURS
    return MINUTES if step_ms % STEPS[MINUTES] == 0 else RAW


class HistoryReader:
    """Reads a history, each call as it is at one moment. May be used by several threads.

    Raises StorageError where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[sqlite3.Connection] = []

    def close(self) -> None:
        """Close the file."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A snapshot of the file."""
        db = None
        try:
            db = self._idle.pop() if self._idle else open_to_read(self.path)
            db.execute("BEGIN")
            yield db
            db.execute("COMMIT")
        except sqlite3.Error as error:
            if db is not None:
                db.close()
            raise StorageError(f"cannot read {self.path}: {error}") from error
        except BaseException:
            if db is not None:
                db.close()
            raise
        if len(self._idle) < _KEPT_CONNECTIONS:
            self._idle.append(db)
        else:
            db.close()

    def points(
        self,
        db: sqlite3.Connection,
        entry: SeriesEntry,
        times: tuple[int, int],
        step_ms: int,
        open_segments: Segments,
    ) -> list[HistoryPoint]:
        """The points of a series from the first time up to, not including, the second one."""
        from_ms, to_ms = times
        rows = db.execute(
            "SELECT p.id, p.level, p.start_ms, p.rolled IS NULL FROM periods p"
            " JOIN clusters c ON c.id = p.cluster WHERE c.name = ?",
            (entry.cluster,),
        )
        sources = Sources(rows.fetchall(), coarsest(step_ms))
        open_hours = {hour for hour, _ in open_segments}
        found: list[HistoryPoint] = []
        for level in (HOURS, MINUTES, RAW):
            # A step of a coarser level that began before from_ms ends after it.
            first = from_ms - from_ms % STEPS[level]
            for start, period in sources.periods[level].items():
                if not entry.id or start >= to_ms or start + PERIODS[level] <= first:
                    continue
                found += (
                    point
                    for point in self._stored(db, period, entry.id, level)
                    if first <= point.at_ms < to_ms
                    and sources.level(point.at_ms, open_hours) == level
                )
        for _, data in open_segments:
            found += (p for p in decode(data, STEPS[RAW]) if from_ms <= p.at_ms < to_ms)
        return list(fold(newest_wins(found), max(step_ms, 1)))

    def _stored(
        self, db: sqlite3.Connection, period: int, series: int, level: int
    ) -> list[HistoryPoint]:
        row = db.execute(
            "SELECT data FROM chunks WHERE period = ? AND series = ?", (period, series)
        ).fetchone()
        try:
            return list(decode(row[0], STEPS[level])) if row else []
        except CorruptError as error:
            log.warning("%s: skipping a part of series %d: %s", self.path, series, error)
            return []

    def stored_series(
        self, db: sqlite3.Connection, clusters: Collection[str] | None
    ) -> list[SeriesEntry]:
        """The series of the file, of some clusters or all."""
        rows = db.execute(
            "SELECT s.id, c.name, s.kind, s.name, s.fact, s.seen FROM series s"
            " JOIN clusters c ON c.id = s.cluster ORDER BY c.name, s.kind, s.name, s.fact"
        ).fetchall()
        return [
            SeriesEntry(row[1], series_key(*row[2:5]), row[5], row[0])
            for row in rows
            if clusters is None or row[1] in clusters
        ]

    def stored_events(
        self, cluster: str, times: tuple[int, int], limit: int, before: tuple[int, int]
    ) -> list[HistoryEvent]:
        """Events of the file, the newest first, before a time and id."""
        with self.connection() as db:
            rows = db.execute(
                "SELECT id, cluster, at_ms, kind, subject, text, details FROM events"
                " WHERE cluster = ? AND at_ms >= ? AND at_ms < ? AND (at_ms, id) < (?, ?)"
                " ORDER BY at_ms DESC, id DESC LIMIT ?",
                (cluster, *times, *before, limit),
            ).fetchall()
        return [
            HistoryEvent(event, name, at_ms, kind, subject, text, json.loads(details))
            for event, name, at_ms, kind, subject, text, details in rows
        ]

    def journal(
        self, db: sqlite3.Connection, entries: Iterable[SeriesEntry]
    ) -> dict[tuple[str, int], OpenHour]:
        """The hours that are only in the journal, by cluster and start."""
        by_id = {entry.id: entry for entry in entries}
        names = dict(db.execute("SELECT id, name FROM clusters"))
        hours: dict[tuple[str, int], OpenHour] = {}
        for seq, cluster, data in db.execute("SELECT seq, cluster, data FROM journal ORDER BY seq"):
            try:
                at_ms, values = decode_round(data)
            except CorruptError as error:
                log.warning("%s: skipping row %d of the journal: %s", self.path, seq, error)
                continue
            known = [(by_id[series], value) for series, value in values if series in by_id]
            OpenHistory.replay(hours, names[cluster], seq, (at_ms, known))
        return hours

    def rows(
        self,
        from_ms: int,
        to_ms: int,
        *,
        step_ms: int = 1,
        clusters: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
    ) -> Iterator[HistoryRow]:
        """Every point of every series of the file and its journal, series by series; another
        process may write meanwhile."""
        with self.connection() as db:
            entries = self.stored_series(db, clusters)
            hours = self.journal(db, entries)
            for entry in entries:
                if kinds is not None and entry.key.kind not in kinds:
                    continue
                opened = [
                    (start, found.encoded())
                    for (cluster, start), hour in hours.items()
                    if cluster == entry.cluster and (found := hour.segments.get(entry))
                ]
                for point in self.points(db, entry, (from_ms, to_ms), step_ms, opened):
                    yield HistoryRow(entry.cluster, entry.key, point)


def read_series(
    reader: HistoryReader,
    memory: OpenHistory,
    wanted: Mapping[SeriesKey, SeriesEntry],
    times: tuple[int, int],
    step_ms: int,
) -> dict[SeriesKey, list[HistoryPoint]]:
    """What memory and the file have of series, or memory alone while the file cannot be read."""
    # Memory first: what goes into the file meanwhile is found twice, not lost.
    opened = {key: memory.segments(entry) for key, entry in wanted.items()}
    try:
        with reader.connection() as db:
            return {
                key: reader.points(db, entry, times, step_ms, opened[key])
                for key, entry in wanted.items()
            }
    except StorageError:
        return {
            key: list(
                fold(
                    newest_wins(
                        point
                        for _, data in segments
                        for point in decode(data, STEPS[RAW])
                        if times[0] <= point.at_ms < times[1]
                    ),
                    max(step_ms, 1),
                )
            )
            for key, segments in opened.items()
        }
