"""The file: its tables, and how it is opened.

``auto_vacuum`` gives pages back, WAL lets others read meanwhile. With ``synchronous = NORMAL`` what
is committed outlives the process; after a power cut the file is whole, but its last seconds may be
missing.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.monitor.history.model import SeriesKey

VERSION: Final = 1
BESIDE: Final = ("-wal", "-shm")
DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_MIGRATIONS: Final = (
    """
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE clusters (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE series (
  id INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, kind TEXT NOT NULL, name BLOB NOT NULL,
  fact TEXT NOT NULL, seen INTEGER NOT NULL);
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, hour INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE periods (
  id INTEGER PRIMARY KEY, cluster INTEGER NOT NULL, level INTEGER NOT NULL,
  start_ms INTEGER NOT NULL, stamp INTEGER NOT NULL, bytes INTEGER NOT NULL, rolled INTEGER,
  UNIQUE (cluster, level, start_ms));
CREATE TABLE chunks (
  period INTEGER NOT NULL, series INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (period, series)) WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY, cluster TEXT NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL,
  subject TEXT NOT NULL, text TEXT NOT NULL, details TEXT NOT NULL);
CREATE INDEX timeline ON events (cluster, at_ms, id);
""",
)
"""The n-th of them converts version n - 1 to version n."""


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is damaged; other errors come from the disk."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def name_bytes(name: str) -> bytes:
    """A name as bytes: names of groups and clients may hold any characters."""
    return name.encode("utf-8", "surrogatepass")


def series_key(kind: str, name: bytes, fact: str) -> SeriesKey:
    """The key of a row of ``series``."""
    return SeriesKey(kind, name.decode("utf-8", "surrogatepass"), fact)


def open_database(path: Path) -> sqlite3.Connection:
    """Open or create the file for its writer.

    Raises sqlite3.Error, and UsageError for the file of a later version.
    """
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise UsageError(
                f"{path} was written by a later release (version {version}, this one knows"
                f" {VERSION}): use that one, or another directory"
            )
        if version == 0:
            database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA journal_size_limit = 0")
        for number in range(version, VERSION):
            database.executescript(
                f"BEGIN IMMEDIATE; {_MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT"
            )
        if version == 0:
            instance = int.from_bytes(os.urandom(7), "big")
            database.execute("INSERT INTO meta VALUES ('instance', ?)", (instance,))
    except (sqlite3.Error, UsageError):
        database.close()
        raise
    return database


def open_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection. Raises sqlite3.Error."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=5,
    )


def move_aside(path: Path) -> Path:
    """Rename a damaged file and those of SQLite beside it, over an older damaged one. Raises
    OSError."""
    aside = path.with_name(path.name + ".damaged")
    for end in BESIDE:
        with suppress(FileNotFoundError):
            os.replace(f"{path}{end}", f"{aside}{end}")
    os.replace(path, aside)
    return aside


def file_bytes(path: Path) -> int:
    """Bytes of the file and of those of SQLite beside it."""
    total = 0
    for name in (str(path), *(f"{path}{end}" for end in BESIDE)):
        with suppress(OSError):
            total += os.stat(name).st_size
    return total


def is_file_of(path: Path, inode: int) -> bool:
    """Whether this path still leads to the opened file."""
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False


def lock_for(path: Path) -> int:
    """A descriptor that keeps other writers off until it is closed, -1 where no file can be made.

    Raises StorageError if another process has it.
    """
    try:
        held = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return -1
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise StorageError(
            f"{path} is in use by another process: stop it, or name another directory"
        ) from None
    return held
