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
from dataclasses import dataclass
from operator import attrgetter
from os import PathLike
from typing import Any

from pykafka_ops.broker.metadata.store import (
    ANY_VERSION,
    BadVersionError,
    Create,
    Delete,
    EphemeralParentError,
    NodeExistsError,
    NoNodeError,
    NoRoomError,
    NotEmptyError,
    Op,
    OpResult,
    SetData,
    Stat,
    StoreError,
    ZNode,
    split,
)
from pykafka_ops.broker.metadata.tree_file import FULL, SpareRoom, open_file
from pykafka_ops.broker.metadata.znodes.admin import TopicDeletions
from pykafka_ops.errors import StorageError

FORMAT = 1
_MAX_CHILD_SEQUENCE = 2**31

_SELECT = (
    "SELECT data, version, creates, children, czxid, mzxid, pzxid, ctime, mtime, owner"
    " FROM nodes WHERE parent = ? AND name = ?"
)
_UPSERT = "INSERT OR REPLACE INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM nodes WHERE parent = ? AND name = ?"
_PUT_META = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_NO_SPACE = (
    "no space for the metadata file %s: what there is is served, and no topic or setting can be"
    " changed until there is room"
)

_log = logging.getLogger("kafka.server.KafkaServer")


@dataclass(slots=True, eq=False)
class _Znode:
    """One row, its columns in order; ``creates`` counts the children ever created, as ZooKeeper's
    server does."""

    data: bytes | None
    version: int
    creates: int
    children: int
    czxid: int
    mzxid: int
    pzxid: int
    ctime: int
    mtime: int
    owner: int

    @classmethod
    def new(cls, data: bytes | None, zxid: int, now: int, owner: int) -> _Znode:
        return cls(data, 0, 0, 0, zxid, zxid, zxid, now, now, owner)

    def stat(self) -> Stat:
        return Stat(
            czxid=self.czxid,
            mzxid=self.mzxid,
            ctime=self.ctime,
            mtime=self.mtime,
            version=self.version,
            # Every create, and every delete: those created and no longer there.
            cversion=2 * self.creates - self.children,
            aversion=0,
            ephemeral_owner=self.owner,
            data_length=len(self.data or b""),
            num_children=self.children,
            pzxid=self.pzxid,
        )


_columns = attrgetter(*_Znode.__slots__)


