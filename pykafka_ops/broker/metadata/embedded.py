"""The tree of znodes of a broker without ZooKeeper: a SQLite file in its data directory."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.store import (
    Cancel,
    MetadataStore,
    Op,
    OpResult,
    SessionLostError,
    SessionState,
    WatchCallback,
    ZNode,
    enlist_at,
    split,
)
from pykafka_ops.broker.metadata.transaction import Changes
from pykafka_ops.broker.metadata.tree import AT_ONCE, ZNodeTree
from pykafka_ops.broker.metadata.tree_file import SpareRoom
from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.errors import StorageError

T = TypeVar("T")

FILE_NAME = "metadata.db"
RETRY_S = 1.0
"""After which a full disk is tried again."""
OWN = 0o600
"""Mode of the file, which SQLite gives to those beside it, too: it holds users' SCRAM keys."""


class EmbeddedStore(MetadataStore):
    """One session on a file; it lasts as long as the instance.

    A call on many znodes pauses, so that others have their turn on the event loop. Transactions
    come one after the other, in the order they were asked for; whoever reads while one is worked
    out sees the tree as it was before. Nothing pauses between its commit and its watches.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        durable: bool = True,
    ) -> None:
        """Open or create ``file``; ``clock`` gives ms. Raises StorageError."""
        with suppress(OSError):  # the tree reports whatever is wrong with it
            os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWN))
            os.chmod(file, OWN)
        self._tree = ZNodeTree(file, clock, durable=durable, spare=SpareRoom(f"{file}.spare"))
        self._tree.use_room()
        self._session = self._tree.new_session()
        self._data: dict[str, list[WatchCallback]] = {}
        self._children: dict[str, list[WatchCallback]] = {}
        self._pending: dict[tuple[WatchCallback, str], None] = {}
        self._closed = False
        self._retrying = False
        self._turn = asyncio.Lock()
        """Held by the transaction that is worked out."""

    @property
    def session_id(self) -> int:
        return self._session

    async def get(self, path: str) -> ZNode | None:
        self._check(path)
        return self._tree.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[ZNode | None]:
        self._check(paths[0] if paths else "/")
        found = [self._tree.get(path) for path in paths[:AT_ONCE]]
        for start in range(AT_ONCE, len(paths), AT_ONCE):
            await asyncio.sleep(0)
            self._check(paths[start])
            found += [self._tree.get(path) for path in paths[start : start + AT_ONCE]]
        return found

    async def children(self, path: str) -> list[str]:
        self._check(path)
        return await self._paced(self._tree.children_in_steps(path))

    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        async with self._turn:
            self._check("/")
            steps = self._tree.apply_in_steps(ops, self._session)
            results, changes = await self._paced(steps)
            self._fire(changes)
            if self._tree.needs_room and not self._retrying:
                self._retry()
            return results

    async def _paced(self, steps: Steps[T]) -> T:
        """What they give; others have their turn in each pause."""
        try:
            while True:
                next(steps)
                await asyncio.sleep(0)
                self._check("/")
        except StopIteration as end:
            found: T = end.value
            return found

    def serving(self) -> None:
        self._tree.patient = False

    def _retry(self) -> None:
        """Use room on a disk that was full, again and again until there is enough."""
        self._retrying = False
        if not self._closed:
            jobs.attempt("writing what a full disk did not take", self._tree.use_room)
            if self._tree.needs_room:
                self._retrying = True
                asyncio.get_running_loop().call_later(RETRY_S, self._retry)

    def watch_data(self, path: str, fn: WatchCallback) -> Cancel:
        return self._watch(self._data, path, fn)

    def watch_children(self, path: str, fn: WatchCallback) -> Cancel:
        return self._watch(self._children, path, fn)

    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        """Nobody can end the session: ``fn`` is never called."""
        return lambda: None

    async def end_former_session(self, session: int) -> bool:
        """There is none: sessions end with the process."""
        return False

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            with suppress(StorageError):  # then the next start ends the session
                self._tree.end_session(self._session)
            self._tree.close()

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
