"""Roll-ups, ages, and the bound on bytes: the writer's work when all values are written."""

from __future__ import annotations

import logging
import sqlite3
from typing import Final

from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.history.codec import decode, encode_rolled
from pykafka_ops.monitor.history.database import file_bytes
from pykafka_ops.monitor.history.file import ADD_CHUNK, HistoryFile, newest_wins
from pykafka_ops.monitor.history.model import HOUR, HOURS, MINUTES, RAW, STEPS, fold

log = logging.getLogger("pko.monitor.history")

SHARES: Final = {RAW: 0.5, MINUTES: 0.25, HOURS: 0.15, None: 0.1}
"""Shares of the bytes, by level; None: events. The level furthest over its share drops its oldest
period."""
_SERIES = 500
_EVENTS = 1000
_PAGES = 512


def roll(file: HistoryFile) -> bool:
    """Roll up a part of an hour that has ended; return whether there was one."""
    db = file.db
    clock = file.memory.clock
    waiting = db.execute(
        "SELECT p.id, c.name, p.cluster, p.start_ms, p.rolled, p.stamp FROM periods p"
        " JOIN clusters c ON c.id = p.cluster"
        " WHERE p.level = 0 AND p.rolled IS NOT NULL ORDER BY p.stamp"
    ).fetchall()
    for period, name, cluster, start, rolled, stamp in waiting:
        if file.memory.is_past(name, start) or stamp <= clock - HOUR:
            _roll(file, cluster, period, start, rolled)
            return True
    return False


def _roll(file: HistoryFile, cluster: int, period: int, start: int, first: int) -> None:
    sizes = {MINUTES: 0, HOURS: 0}
    with file.transaction() as db:
        targets = {level: file.period(db, cluster, level, start) for level in sizes}
        rows = db.execute(
            "SELECT series, data FROM chunks WHERE period = ? AND series >= ?"
            " ORDER BY series LIMIT ?",
            (period, first, _SERIES),
        ).fetchall()
        for series, data in rows:
            try:
                points = newest_wins(decode(data, STEPS[RAW]))
            except CorruptError as error:
                log.warning("%s: skipping an hour of series %d: %s", file.path, series, error)
                continue
            for level, target in targets.items():
                blob = encode_rolled(list(fold(points, STEPS[level])), STEPS[level])
                db.execute(ADD_CHUNK, (target, series, blob))
                sizes[level] += len(blob)
        for level, target in targets.items():
            file.grown(db, target, sizes[level])
        following = rows[-1][0] + 1 if len(rows) == _SERIES else None
        db.execute("UPDATE periods SET rolled = ? WHERE id = ?", (following, period))


def drop_aged(file: HistoryFile) -> bool:
    """Drop one period that is older than its level allows, and series without any period."""
    clock = file.memory.clock
    for level, age in enumerate(file.limits.ages()):
        found = file.db.execute(
            "SELECT id FROM periods WHERE level = ? AND stamp < ? AND rolled IS NULL"
            " ORDER BY stamp LIMIT 1",
            (level, clock - age),
        ).fetchone()
        if found:
            with file.transaction() as db:
                file.drop_period(db, found[0])
            return True
    file.memory.drop_silent(clock - file.limits.hours_ms)
    return False


def keep_size(file: HistoryFile) -> bool:
    """Drop the oldest period while the file is too large, and free pages; return whether there is
    more to do."""
    db = file.db
    most = file.limits.max_bytes - file.slack
    (page,) = db.execute("PRAGMA page_size").fetchone()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    (free,) = db.execute("PRAGMA freelist_count").fetchone()
    if (pages - free) * page > most:
        return _drop_oldest(file)
    if pages * page > most:
        db.execute(f"PRAGMA incremental_vacuum({_PAGES})").fetchall()
        _give_back(db)
        return True
    if file_bytes(file.path) - pages * page > file.slack >> 1:
        _give_back(db)
    return False


def _give_back(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _drop_oldest(file: HistoryFile) -> bool:
    db = file.db
    sizes: dict[int | None, int] = dict(
        db.execute("SELECT level, sum(bytes) FROM periods GROUP BY level")
    )
    sizes[None] = file.event_bytes
    for level in sorted(sizes, key=lambda level: -sizes[level] / SHARES[level]):
        if level is None:
            if _drop_events(file):
                return True
            continue
        found = db.execute(
            "SELECT id FROM periods WHERE level = ? ORDER BY rolled IS NOT NULL, stamp LIMIT 1",
            (level,),
        ).fetchone()
        if found:
            with file.transaction() as db:
                file.drop_period(db, found[0])
            return True
    if file.memory.is_open():
        file.memory.close_hours()  # the journal takes the room
        return True
    return False


def _drop_events(file: HistoryFile) -> bool:
    with file.transaction() as db:
        found = db.execute(
            "SELECT max(id), sum(length(subject) + length(text) + length(details) + 64)"
            " FROM (SELECT * FROM events ORDER BY id LIMIT ?)",
            (_EVENTS,),
        ).fetchone()
        if found[0] is None:
            return False
        db.execute("DELETE FROM events WHERE id <= ?", (found[0],))
        file.event_bytes -= found[1]
    return True