class Changes:
    """Whose watches a transaction fires."""

    __slots__ = ("children", "data")

    def __init__(self) -> None:
        self.data: dict[str, None] = {}
        self.children: dict[str, None] = {}


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
        self._held: dict[str, _Znode | None] = {}
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
            self._commit({"/": _Znode.new(b"", 0, self._clock(), 0)})
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

    def _hold(self, touched: dict[str, _Znode | None]) -> None:
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

    # -- writes

    def apply(self, ops: Iterable[Op], session: int) -> tuple[list[OpResult], Changes]:
        """One transaction: results per operation and what changed. Raises StoreError, StorageError
        (NoRoomError on a full disk)."""
        work = _Transaction(self._load, self._zxid + 1, self._clock(), session)
        results: list[OpResult] = []
        try:
            for op in ops:
                results.append(work.run(op))  # noqa: PERF401 - its length names the bad one
        except StoreError as error:
            error.index = len(results)
            raise
        if work.touched:
            again = work.frees and not work.orders  # a start does it again, if it is lost
            may_hold = self.patient or work.ephemeral or again
            self._commit(work.touched, may_hold=may_hold, frees=work.frees)
        return results, work.changes

    def _commit(
        self, touched: dict[str, _Znode | None], *, may_hold: bool = True, frees: bool = False
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

    def _write(self, db: sqlite3.Connection, touched: dict[str, _Znode | None]) -> None:
        gone = [split(path) for path, node in touched.items() if node is None]
        rows = [
            (*split(path), *_columns(node)) for path, node in touched.items() if node is not None
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

    def _load(self, path: str) -> _Znode | None:
        row = self._db.execute(_SELECT, split(path)).fetchone()
        return None if row is None else _Znode(*row)

    def _rows(self, query: str, *args: object) -> list[tuple[Any, ...]]:
        return self._db.execute(query, args).fetchall()

    def _meta(self, key: str, default: int) -> int:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is not None:
            return int(row[0])
        self._db.execute(_PUT_META, (key, default))
        return default


class _Transaction:
    """Copies of the znodes that a transaction touches; None stands for a deleted one."""

    def __init__(
        self, load: Callable[[str], _Znode | None], zxid: int, now: int, session: int
    ) -> None:
        self.touched: dict[str, _Znode | None] = {}
        self.changes = Changes()
        self.ephemeral = False
        """Whether it makes or removes an ephemeral."""
        self.orders = False
        """Whether it orders the deletion of a topic."""
        self.frees = True
        """Whether all that it does is to order deletions, and to delete."""
        self._fresh: set[str] = set()
        self._load = load
        self._zxid = zxid
        self._now = now
        self._session = session

    def run(self, op: Op) -> OpResult:
        if isinstance(op, Create):
            return self._create(op)
        if isinstance(op, SetData):
            return self._set(op)
        if isinstance(op, Delete):
            self._delete(op)
        else:
            self._existing(op.path, op.version)
        return None

    def _find(self, path: str) -> _Znode | None:
        if path in self.touched:
            return self.touched[path]
        return self._load(path)

    def _existing(self, path: str, version: int) -> _Znode:
        node = self._find(path)
        if node is None:
            raise NoNodeError(path)
        if version not in (ANY_VERSION, node.version):
            raise BadVersionError(path)
        return node

    def _create(self, op: Create) -> str:
        parent_path = split(op.path + "0" if op.sequence else op.path)[0]
        parent = self._find(parent_path) if parent_path else None
        if parent is None:
            raise NodeExistsError(op.path) if not parent_path else NoNodeError(parent_path)
        if parent.owner:
            raise EphemeralParentError(op.path)
        path = op.path
        if op.sequence:
            if parent.creates >= _MAX_CHILD_SEQUENCE:
                raise StoreError(path, f"{parent_path} has used up its sequence numbers")
            path = f"{path}{parent.creates:010d}"
        # Below a znode that this transaction creates there is only what it creates: no read.
        existing = self.touched.get(path) if parent_path in self._fresh else self._find(path)
        if existing is not None:
            raise NodeExistsError(path)
        if path not in self.touched:
            self._fresh.add(path)
        owner = self._session if op.ephemeral else 0
        self.ephemeral = self.ephemeral or op.ephemeral
        orders = parent_path == TopicDeletions.path
        self.orders, self.frees = self.orders or orders, self.frees and orders
        self.touched[path] = _Znode.new(op.data, self._zxid, self._now, owner)
        parent.creates += 1
        self._child_changed(parent_path, parent, 1)
        self.changes.data[path] = self.changes.children[path] = None
        return path

    def _set(self, op: SetData) -> Stat:
        node = self._existing(op.path, op.version)
        node.data = op.data
        node.version += 1
        node.mzxid, node.mtime = self._zxid, self._now
        self.frees = False
        self.touched[op.path] = node
        self.changes.data[op.path] = None
        return node.stat()

    def _delete(self, op: Delete) -> None:
        node = self._existing(op.path, op.version)
        if node.children:
            raise NotEmptyError(op.path)
        parent_path = split(op.path)[0]
        parent = self._find(parent_path) if parent_path else None
        if parent is None:
            raise StoreError(op.path, "the root cannot be deleted")
        self.touched[op.path] = None
        self.ephemeral = self.ephemeral or node.owner != 0
        self._child_changed(parent_path, parent, -1)
        self.changes.data[op.path] = self.changes.children[op.path] = None

    def _child_changed(self, path: str, parent: _Znode, by: int) -> None:
        parent.children += by
        parent.pzxid = self._zxid
        self.touched[path] = parent
        self.changes.children[path] = None
