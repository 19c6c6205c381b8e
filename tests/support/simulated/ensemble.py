"""ZooKeeper in the simulation: the tree of the embedded store, with sessions that are far away.

:class:`SimStore` behaves as ``ZooKeeperStore`` does: calls wait while the server cannot be reached,
those that were under way may have been carried out, the answers of one session and its watches
come in order, and a session that ended is heard of late.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pykafka_ops.broker.metadata.store import (
    Cancel,
    MetadataStore,
    NodeExistsError,
    Op,
    OpResult,
    SessionLostError,
    SessionState,
    StoreError,
    WatchCallback,
    ZNode,
    enlist,
    enlist_at,
    split,
)
from pykafka_ops.broker.metadata.transaction import Changes
from pykafka_ops.broker.metadata.tree import ZNodeTree
from tests.support.simulated.loop import Clock, Life, SimLoop, this_life
from tests.support.simulated.network import NOBODY, Network

T = TypeVar("T")
HOST = "zk"
TIMEOUT_S = 6.0
LOOK_S = 0.5


class Ensemble:
    """The server: one tree, its sessions."""

    def __init__(self, loop: SimLoop, network: Network) -> None:
        self.loop = loop
        self.network = network
        self.tree = ZNodeTree(":memory:", lambda: Clock(loop).time_ns() // 1_000_000, durable=False)
        self.sessions: dict[int, SimStore] = {}
        self.written: Callable[[Op], None] = lambda op: None
        """Hears of every operation that was carried out."""
        self._heard: dict[int, float] = {}
        loop.call_later(LOOK_S, self._look, context=NOBODY)

    def open(self, store: SimStore) -> int:
        """A new session."""
        session = self.tree.new_session()
        self.sessions[session] = store
        self._heard[session] = self.loop.time()
        return session

    def end(self, session: int) -> None:
        """A session is over: what was ephemeral goes."""
        if self.sessions.pop(session, None) is None:
            return
        changes = Changes()
        for path in self.tree.end_session(session):
            changes.data[path] = changes.children[split(path)[0]] = None
        self.fire(changes)

    def apply(self, ops: Sequence[Op], session: int) -> list[OpResult]:
        """One transaction."""
        results, changes = self.tree.apply(ops, session)
        for op in ops:
            self.written(op)
        self.fire(changes)
        return results

    def fire(self, changes: Changes) -> None:
        """All sessions hear of what they watch."""
        for store in self.sessions.values():
            store.changed(changes)

    def reaches(self, life: Life) -> bool:
        """Whether a process and the server hear each other."""
        cuts = self.network
        return not cuts.is_cut(life.host, HOST) and not cuts.is_cut(HOST, life.host)

    def _look(self) -> None:
        """End the sessions of those that are silent for too long."""
        now = self.loop.time()
        for session, store in list(self.sessions.items()):
            life = store.life
            if life.alive and not life.paused and self.reaches(life):
                self._heard[session] = now
            elif now - self._heard[session] > TIMEOUT_S:
                self.end(session)
        self.loop.call_later(LOOK_S, self._look, context=NOBODY)


class SimStore(MetadataStore):
    """One process's client."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._loop = ensemble.loop
        self.life = this_life()
        self._session = ensemble.open(self)
        self._closed = False
        self._connected = asyncio.Event()
        self._connected.set()
        self._up = self._down = 0.0
        self._data: dict[str, list[WatchCallback]] = {}
        self._children: dict[str, list[WatchCallback]] = {}
        self._listeners: list[Callable[[SessionState], None]] = []
        self._pending: set[tuple[WatchCallback, str]] = set()
        self._loop.call_later(LOOK_S, self._look)

    @property
    def session_id(self) -> int:
        return self._session

    # -- calls

    async def get(self, path: str) -> ZNode | None:
        return await self._call(path, lambda: self._ensemble.tree.get(path))

    async def get_many(self, paths: Sequence[str]) -> list[ZNode | None]:
        tree = self._ensemble.tree
        return await self._call("/", lambda: [tree.get(path) for path in paths])

    async def children(self, path: str) -> list[str]:
        return await self._call(path, lambda: self._ensemble.tree.children(path))

    async def create(
        self,
        path: str,
        data: bytes | None = None,
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        make_parents: bool = False,
    ) -> str:
        try:
            return await super().create(
                path, data, ephemeral=ephemeral, sequence=sequence, make_parents=make_parents
            )
        except NodeExistsError:
            node = await self.get(path) if ephemeral else None
            if node and node.data == data and node.stat.ephemeral_owner == self._session:
                return path  # made before the connection broke
            raise

    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        wanted = list(ops)
        return await self._call("/", lambda: self._ensemble.apply(wanted, self._session))

    async def _call(self, path: str, work: Callable[[], T]) -> T:
        """Ask the server; again when the connection breaks, as ``ZooKeeperStore`` does."""
        session, ensemble = self._session, self._ensemble
        while True:
            if self._closed:
                raise SessionLostError(path)
            self._up = await self._hop(self._up)
            arrives = ensemble.reaches(self.life) or self._loop.draw.random() < 0.5
            if arrives and session in ensemble.sessions:
                try:
                    outcome: T | StoreError = work()
                except StoreError as error:
                    outcome = error
                self._down = await self._hop(self._down)
                if ensemble.reaches(self.life) and session in ensemble.sessions:
                    if isinstance(outcome, StoreError):
                        raise outcome
                    return outcome
            self._look_now()
            await self._connected.wait()
            if self._session != session:
                raise SessionLostError(path)

    async def _hop(self, after: float) -> float:
        """One way, behind what went before; when it arrives."""
        at = max(after, self._loop.time() + self._ensemble.network.delay())
        arrived: asyncio.Future[None] = self._loop.create_future()
        self._loop.call_at(at, _resolve, arrived)
        await arrived
        return max(at, self._loop.time())

    # -- watches

    def watch_data(self, path: str, fn: WatchCallback) -> Cancel:
        return enlist_at(self._data, path, fn)

    def watch_children(self, path: str, fn: WatchCallback) -> Cancel:
        return enlist_at(self._children, path, fn)

    def changed(self, changes: Changes) -> None:
        """The server's side: tell of what is watched, in order with the answers."""
        for table, paths in ((self._data, changes.data), (self._children, changes.children)):
            for path in paths:
                for fn in table.get(path, ()):
                    self._tell(fn, path)

    def _tell(self, fn: WatchCallback, path: str) -> None:
        if (fn, path) in self._pending:
            return
        self._pending.add((fn, path))
        at = max(self._down, self._loop.time() + self._ensemble.network.delay())
        self._down = at
        self._loop.call_at(at, self._fired, fn, path, context=self.life.context)

    def _fired(self, fn: WatchCallback, path: str) -> None:
        self._pending.discard((fn, path))
        if not self._closed and self._ensemble.reaches(self.life):
            fn(path)  # else it is called when there is a connection again

    # -- the session

    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        return enlist(self._listeners, fn)

    def _look(self) -> None:
        if not self._closed:
            self._look_now()
            self._loop.call_later(LOOK_S, self._look)

    def _look_now(self) -> None:
        """Notice that the server is gone, is back, or has given us up."""
        reached = self._ensemble.reaches(self.life)
        if self._connected.is_set() and not reached:
            self._connected.clear()
            self._say(SessionState.SUSPENDED)
        if not reached:
            return
        if self._session not in self._ensemble.sessions:
            self._connected.clear()
            self._say(SessionState.EXPIRED)
            self._session = self._ensemble.open(self)
        if not self._connected.is_set():
            self._connected.set()
            for table in (self._data, self._children):
                for path, waiting in list(table.items()):
                    for fn in list(waiting):
                        self._tell(fn, path)
            self._say(SessionState.CONNECTED)

    def _say(self, state: SessionState) -> None:
        for listener in list(self._listeners):
            listener(state)

    async def end_former_session(self, session: int) -> bool:
        former = self._ensemble.sessions.get(session)
        if former is None or former.life.host != self.life.host:
            return False
        if former.life.boot != self.life.boot:  # its file says so
            return False
        await self._call("/", lambda: self._ensemble.end(session))
        return True

    async def close(self) -> None:
        if self._closed:
            return
        self._up = await self._hop(self._up)
        self._closed = True
        if self._ensemble.reaches(self.life):
            self._ensemble.end(self._session)


def _resolve(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_result(None)
