"""The tree of a broker without ZooKeeper: the SQLite file in its data directory, only read.

The broker may run meanwhile: each question sees what was committed last.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from pykafka_ops.commands.zookeeper.znodes import Znode, ZnodeStat
from pykafka_ops.errors import PkoError, UsageError

FILE_NAME = "metadata.db"
_NODE = (
    "SELECT data, czxid, mzxid, pzxid, ctime, mtime, version, creates, children, owner FROM nodes "
    "WHERE parent = ? AND name = ?"
)
_NAMES = "SELECT name FROM nodes WHERE parent = ? AND name != '' ORDER BY name"


class StoreFile:
    """Questions about many znodes; the counterpart of ``ZnodeSession``."""

    def __init__(self, file: str, database: sqlite3.Connection) -> None:
        self._file, self._database = file, database

    def read(self, paths: Sequence[str]) -> list[Znode | None]:
        """Each znode, None where there is none. PkoError where the file is no store."""
        return [self._znode(path) for path in paths]

    def children(self, paths: Sequence[str]) -> list[list[str] | None]:
        """The names of each one's children, sorted; None where there is no such znode."""
        found: list[list[str] | None] = []
        for path in paths:
            names = [str(row[0]) for row in self._rows(_NAMES, (path,))]
            found.append(names if names or self._znode(path) is not None else None)
        return found

    def _znode(self, path: str) -> Znode | None:
        parent, _, name = path.rpartition("/")
        place = ("", "") if path == "/" else (parent or "/", name)
        rows = self._rows(_NODE, place)
        if not rows:
            return None
        data, *numbers = rows[0]
        if not all(isinstance(n, int) for n in numbers) or isinstance(data, (int, float)):
            return Znode(path, None, None, "its row in the file is damaged")
        czxid, mzxid, pzxid, ctime, mtime, version, creates, children, owner = numbers
        raw = data.encode(errors="replace") if isinstance(data, str) else data
        return Znode(
            path,
            raw,
            ZnodeStat(czxid, mzxid, pzxid, ctime, mtime, version, 2 * creates - children, 0, owner,
                 len(raw or b""), children),
        )  # fmt: skip

    def _rows(self, query: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        try:
            found: list[tuple[Any, ...]] = self._database.execute(query, values).fetchall()
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise PkoError(f"{self._file}: {error}") from None
        return found


@contextlib.contextmanager
def opened(where: str) -> Iterator[StoreFile]:
    """The store of a data directory (or the file itself). UsageError where there is none."""
    file = os.path.join(where, FILE_NAME) if os.path.isdir(where) else where
    if not os.path.isfile(file):
        raise UsageError(f"no {FILE_NAME} in {where}: is it a broker's data directory?")
    # Without its log the file is complete, and SQLite would need to write beside it otherwise.
    how = "mode=ro" if os.path.exists(f"{file}-wal") else "immutable=1"
    try:
        database = sqlite3.connect(f"file:{quote(os.path.abspath(file))}?{how}", uri=True)
    except sqlite3.Error as error:
        raise PkoError(f"{file}: {error}") from None
    try:
        database.text_factory = lambda raw: raw.decode(errors="backslashreplace")
        yield StoreFile(file, database)
    finally:
        database.close()
