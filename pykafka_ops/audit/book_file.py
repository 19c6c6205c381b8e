"""The file of books, in SQLite: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pykafka_ops.errors import StorageError, UsageError

VERSION: Final = 1
_TABLES: Final = """
CREATE TABLE tiers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, source TEXT NOT NULL,
  width INTEGER NOT NULL);
CREATE TABLE places (
  id INTEGER PRIMARY KEY, tier INTEGER NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL,
  topic_id TEXT NOT NULL, compacted INTEGER NOT NULL, first INTEGER NOT NULL,
  next INTEGER NOT NULL, read_ms INTEGER NOT NULL, newest_ms INTEGER NOT NULL,
  UNIQUE (tier, topic, partition));
CREATE TABLE lines (
  place INTEGER NOT NULL, start INTEGER NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL, chain INTEGER NOT NULL, first_offset INTEGER NOT NULL,
  last_offset INTEGER NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
  PRIMARY KEY (place, start)) WITHOUT ROWID;
CREATE TABLE dropped (
  place INTEGER NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL);
CREATE TABLE latest (
  place INTEGER NOT NULL, key INTEGER NOT NULL, offset INTEGER NOT NULL, hash INTEGER NOT NULL,
  time INTEGER NOT NULL, tombstone INTEGER NOT NULL, PRIMARY KEY (place, key)) WITHOUT ROWID;
CREATE TABLE deliveries (
  uuid TEXT PRIMARY KEY, bucket INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE published (
  topic TEXT NOT NULL, tier TEXT NOT NULL, host TEXT NOT NULL, application TEXT NOT NULL,
  bucket INTEGER NOT NULL, bucket_end INTEGER NOT NULL, records INTEGER NOT NULL,
  bytes INTEGER NOT NULL, checksum INTEGER, seen_ms INTEGER NOT NULL,
  PRIMARY KEY (topic, tier, bucket, host, application)) WITHOUT ROWID;
CREATE TABLE positions (
  stream TEXT NOT NULL, topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL,
  PRIMARY KEY (stream, topic, partition)) WITHOUT ROWID;
"""


def open_to_read(path: str) -> sqlite3.Connection:
    """Open the file without ever changing it. Raises UsageError, StorageError."""
    if not Path(path).exists():
        raise UsageError(f"{path}: there is no such book; pko audit collect makes it")
    with explained(path):
        uri = f"{Path(path).absolute().as_uri()}?mode=ro"
        database = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5)
        try:
            if database.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                raise UsageError(f"{path}: not a book of this version of pko audit")
        except (sqlite3.Error, UsageError):
            database.close()
            raise
    return database


def open_book(path: str, *, must_exist: bool = False) -> sqlite3.Connection:
    """Open or create the file; ``:memory:`` for none. Raises UsageError, StorageError."""
    if path != ":memory:":
        if must_exist and not Path(path).exists():
            raise UsageError(f"{path}: there is no such book; pko audit collect makes it")
        try:
            Path(path).absolute().parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror}") from None
    with explained(path):
        database = sqlite3.connect(path, isolation_level=None, timeout=30)
        try:
            _prepare(database, path)
        except (sqlite3.Error, UsageError):
            database.close()
            raise
    return database


def _prepare(database: sqlite3.Connection, path: str) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise UsageError(
            f"{path} was written by a later release (version {version}, this one knows {VERSION})"
        )
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    if version == 0:
        database.executescript(
            f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT"
        )


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Errors of SQLite as StorageError, in a line."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {error}") from None


def to_stored(number: int) -> int:
    """A number of 64 bits as SQLite holds it, with a sign."""
    return number - 2**64 if number >= 2**63 else number


def from_stored(number: int) -> int:
    """Back from ``to_stored``."""
    return number + 2**64 if number < 0 else number
