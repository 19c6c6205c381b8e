"""The tree of znodes of a broker without ZooKeeper: a SQLite file in its data directory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pykafka_ops.broker.metadata.single_ops import SingleOps
from pykafka_ops.broker.metadata.store import (
    Cancel,
    Op,
    OpResult,
    SessionLostError,
    SessionState,
    WatchCallback,
    ZNode,
    enlist,
    enlist_at,
)
from pykafka_ops.broker.metadata.tree import Changes, ZNodeTree, split

FILE_NAME = "metadata.db"


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class _Shared:
    """What the sessions on one file have in common."""

    def __init__(self, tree: ZNodeTree) -> None:
        self.tree = tree
        self.stores: set[EmbeddedStore] = set()

    def fire(self, changes: Changes) -> None:
        for store in self.stores:
            store._fire(changes)


class EmbeddedStore(SingleOps):
    """A :class:`~pykafka_ops.broker.metadata.store.MetadataStore` on a file.

    Each instance is one session; :meth:`sibling` opens another on the same file, as a second
    broker would. No call suspends, so several calls in a row are one atomic step for others
    on the event loop.
    """

    def __init__(
        self,
        file: str | Path,
        *,
        clock: Callable[[], int] = _wall_clock,
        durable: bool = True,
        _shared: _Shared | None = None,
    ) -> None:
        """Open or create ``file``; ``clock`` gives ms. Raises StorageError."""
        self._shared = _shared or _Shared(ZNodeTree(file, clock, durable=durable))
        self._file = file
        self._clock = clock
        self._tree = self._shared.tree
        self._session = self._tree.new_session()
        self._data: dict[str, list[WatchCallback]] = {}
        self._children: dict[str, list[WatchCallback]] = {}
        self._listeners: list[Callable[[SessionState], None]] = []
        self._pending: dict[tuple[WatchCallback, str], None] = {}
        self._closed = False
        self._shared.stores.add(self)

    def sibling(self) -> EmbeddedStore:
        """Another session on the same tree."""
        return EmbeddedStore(self._file, clock=self._clock, _shared=self._shared)

    @property
    def session_id(self) -> int:
        """Owner of the ephemerals this session creates."""
        return self._session

    async def get(self, path: str) -> ZNode | None:
        """Data and Stat, None if there is no such znode."""
        self._check(path)
        return self._tree.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[ZNode | None]:
        """As ``get`` for each path."""
        self._check(paths[0] if paths else "/")
        return [self._tree.get(path) for path in paths]

    async def children(self, path: str) -> list[str]:
        """Names of the children, sorted. Raises NoNodeError."""
        self._check(path)
        return self._tree.children(path)

    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        """All operations or none. Raises what the first bad one would, with ``index`` set."""
        self._check("/")
        results, changes = self._tree.apply(ops, self._session)
        self._shared.fire(changes)
        return results

    def watch_data(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after the znode is created, changed or deleted."""
        return self._watch(self._data, path, fn)

    def watch_children(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after a child is created or deleted, or the znode itself is."""
        return self._watch(self._children, path, fn)

    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        """Call ``fn(state)`` when the session is expired (by a test) or connected anew."""
        return enlist(self._listeners, fn)

    async def end_former_session(self, session: int) -> bool:
        """There is none: sessions end with the process."""
        return False

    async def close(self) -> None:
        """End the session: its ephemerals go at once. The last one closes the file."""
        if self._closed:
            return
        self._end()
        self._closed = True
        self._shared.stores.discard(self)
        if not self._shared.stores:
            self._tree.close()

    def expire(self) -> None:
        """End the session as ZooKeeper does with one that is silent for too long, then
        start a new one. Listeners hear EXPIRED, then CONNECTED."""
        self._tell(SessionState.EXPIRED)
        self._end()
        self._session = self._tree.new_session()
        self._tell(SessionState.CONNECTED)

    def _tell(self, state: SessionState) -> None:
        for listener in list(self._listeners):
            asyncio.get_running_loop().call_soon(listener, state)

    def _end(self) -> None:
        ended = Changes()
        for path in self._tree.end_session(self._session):
            ended.data[path] = ended.children[split(path)[0]] = None
        self._shared.fire(ended)

    def _check(self, path: str) -> None:
        if self._closed:
            raise SessionLostError(path)

    @staticmethod
    def _watch(table: dict[str, list[WatchCallback]], path: str, fn: WatchCallback) -> Cancel:
        split(path)
        return enlist_at(table, path, fn)

    def _fire(self, changes: Changes) -> None:
        for table, paths in ((self._data, changes.data), (self._children, changes.children)):
            if not table:
                continue
            for path in paths:
                for fn in table.get(path, ()):
                    self._schedule(fn, path)

    def _schedule(self, fn: WatchCallback, path: str) -> None:
        """Call ``fn`` in the loop's next round; calls that are still to come are merged."""
        key = (fn, path)
        if key not in self._pending:
            self._pending[key] = None
            asyncio.get_running_loop().call_soon(self._call, key)

    def _call(self, key: tuple[WatchCallback, str]) -> None:
        self._pending.pop(key, None)
        fn, path = key
        if not self._closed:
            fn(path)
