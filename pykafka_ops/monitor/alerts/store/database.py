"""The SQLite file of alerts: one connection, whole transactions, one thread at a time.

WAL and synchronous=FULL: a committed transaction survives ``kill -9`` and a power cut.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pykafka_ops.errors import PkoError, StorageError

VERSION: Final = 1
BUSY_SECONDS: Final = 5.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS records (kind TEXT, key TEXT, body TEXT, at INTEGER,
  PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notices (id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spool (number INTEGER PRIMARY KEY, id TEXT UNIQUE, notice TEXT,
  receiver TEXT, incident TEXT, phase TEXT, state TEXT, attempts INTEGER, next_at INTEGER,
  created INTEGER, done_at INTEGER, reason TEXT);
CREATE INDEX IF NOT EXISTS spool_by_receiver ON spool (state, receiver, number);
CREATE INDEX IF NOT EXISTS spool_by_incident ON spool (incident, receiver, number);
CREATE INDEX IF NOT EXISTS spool_by_notice ON spool (notice);
CREATE TABLE IF NOT EXISTS lease (one INTEGER PRIMARY KEY CHECK (one = 1), owner TEXT,
  beat INTEGER);
"""


class LostLeadError(PkoError):
    """Another monitor has the lead; nothing was written."""


class AlertDatabase:
    """``close`` when done. ``owner``: who writes. A ``fenced`` transaction fails unless this owner
    has the lease in the file."""

    def __init__(self, path: str, owner: str) -> None:
        """Open or create the file; StorageError."""
        self.path, self.owner = path, owner
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise StorageError(f"{path}: written by a newer pko (version {version})")
            with self.transaction() as db:
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={VERSION}")
        except sqlite3.Error as error:
            raise StorageError(f"{path}: {error}") from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self, *, fenced: bool = False) -> Iterator[sqlite3.Connection]:
        """All of the block or nothing; LostLeadError, StorageError."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    if fenced:
                        row = self._db.execute("SELECT owner FROM lease").fetchone()
                        if row is None or row[0] != self.owner:
                            raise LostLeadError("another monitor sends the alerts now")
                    yield self._db
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                raise StorageError(f"{self.path}: {error}") from None
