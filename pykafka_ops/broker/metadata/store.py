"""The tree of znodes that holds the cluster's state: one interface, several stores.

Counterpart of Kafka's ``ZooKeeperClient``. All calls are coroutines since ZooKeeper is far
away; :class:`~pykafka_ops.broker.metadata.embedded.EmbeddedStore` pauses only in those about many
znodes, and while a transaction of many is worked out.

Watches are persistent: the callback runs on the event loop after every change, with the path
and nothing else, and several changes may come as one call. It reads the tree again to learn
what is true now, so a store made of ZooKeeper's one-shot watches (re-armed before the call)
and one that sees its own writes behave alike. A store's own writes fire its watches too.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import NamedTuple, TypeVar

from pykafka_ops.errors import PkoError, StorageError

ANY_VERSION = -1

WatchCallback = Callable[[str], None]
Cancel = Callable[[], None]


class StoreError(PkoError):
    """A call on the tree failed; ``path`` is the znode it was about."""

    def __init__(self, path: str, text: str = "") -> None:
        super().__init__(text or f"{type(self).__name__}: {path}")
        self.path = path
        self.index = 0
        """Which operation of a ``multi`` failed, counted from 0."""


class NoRoomError(StorageError):
    """The disk that keeps the tree is full: nothing of a transaction was written, and it may be
    tried again later. ``torn``: something that belongs to it was written before."""

    torn = False


class NoNodeError(StoreError):
    """The znode, or the parent of one to be created, does not exist."""


class NodeExistsError(StoreError):
    """The znode to be created exists."""


class BadVersionError(StoreError):
    """The znode's version is not the one the caller expects."""


class NotEmptyError(StoreError):
    """The znode to be deleted has children."""


class EphemeralParentError(StoreError):
    """Ephemeral znodes cannot have children."""


class SessionLostError(StoreError):
    """The session ended: its ephemerals are gone, nothing more can be done with this session."""


class AccessError(StoreError):
    """The tree's servers do not let this broker do it."""

    exit_code = 3


class Stat(NamedTuple):
    """ZooKeeper's ``Stat``: transaction ids, times (ms since 1970), versions."""

    czxid: int
    mzxid: int
    ctime: int
    mtime: int
    version: int
    cversion: int
    aversion: int
    ephemeral_owner: int
    data_length: int
    num_children: int
    pzxid: int


class ZNode(NamedTuple):
    """What ``get`` returns; ``data`` is None for a znode created without any."""

    data: bytes | None
    stat: Stat


class Create(NamedTuple):
    """Create a znode; with ``sequence`` ten digits are appended to the name."""

    path: str
    data: bytes | None = None
    ephemeral: bool = False
    sequence: bool = False


class SetData(NamedTuple):
    """Replace a znode's data if it has ``version`` (-1: any)."""

    path: str
    data: bytes | None
    version: int = ANY_VERSION


class Delete(NamedTuple):
    """Delete a znode without children if it has ``version`` (-1: any)."""

    path: str
    version: int = ANY_VERSION


class Check(NamedTuple):
    """Let a ``multi`` fail unless the znode exists with ``version``."""

    path: str
    version: int


Op = Create | SetData | Delete | Check
OpResult = str | Stat | None
"""Of a Create the path, of a SetData the new Stat, of the others None."""


class SessionState(Enum):
    """States of a session, as its listeners get them."""

    CONNECTED = "connected"
    SUSPENDED = "suspended"
    """No server answers; the session may still be alive."""
    EXPIRED = "expired"
    """The session and its ephemerals are gone; a new one starts with the next CONNECTED."""


class MetadataStore(ABC):
    """The tree, seen through one session. Every call may raise StoreError for a path that is none,
    and SessionLostError."""

    on_reply: Callable[[float], None] | None = None
    """Hears how long each request took (ms), where requests go to a server."""

    @property
    @abstractmethod
    def session_id(self) -> int:
        """Owner of the ephemerals this session creates; never 0."""

    @abstractmethod
    async def get(self, path: str) -> ZNode | None:
        """Data and Stat, None if there is no such znode."""

    @abstractmethod
    async def get_many(self, paths: Sequence[str]) -> list[ZNode | None]:
        """As ``get`` for each path, in one go."""

    @abstractmethod
    async def children(self, path: str) -> list[str]:
        """Names of the children, sorted. Raises NoNodeError."""

    @abstractmethod
    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        """All operations or none. Raises what the first bad one would, with ``index`` set."""

    def serving(self) -> None:  # noqa: B027 - nothing to do where nothing waits
        """Clients are served from now on: what cannot be stored is refused, where a start went on
        without it."""

    async def exists(self, path: str) -> Stat | None:
        """The Stat, None if there is no such znode."""
        node = await self.get(path)
        return None if node is None else node.stat

    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        """Replace the data. Raises NoNodeError, BadVersionError."""
        (stat,) = await self.multi([SetData(path, data, version)])
        assert isinstance(stat, Stat)
        return stat

    async def create(
        self,
        path: str,
        data: bytes | None = None,
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        make_parents: bool = False,
    ) -> str:
        """Create a znode; its path. Raises NodeExistsError, NoNodeError (no parent)."""
        if make_parents:
            await self._make_parents(path)
        (created,) = await self.multi([Create(path, data, ephemeral, sequence)])
        assert isinstance(created, str)
        return created

    async def _make_parents(self, path: str) -> None:
        parent = split(path)[0]
        if parent in ("", "/") or await self.exists(parent) is not None:
            return
        await self._make_parents(parent)
        with contextlib.suppress(NodeExistsError):
            await self.create(parent)

    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        """Delete a znode. Raises NoNodeError, BadVersionError, NotEmptyError."""
        await self.multi([Delete(path, version)])

    @abstractmethod
    def watch_data(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after the znode is created, changed or deleted."""

    @abstractmethod
    def watch_children(self, path: str, fn: WatchCallback) -> Cancel:
        """Call ``fn(path)`` after a child is created or deleted, or the znode itself is."""

    @abstractmethod
    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        """Call ``fn(state)`` on the event loop when the session's state changes."""

    @abstractmethod
    async def end_former_session(self, session: int) -> bool:
        """End a session that this broker had before it was killed; whether there was one."""

    @abstractmethod
    async def close(self) -> None:
        """End the session: its ephemerals go at once."""


def split(path: str) -> tuple[str, str]:
    """Parent and name; the root is ("", ""). Raises StoreError for a path that is none."""
    if path == "/":
        return "", ""
    parent, slash, name = path.rpartition("/")
    if not slash or not name or path[0] != "/" or "//" in path or "\0" in path:
        raise StoreError(path, f"not a znode path: {path!r}")
    if name in (".", ".."):
        raise StoreError(path, f"relative znode path: {path!r}")
    return parent or "/", name


F = TypeVar("F")
K = TypeVar("K", bound=Hashable)


def enlist(listeners: list[F], fn: F) -> Cancel:
    """Add ``fn``; what takes it out again, once."""
    listeners.append(fn)

    def cancel() -> None:
        if fn in listeners:
            listeners.remove(fn)

    return cancel


def enlist_at(table: dict[K, list[F]], key: K, fn: F) -> Cancel:
    """As :func:`enlist` in the list at ``key``, which is there while it is not empty."""
    table.setdefault(key, []).append(fn)

    def cancel() -> None:
        waiting = table.get(key, [])
        if fn in waiting:
            waiting.remove(fn)
        if not waiting:
            table.pop(key, None)

    return cancel
