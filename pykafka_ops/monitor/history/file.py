"""The writer's changes to the file, one transaction at a time. Only its thread calls this."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.history.catalogue import SeriesEntry
from pykafka_ops.monitor.history.codec import decode_round, encode_round
from pykafka_ops.monitor.history.database import (
    is_file_of,
    name_bytes,
    open_database,
    series_key,
)
from pykafka_ops.monitor.history.memory import OpenHistory, OpenHour, Round
from pykafka_ops.monitor.history.model import PERIODS, RAW, HistoryLimits, HistoryPoint

log = logging.getLogger("pko.monitor.history")

ADD_CHUNK = (
    "INSERT INTO chunks VALUES (?, ?, ?)"
    " ON CONFLICT (period, series) DO UPDATE SET data = CAST(data || excluded.data AS BLOB)"
)
_ROUNDS = 64
_SERIES = 2000


def as_text(words: str) -> str:
    """The text as SQLite accepts it."""
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


class HistoryFile:
    """The file and its one writer. Every method raises sqlite3.Error and changes nothing then."""

    def __init__(self, path: Path, memory: OpenHistory, limits: HistoryLimits) -> None:
        self.path = path
        self.memory = memory
        self.limits = limits
        self.slack = min(limits.max_bytes // 4, 16 << 20)
        """Bytes of the bound for what SQLite keeps beside the file."""
        self.event_bytes = 0
        self._db: sqlite3.Connection | None = None
        self._inode = 0
        self._instance = 0
        self._next_series = 1
        self._next_row = 1
        self._clusters: dict[str, int] = {}
        self._fresh: list[SeriesEntry] = []
        self._closing: tuple[OpenHour, list[SeriesEntry]] | None = None

    @property
    def db(self) -> sqlite3.Connection:
        """The connection; it is opened where it is not, or where its file has lost its name."""
        if self._db is not None and not is_file_of(self.path, self._inode):
            log.warning("%s was removed: starting a new history", self.path)
            self.close()
        if self._db is None:
            self._open()
        assert self._db is not None
        return self._db

    def close(self) -> None:
        """Close the file."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def _open(self) -> None:
        db = open_database(self.path)
        try:
            self._inode = os.stat(self.path).st_ino
            db.execute(f"PRAGMA wal_autocheckpoint = {max(16, self.slack >> 14)}")
            db.execute(f"PRAGMA journal_size_limit = {self.slack >> 1}")
            meta = dict(db.execute("SELECT key, value FROM meta"))
            if meta["instance"] != self._instance:
                self._load(db, meta)
                self._instance = meta["instance"]
        except BaseException:
            db.close()
            raise
        self._db = db

    def _load(self, db: sqlite3.Connection, meta: dict[str, int]) -> None:
        """Take over the content of another file than before."""
        memory = self.memory
        with memory.lock:
            memory.close_hours()
            memory.forget_rounds()
            memory.clock = max(memory.clock, meta.get("clock", 0))
            if memory.last_ms < 0:
                memory.last_ms = meta.get("last_ms", -1)
            names = dict(db.execute("SELECT id, name FROM clusters"))
            self._clusters = {name: cluster for cluster, name in names.items()}
            rows = db.execute("SELECT id, cluster, kind, name, fact, seen FROM series").fetchall()
            memory.catalogue.adopt(
                (row[0], names.get(row[1], ""), series_key(*row[2:5]), row[5]) for row in rows
            )
            self._next_series = meta.get("next_series", 1)
            (last_event, size) = db.execute(
                "SELECT max(id), sum(length(subject) + length(text) + length(details) + 64)"
                " FROM events"
            ).fetchone()
            self.event_bytes = size or 0
            memory.renumber_events((last_event or 0) + 1)
            self._closing = None
            self._replay(db, names)

    def _replay(self, db: sqlite3.Connection, names: dict[int, str]) -> None:
        """The hours of the journal, as they were before the process ended."""
        by_id = {entry.id: entry for entry in self.memory.catalogue if entry.id}
        hours: dict[tuple[str, int], OpenHour] = {}
        self._next_row = 1
        for seq, cluster, data in db.execute("SELECT seq, cluster, data FROM journal ORDER BY seq"):
            self._next_row = seq + 1
            try:
                at_ms, values = decode_round(data)
            except CorruptError as error:
                log.warning("%s: skipping row %d of the journal: %s", self.path, seq, error)
                continue
            known = [(by_id[series], value) for series, value in values if series in by_id]
            self.memory.replay(hours, names.get(cluster, ""), seq, (at_ms, known))
        self.memory.closing.extendleft(reversed(hours.values()))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the block or nothing."""
        db = self.db
        db.execute("BEGIN IMMEDIATE")
        clusters = dict(self._clusters)
        try:
            yield db
            memory = self.memory
            db.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                (
                    ("clock", memory.clock),
                    ("last_ms", memory.last_ms),
                    ("next_series", self._next_series),
                ),
            )
            db.execute("COMMIT")
        except BaseException:
            self._clusters = clusters
            for entry in self._fresh:
                entry.id = 0
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        finally:
            self._fresh.clear()

    def cluster(self, db: sqlite3.Connection, name: str) -> int:
        """The number of a cluster in the file."""
        found = self._clusters.get(name)
        if found is None:
            found = max(self._clusters.values(), default=0) + 1
            db.execute("INSERT INTO clusters VALUES (?, ?)", (found, as_text(name)))
            self._clusters[name] = found
        return found

    def _series(self, db: sqlite3.Connection, entry: SeriesEntry) -> int:
        if not entry.id:
            entry.id = self._next_series
            self._next_series += 1
            self._fresh.append(entry)
            kind, name, fact = entry.key
            db.execute(
                "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    self.cluster(db, entry.cluster),
                    as_text(kind),
                    name_bytes(name),
                    as_text(fact),
                    entry.seen,
                ),
            )
        return entry.id

    def write_rounds(self) -> bool:
        """Append recorded values and events to the journal; return whether there were any."""
        memory = self.memory
        rounds, events = memory.take_rounds(_ROUNDS), memory.take_events()
        dropped = memory.take_dropped()
        if not rounds and not events and not dropped:
            return False
        written: list[tuple[Round, int]] = []
        try:
            with self.transaction() as db:
                self._delete(db, dropped)
                for seq, round_ in enumerate(rounds, self._next_row):
                    ids = [(self._series(db, e), value) for e, value in round_.values if not e.gone]
                    row = (seq, self.cluster(db, round_.hour.cluster), round_.hour.hour)
                    data = encode_round(round_.at_ms, ids)
                    db.execute("INSERT INTO journal VALUES (?, ?, ?, ?)", (*row, data))
                    written.append((round_, seq))
                for event in events:
                    details = json.dumps(event.details, default=str)
                    words = (as_text(event.subject), as_text(event.text), details)
                    row4 = (event.id, as_text(event.cluster), event.at_ms, as_text(event.kind))
                    db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (*row4, *words))
                    self.event_bytes += sum(map(len, words)) + 64
        except BaseException:
            memory.give_back(dropped)
            raise
        self._next_row += len(rounds)
        memory.rounds_written(written)
        memory.events_written(events)
        return True

    @staticmethod
    def _delete(db: sqlite3.Connection, dropped: Iterable[int]) -> None:
        periods = [row[0] for row in db.execute("SELECT id FROM periods")] if dropped else []
        for series in dropped:
            db.execute("DELETE FROM series WHERE id = ?", (series,))
            db.executemany(
                "DELETE FROM chunks WHERE period = ? AND series = ?",
                ((period, series) for period in periods),
            )

    def write_hour(self) -> bool:
        """Move a part of the oldest closed hour to its place; return whether there was one."""
        if self._closing is None:
            hour = self.memory.first_closing()
            if hour is None:
                return False
            self._closing = hour, list(hour.segments)
        hour, entries = self._closing
        done = size = 0
        with self.transaction() as db:
            period = self.period(db, self.cluster(db, hour.cluster), RAW, hour.hour)
            for entry in entries[:_SERIES]:
                if size > self.slack >> 2:
                    break
                done += 1
                segments = hour.segments.get(entry)
                if entry.gone or segments is None:
                    continue
                data, series = segments.encoded(), self._series(db, entry)
                db.execute(ADD_CHUNK, (period, series, data))
                db.execute("UPDATE series SET seen = ? WHERE id = ?", (entry.seen, series))
                size += len(data)
            self.grown(db, period, size, rolled=0)
            if done == len(entries):
                db.execute(
                    "DELETE FROM journal WHERE cluster = ? AND hour = ? AND seq <= ?",
                    (self.cluster(db, hour.cluster), hour.hour, hour.journalled),
                )
        if done == len(entries):
            self._closing = None
            self.memory.hour_written(hour)
        else:
            self._closing = hour, entries[done:]
        return True

    def period(self, db: sqlite3.Connection, cluster: int, level: int, at_ms: int) -> int:
        """The id of the period of a level that contains ``at_ms``; creates the period if needed."""
        start = at_ms - at_ms % PERIODS[level]
        found = db.execute(
            "SELECT id FROM periods WHERE cluster = ? AND level = ? AND start_ms = ?",
            (cluster, level, start),
        ).fetchone()
        if found is not None:
            return int(found[0])
        made = db.execute(
            "INSERT INTO periods (cluster, level, start_ms, stamp, bytes) VALUES (?, ?, ?, 0, 0)",
            (cluster, level, start),
        ).lastrowid
        assert made is not None
        return made

    def grown(
        self, db: sqlite3.Connection, period: int, size: int, *, rolled: int | None = None
    ) -> None:
        """Count what was added to a period, and note the time."""
        db.execute(
            "UPDATE periods SET stamp = ?, bytes = bytes + ?, rolled = ? WHERE id = ?",
            (self.memory.clock, size, rolled, period),
        )

    def drop_period(self, db: sqlite3.Connection, period: int) -> None:
        """Delete a period and all in it."""
        db.execute("DELETE FROM chunks WHERE period = ?", (period,))
        db.execute("DELETE FROM periods WHERE id = ?", (period,))


def newest_wins(points: Iterable[HistoryPoint]) -> list[HistoryPoint]:
    """Points in the order of time; of several at one time, the last recorded one."""
    by_time = {point.at_ms: point for point in points}
    return [by_time[at_ms] for at_ms in sorted(by_time)]
