"""The SQLite file of the tree, and room on the disk that is kept for what makes room."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress

FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
"""What SQLite reports of a disk without space."""

SPARE_BYTES = 256 << 10
"""Enough to order the deletion of some dozens of topics, or to remove one of 1,000 partitions."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS nodes (
  parent TEXT NOT NULL, name TEXT NOT NULL, data BLOB,
  version INTEGER NOT NULL, creates INTEGER NOT NULL, children INTEGER NOT NULL,
  czxid INTEGER NOT NULL, mzxid INTEGER NOT NULL, pzxid INTEGER NOT NULL,
  ctime INTEGER NOT NULL, mtime INTEGER NOT NULL, owner INTEGER NOT NULL,
  PRIMARY KEY (parent, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ephemerals ON nodes (owner) WHERE owner != 0;
"""


def open_file(file: str, *, durable: bool) -> sqlite3.Connection:
    """Open or create the file, on a full disk, too. Raises sqlite3.Error."""
    try:
        return _open(file, durable=durable, alone=False)
    except sqlite3.Error as error:
        if error.sqlite_errorcode not in FULL:
            raise
    return _open(file, durable=durable, alone=True)


def _open(file: str, *, durable: bool, alone: bool) -> sqlite3.Connection:
    """``alone`` needs no file of shared memory beside it, for which a full disk has no space:
    nobody else can read it meanwhile."""
    db = sqlite3.connect(file, isolation_level=None, check_same_thread=False, timeout=5)
    try:
        if alone:
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        db.executescript(_SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db


class SpareRoom:
    """A file that is given away when a full disk stands in the way of a deletion.

    It outlives the process, so that there is room after ``kill -9`` on a full disk, too.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.kept = False

    def keep(self) -> None:
        """Take the room if there is any."""
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(file, 0, SPARE_BYTES)
                self.kept = True
            except OSError:
                os.unlink(self._path)  # a part of it helps nobody
            finally:
                os.close(file)

    def give(self) -> bool:
        """Give the room away; whether there was any."""
        given, self.kept = self.kept, False
        if given:
            with suppress(OSError):
                os.unlink(self._path)
        return given
