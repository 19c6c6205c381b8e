"""ZooKeeper's data tree in one SQLite file: versions, transaction ids, ephemerals, sequences.

A transaction is worked out on copies of the touched znodes and written in one go, so a failed
one leaves no trace. A commit is in the file (WAL) before ``apply`` returns: it survives the
death of the process, and with ``durable`` (``synchronous=FULL``, one fsync) that of the machine.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

from pykafka_ops.broker.metadata.store import (
    Delete,
    NoNodeError,
    NoRoomError,
    Op,
    OpResult,
    ZNode,
    split,
)
from pykafka_ops.broker.metadata.transaction import Changes, TreeNode, TreeTransaction, columns
from pykafka_ops.broker.metadata.tree_file import FULL, SpareRoom, open_file
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.errors import StorageError

FORMAT = 1
AT_ONCE = 100
"""Operations of a transaction between two pauses, and znodes that are read: about a ms."""

_SELECT = (
    "SELECT data, version, creates, children, czxid, mzxid, pzxid, ctime, mtime, owner"
    " FROM nodes WHERE parent = ? AND name = ?"
)
_NEXT_CHILDREN = "SELECT name FROM nodes WHERE parent = ? AND name > ? ORDER BY name LIMIT ?"
_UPSERT = "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM nodes WHERE parent = ? AND name = ?"
_PUT_META = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_NO_SPACE = (
    "no space for the metadata file %s: what there is is served, and no topic or setting can be"
    " changed until there is room"
)

_log = logging.getLogger("kafka.server.KafkaServer")


class ZNodeTree:
    """The file. Not thread-safe, and meant for one process (its log directory is locked).

    What a full disk does not take is held in memory, and written with whatever is written next,
    if it makes or removes ephemerals, and anything while ``patient``. So a broker starts, and is
    controller, where it can record nothing of that. Topics can be deleted there: the order has
    ``spare`` room, and what it removes may be held, since the order is carried out again.
    """

    def __init__(
        self,
        file: str | PathLike[str],
        clock: Callable[[], int],
        *,
        durable: bool = True,
        spare: SpareRoom | None = None,
    ) -> None:
        """Open or create ``file``; ephemerals of sessions past are dropped.

        Raises StorageError if it is no such file, is of a newer format, or cannot be written.
        """
        self._file = str(file)
        self._clock = clock
        self._spare = spare
        self.patient = True
        self._held: dict[str, TreeNode | None] = {}
        """What the file lacks; then ``_db`` is a copy in memory that has it."""
        self._full = False
        """Whether the disk had no space the last time."""
        try:
            self._db = self._disk = open_file(self._file, durable=durable)
            self._zxid = self._meta("zxid", 0)
            self._sessions = self._meta("session", 0)
            if self._meta("format", FORMAT) > FORMAT:
                raise StorageError(f"{self._file} was written by a newer release of pykafka-ops")
            self._start()
        except sqlite3.Error as error:
            raise StorageError(
                f"cannot open the metadata file {self._file}: {error};"
                " restore it from a backup or move it away to start empty"
            ) from error

    def _start(self) -> None:
        if self._load("/") is None:
            self._commit({"/": TreeNode.new(b"", 0, self._clock(), 0)})
        for (owner,) in self._rows("SELECT DISTINCT owner FROM nodes WHERE owner != 0"):
            self.end_session(owner)

    def close(self) -> None:
        """Close the file; sessions are not ended."""
        self._disk.close()
        self._db.close()

    # -- a full disk

    @property
    def holds(self) -> bool:
        """Whether the file lacks something that is held in memory."""
        return self._db is not self._disk

    @property
    def needs_room(self) -> bool:
        """Whether :meth:`use_room` has something to do."""
        return self.holds or (self._spare is not None and not self._spare.kept)

    def use_room(self) -> None:
        """Write what is held in memory, then keep spare room, as far as there is any."""
        if self.holds:
            self._commit({})
        if not self.holds and self._spare is not None and not self._spare.kept:
            self._spare.keep()

    def _hold(self, touched: dict[str, TreeNode | None]) -> None:
        if not self.holds:
            self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._disk.backup(self._db)
        self._held |= touched
        self._write(self._db, touched)

    # -- sessions

    def new_session(self) -> int:
        """A session id that was never used before in this file."""
        self._sessions += 1  # stored with the first that it commits
        return self._sessions

    def end_session(self, session: int) -> list[str]:
        """Delete the session's ephemerals; their paths."""
        rows = self._rows("SELECT parent, name FROM nodes WHERE owner = ?", session)
        paths = [f"{parent}/{name}".replace("//", "/") for parent, name in rows]
        if paths:
            self.apply([Delete(path) for path in paths], session)
        return paths

    # -- reads

    def get(self, path: str) -> ZNode | None:
        """Data and Stat, None if there is no such znode."""
        node = self._load(path)
        return None if node is None else ZNode(node.data, node.stat())

    def children(self, path: str) -> list[str]:
        """Names of the children, sorted. Raises NoNodeError."""
        names = self._rows("SELECT name FROM nodes WHERE parent = ? ORDER BY name", path)
        if not names and self._load(path) is None:
            raise NoNodeError(path)
        return [name for (name,) in names]

    def children_in_steps(self, path: str) -> Steps[list[str]]:
        """The same, with pauses where there are many; as they were at one moment."""
        since, names = self._zxid, list[str]()
        while True:
            last = names[-1] if names else ""
            rows = self._rows(_NEXT_CHILDREN, path, last, 10 * AT_ONCE)
            names += [name for (name,) in rows]
            if not names or len(rows) < 10 * AT_ONCE:
                return names or self.children(path)
            yield None
            if self._zxid != since:
                return self.children(path)

    # -- writes

    def apply(self, ops: Iterable[Op], session: int) -> tuple[list[OpResult], Changes]:
        """One transaction: results per operation and what changed. Raises StoreError, StorageError
        (NoRoomError on a full disk)."""
        return self._commit_work(*self._worked_out(list(ops), session))

    def apply_in_steps(
        self, ops: Iterable[Op], session: int
    ) -> Steps[tuple[list[OpResult], Changes]]:
        """The same with pauses, in which everybody sees the tree as it was before. The caller lets
        nobody write meanwhile; if somebody does, it is worked out anew without pauses.
        """
        asked, since = list(ops), self._zxid
        if len(asked) <= AT_ONCE:
            return self.apply(asked, session)
        work, results = self._transaction(session), list[OpResult]()
        for start in range(0, len(asked), AT_ONCE):
            if start:
                yield None
            if self._zxid != since:
                return self.apply(asked, session)
            work.run_all(asked[start : start + AT_ONCE], results)
        yield None
        return (
            self.apply(asked, session) if self._zxid != since else self._commit_work(work, results)
        )

    def _transaction(self, session: int) -> TreeTransaction:
        return TreeTransaction(self._load, self._zxid + 1, self._clock(), session)

    def _worked_out(
        self, ops: Iterable[Op], session: int
    ) -> tuple[TreeTransaction, list[OpResult]]:
        work, results = self._transaction(session), list[OpResult]()
        work.run_all(ops, results)
        return work, results

    def _commit_work(
        self, work: TreeTransaction, results: list[OpResult]
    ) -> tuple[list[OpResult], Changes]:
        if work.touched:
            again = work.frees and not work.orders  # a start does it again, if it is lost
            may_hold = self.patient or work.ephemeral or again
            self._commit(work.touched, may_hold=may_hold, frees=work.frees)
        return results, work.changes

    def _commit(
        self, touched: dict[str, TreeNode | None], *, may_hold: bool = True, frees: bool = False
    ) -> None:
        try:
            try:
                self._write(self._disk, self._held | touched)
            except sqlite3.Error as error:
                if not (frees and error.sqlite_errorcode in FULL and self._give_room()):
                    raise
                self._write(self._disk, self._held | touched)
        except sqlite3.Error as error:
            text = f"cannot write the metadata file {self._file}: {error}"
            if error.sqlite_errorcode not in FULL:
                raise StorageError(text) from error
            if not self._full:
                _log.warning(_NO_SPACE, self._file)
            self._full = True
            if not may_hold:
                raise NoRoomError(text) from error
            self._hold(touched)
        else:
            if self.holds:
                self._db.close()
                self._db, self._held = self._disk, {}
            if self._full:
                _log.info("there is room for the metadata file %s again", self._file)
            self._full = False
        self._zxid += 1

    def _give_room(self) -> bool:
        return self._spare is not None and self._spare.give()

    def _write(self, db: sqlite3.Connection, touched: dict[str, TreeNode | None]) -> None:
        gone = [split(path) for path, node in touched.items() if node is None]
        rows = [
            (*split(path), *columns(node)) for path, node in touched.items() if node is not None
        ]
        try:
            db.execute("BEGIN IMMEDIATE")
            if gone:
                db.executemany(_DELETE, gone)
            db.executemany(_UPSERT, rows)
            db.execute(_PUT_META, ("zxid", self._zxid + 1))
            db.execute(_PUT_META, ("session", self._sessions))
            db.execute("COMMIT")
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise

    def _load(self, path: str) -> TreeNode | None:
        row = self._db.execute(_SELECT, split(path)).fetchone()
        return None if row is None else TreeNode(*row)

    def _rows(self, query: str, *args: object) -> list[tuple[Any, ...]]:
        return self._db.execute(query, args).fetchall()

    def _meta(self, key: str, default: int) -> int:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is not None:
            return int(row[0])
        self._db.execute(_PUT_META, (key, default))
        return default
