"""Several sessions on one embedded tree, as several brokers have on ZooKeeper's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import Any

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.store import (
    Cancel,
    Create,
    NoRoomError,
    SessionState,
    enlist,
    split,
)
from pykafka_ops.broker.metadata.transaction import Changes


class SharedStore(EmbeddedStore):
    """One of the sessions; :meth:`sibling` opens another, the last to be closed closes the file."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sessions = {self}
        self._listeners: list[Callable[[SessionState], None]] = []

    def sibling(self) -> SharedStore:
        """Another session on the same tree."""
        other = copy(self)
        other._data, other._children, other._pending = {}, {}, {}
        other._listeners = []
        other._session = self._tree.new_session()
        self._sessions.add(other)
        return other

    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        """Call ``fn(state)`` when the session expires, and when it has a successor."""
        return enlist(self._listeners, fn)

    async def close(self) -> None:
        """End the session: its ephemerals go at once."""
        if self._closed:
            return
        self._end()
        self._closed = True
        self._sessions.discard(self)
        if not self._sessions:
            self._tree.close()

    def fill(self) -> None:
        """From now on the file cannot grow, and is full."""
        self.serving()
        (pages,) = self._tree._disk.execute("PRAGMA page_count").fetchone()
        self._tree._disk.execute(f"PRAGMA max_page_count = {pages}")
        for size in (1000, 1):
            with suppress(NoRoomError):
                while True:
                    self._tree.apply([Create("/filler", bytes(size), sequence=True)], 0)

    def make_room(self) -> None:
        """It can grow again."""
        self._tree._disk.execute("PRAGMA max_page_count = 1000000")

    def expire(self) -> None:
        """End the session as ZooKeeper does with one that is silent for too long, then start a new
        one. Listeners hear EXPIRED, then CONNECTED."""
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
        self._fire(ended)

    def _fire(self, changes: Changes) -> None:
        for session in self._sessions:
            EmbeddedStore._fire(session, changes)
