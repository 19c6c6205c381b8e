"""Watches that stay, made of ZooKeeper's, which fire once."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from kazoo import exceptions as zk
from kazoo.protocol.serialization import Exists, GetChildren

from pykafka_ops.broker.metadata.store import Cancel, WatchCallback, enlist_at
from pykafka_ops.broker.metadata.zookeeper.client import send_all
from pykafka_ops.zookeeper.client import Client

Key = tuple[str, str]
"""Kind (DATA, CHILDREN), path."""

DATA = "data"
CHILDREN = "children"


class Watches:
    """All watches of one client; everything but what kazoo calls is on the event loop.

    A watch is set again before those who wait for it are called, and requests of a session are
    answered in order: what they read then is what holds until the next call. Requests that set
    watches go out together, before any other request (:meth:`send`) or in the loop's next round.
    """

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop
        self._waiting: dict[Key, list[WatchCallback]] = {}
        self._armed: set[Key] = set()
        self._pending: set[tuple[WatchCallback, str]] = set()
        self._unsent: list[tuple[Any, Any]] = []
        self._closed = False

    def data(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after the znode is created, changed or deleted."""
        return self._add((DATA, path), fn)

    def children(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after a child is created or deleted, or the znode itself is."""
        return self._add((CHILDREN, path), fn)

    def arm_again(self) -> None:
        """There is a connection: set what it lost, and have everybody look, since nobody knows
        what happened meanwhile."""
        for key in [key for key in self._waiting if key not in self._armed]:
            self._arm(key)
            self._call_all(key)

    def send(self) -> None:
        """Send what sets watches: to be called before any other request."""
        if self._unsent:
            unsent, self._unsent = self._unsent, []
            send_all(self._client, unsent)

    def close(self) -> None:
        """Call nobody any more."""
        self._closed = True
        self._waiting.clear()

    def _add(self, key: Key, fn: WatchCallback) -> Cancel:
        cancel = enlist_at(self._waiting, key, fn)
        if key not in self._armed:
            self._arm(key)
        return cancel

    def _arm(self, key: Key, *, missing: bool = False) -> None:
        """Send the request that sets the watch; a znode that is ``missing`` is watched by exists,
        which hears of its creation."""
        self._armed.add(key)
        kind, path = key

        def fired(event: Any) -> None:
            # Of type NONE when the connection broke: then ``arm_again`` sets it.
            self._soon(self._fired, key, event.type != "NONE")

        by_children = kind == CHILDREN and not missing
        request = GetChildren if by_children else Exists
        result = self._client.handler.async_result()
        result.rawlink(lambda result: self._soon(self._set, key, missing, result))
        if not self._unsent:
            self._loop.call_soon(self.send)
        self._unsent.append((request(self._client.chroot + path, fired), result))

    def _soon(self, function: Any, *arguments: Any) -> None:
        """From kazoo's thread to the loop, unless that is over."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _set(self, key: Key, missing: bool, result: Any) -> None:
        """A request that sets a watch was answered."""
        if isinstance(result.exception, zk.NoNodeError):
            self._arm(key, missing=True)
        elif result.exception is not None:
            self._armed.discard(key)
        elif key[0] == CHILDREN and missing and result.value is not None:
            # It came into being between the two requests, and the watch set is that of exists.
            self._arm(key)
            self._call_all(key)

    def _fired(self, key: Key, connected: bool) -> None:
        self._armed.discard(key)
        if connected and not self._closed and key in self._waiting:
            self._arm(key)
            self._call_all(key)

    def _call_all(self, key: Key) -> None:
        """Call each in the loop's next round; calls that are still to come are merged."""
        for fn in self._waiting.get(key, ()):
            if (fn, key[1]) not in self._pending:
                self._pending.add((fn, key[1]))
                self._loop.call_soon(self._call, key, fn)

    def _call(self, key: Key, fn: WatchCallback) -> None:
        self._pending.discard((fn, key[1]))
        if not self._closed and fn in self._waiting.get(key, ()):
            fn(key[1])
