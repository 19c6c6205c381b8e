"""The tree of znodes of a cluster: a ZooKeeper ensemble, through kazoo.

kazoo does its work in threads of its own, so heartbeats go out however busy the event loop is.
Requests of one session are answered in the order they were made, which is what makes a watch that
is set before a read see every change after it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from kazoo import exceptions as zk
from kazoo.client import KazooState
from kazoo.protocol.serialization import CheckVersion, GetData
from kazoo.protocol.serialization import Create as ZkCreate
from kazoo.protocol.serialization import Delete as ZkDelete
from kazoo.protocol.serialization import SetData as ZkSetData

from pykafka_ops.broker.metadata.store import (
    ANY_VERSION,
    Cancel,
    Check,
    Create,
    Delete,
    MetadataStore,
    NodeExistsError,
    Op,
    OpResult,
    SessionLostError,
    SessionState,
    SetData,
    Stat,
    StoreError,
    WatchCallback,
    ZNode,
    enlist,
    split,
)
from pykafka_ops.broker.metadata.zookeeper.client import (
    end_client,
    make_chroot,
    new_client,
    open_client,
    send_all,
)
from pykafka_ops.broker.metadata.zookeeper.errors import error_of
from pykafka_ops.broker.metadata.zookeeper.reads import AT_ONCE, MANY, ManyReads
from pykafka_ops.broker.metadata.zookeeper.session import FormerSession, Session
from pykafka_ops.broker.metadata.zookeeper.watches import Watches
from pykafka_ops.zookeeper.access import Access
from pykafka_ops.zookeeper.acls import default_acls
from pykafka_ops.zookeeper.client import NOBODY, Client

T = TypeVar("T")
Send = Callable[[], Any]
"""Hands one request to kazoo; its IAsyncResult."""

IN_FLIGHT = 2_000
"""Requests of one ``get_many`` that are under way at once."""


class ZooKeeperStore(MetadataStore):
    """A session on a ZooKeeper ensemble.

    One instance is one client; when its session expires kazoo begins another, which listeners
    hear as EXPIRED, then CONNECTED. While no server answers, calls wait. Those that write may then
    have been carried out twice in a row; see :meth:`create` and :meth:`multi`.
    """

    def __init__(
        self, client: Client, loop: asyncio.AbstractEventLoop, *, set_acl: bool = False
    ) -> None:
        """Use :meth:`connect`."""
        self._client = client
        self._acls = partial(default_acls, secure=set_acl)
        self._loop = loop
        self._listeners: list[Callable[[SessionState], None]] = []
        self._connected = asyncio.Event()
        self._session = 0
        self._closed = False
        self._watches = Watches(client, loop)
        self._former: FormerSession | None = None
        self._many = ManyReads(client)

    @classmethod
    async def connect(
        cls,
        connect: str,
        *,
        session_timeout_ms: int,
        connection_timeout_ms: int,
        session_file: str | PathLike[str] | None = None,
        access: Access = NOBODY,
        set_acl: bool = False,
    ) -> ZooKeeperStore:
        """Connect to ``host:port,...[/chroot]`` (``zookeeper.connect``), making the chroot.

        ``session_file`` keeps the session for :meth:`end_former_session` of a next life;
        ``set_acl`` makes what is written ours, which needs an ``access`` that is secure. Raises
        ConnectError if no server lets us in within ``connection_timeout_ms``.
        """
        hosts, slash, chroot = connect.partition("/")
        if slash and chroot.strip("/"):
            path = chroot.strip("/")
            try:
                await make_chroot(hosts, path, connection_timeout_ms, access, secure=set_acl)
            except zk.ZookeeperError as error:
                raise error_of(f"/{path}", error) from None
        client = new_client(connect.rstrip("/"), session_timeout_ms, access)
        store = cls(client, asyncio.get_running_loop(), set_acl=set_acl)
        if session_file is not None:
            store._former = FormerSession(Path(session_file), hosts, connection_timeout_ms, access)
        client.add_listener(store._heard)
        await open_client(client, hosts, connection_timeout_ms)
        await store._connected.wait()
        return store

    @property
    def session_id(self) -> int:
        return self._session

    # -- reads

    async def get(self, path: str) -> ZNode | None:
        split(path)
        found = await self._call(path, lambda: self._client.get_async(path), missing=None)
        return None if found is None else ZNode(found[0], Stat(*found[1]))

    async def get_many(self, paths: Sequence[str]) -> list[ZNode | None]:
        """As ``get`` for each path, with many requests under way at once, or in few requests."""
        nodes: list[ZNode | None] = []
        if len(paths) >= MANY and await self._many.are_known():
            for start in range(0, len(paths), AT_ONCE):
                full = [self._absolute(path) for path in paths[start : start + AT_ONCE]]
                nodes += await self._call(paths[start], partial(self._many.send, full))
            return nodes
        for start in range(0, len(paths), IN_FLIGHT):
            part = paths[start : start + IN_FLIGHT]
            found = await self._together(part)
            nodes += [None if each is None else ZNode(each[0], Stat(*each[1])) for each in found]
        return nodes

    def _absolute(self, path: str) -> str:
        """As the server knows it."""
        return self._client.chroot + path if path != "/" else self._client.chroot or "/"

    async def exists(self, path: str) -> Stat | None:
        split(path)
        found = await self._call(path, lambda: self._client.exists_async(path))
        return None if found is None else Stat(*found)

    async def children(self, path: str) -> list[str]:
        split(path)
        return sorted(await self._call(path, lambda: self._client.get_children_async(path)))

    # -- writes

    async def set(self, path: str, data: bytes | None, version: int = ANY_VERSION) -> Stat:
        split(path)
        return Stat(*await self._call(path, lambda: self._client.set_async(path, data, version)))

    async def create(
        self,
        path: str,
        data: bytes | None = None,
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        make_parents: bool = False,
    ) -> str:
        """Create a znode; its path. Raises NodeExistsError, NoNodeError (no parent).

        An ephemeral that this session has made already with the same data, before the connection
        broke, is the one asked for.
        """
        split(path + "0" if sequence else path)
        if make_parents:
            await self._make_parents(path)

        def send() -> Any:
            return self._client.create_async(
                path, data, acl=self._acls(path), ephemeral=ephemeral, sequence=sequence
            )

        try:
            return str(await self._call(path, send))
        except NodeExistsError:
            node = await self.get(path) if ephemeral else None
            if node and node.data == data and node.stat.ephemeral_owner == self.session_id:
                return path
            raise

    async def delete(self, path: str, version: int = ANY_VERSION) -> None:
        if split(path) == ("", ""):
            raise StoreError(path, "the root cannot be deleted")
        await self._call(path, lambda: self._client.delete_async(path, version))

    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        """All operations or none. Raises what the first bad one would, with ``index`` set.

        After a broken connection it is sent again, and may then fail because it was carried out
        the first time: callers read again what they meant to change, as after a rival's write.
        """
        wanted = list(ops)
        if not wanted:
            return []

        def send() -> Any:
            transaction = self._client.transaction()
            transaction.operations += [self._zk_op(op) for op in wanted]
            return transaction.commit_async()

        results: list[OpResult] = []
        for index, result in enumerate(await self._call(wanted[0].path, send)):
            if isinstance(result, Exception):
                if not isinstance(result, zk.RolledBackError):
                    raise error_of(wanted[index].path, result, index)
            elif isinstance(result, str):
                results.append(result)
            else:
                results.append(None if result is True else Stat(*result))
        return results

    def _zk_op(self, op: Op) -> Any:
        """kazoo's own methods refuse a znode without data."""
        path = self._absolute(op.path)
        if isinstance(op, Create):
            split(op.path + "0" if op.sequence else op.path)
            flags = op.ephemeral + 2 * op.sequence
            return ZkCreate(path, op.data, self._acls(op.path), flags)
        split(op.path)
        if isinstance(op, SetData):
            return ZkSetData(path, op.data, op.version)
        if isinstance(op, Delete):
            return ZkDelete(path, op.version)
        assert isinstance(op, Check)
        return CheckVersion(path, op.version)

    # -- watches, session

    def watch_data(self, path: str, fn: WatchCallback) -> Cancel:
        split(path)
        return self._watches.data(path, fn)

    def watch_children(self, path: str, fn: WatchCallback) -> Cancel:
        split(path)
        return self._watches.children(path, fn)

    def on_session(self, fn: Callable[[SessionState], None]) -> Cancel:
        return enlist(self._listeners, fn)

    async def end_former_session(self, session: int) -> bool:
        """End a session of this broker's former life, which was killed; whether it was one."""
        return self._former is not None and await self._former.end(session)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._watches.close()
        connected = self._connected.is_set()
        await end_client(self._client)
        if self._former is not None and connected:
            self._former.forget()

    # -- kazoo's threads

    def _heard(self, state: str) -> None:
        """In kazoo's thread, which must not wait."""
        session = self._client.client_id or (0, b"")
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._changed, state, session)

    def _changed(self, state: str, session: Session) -> None:
        if state == KazooState.CONNECTED:
            if self._former is not None and session[0] != self._session:
                self._former.keep(session)
            self._session = session[0]
            self._many.forget()
            self._connected.set()
            self._watches.arm_again()
            now = SessionState.CONNECTED
        else:
            self._connected.clear()
            lost = state == KazooState.LOST
            now = SessionState.EXPIRED if lost else SessionState.SUSPENDED
        if not self._closed:
            for listener in list(self._listeners):
                listener(now)

    async def _call(self, path: str, send: Send, **missing: Any) -> Any:
        """The reply to a request, sent again after each broken connection of the session.

        With ``missing`` that is the reply where there is no such znode. Raises StoreError.
        """
        session = self._session
        while True:
            if self._closed:
                raise SessionLostError(path)
            reply = self._loop.create_future()
            began = self._loop.time()
            self._watches.send()
            send().rawlink(lambda result, reply=reply: self._hand_over(reply, result))
            result = await reply
            if self.on_reply is not None:
                self.on_reply((self._loop.time() - began) * 1000)
            if result.exception is None:
                return result.value
            if isinstance(result.exception, zk.NoNodeError) and missing:
                return missing["missing"]
            if not isinstance(result.exception, zk.ConnectionLoss):
                raise error_of(path, result.exception)
            await self._connected.wait()
            if self._session != session:
                raise SessionLostError(path)

    async def _together(self, paths: Sequence[str]) -> list[Any]:
        """What ``get`` of each answers; None for those that do not exist."""
        found: list[Any] = [None] * len(paths)
        waiting = list(range(len(paths)))
        session = self._session
        while waiting:
            if self._closed:
                raise SessionLostError(paths[0])
            results = await self._all([paths[i] for i in waiting])
            again = []
            for number, result in zip(waiting, results, strict=True):
                if result.exception is None:
                    found[number] = result.value
                elif isinstance(result.exception, zk.ConnectionLoss):
                    again.append(number)
                elif not isinstance(result.exception, zk.NoNodeError):
                    raise error_of(paths[number], result.exception)
            waiting = again
            if waiting:
                await self._connected.wait()
                if self._session != session:
                    raise SessionLostError(paths[0])
        return found

    def _all(self, paths: Sequence[str]) -> Awaitable[list[Any]]:
        """All results at once: waking the loop for each would cost more than the requests.

        They are completed one after the other by kazoo's one thread for that.
        """
        reply: asyncio.Future[list[Any]] = self._loop.create_future()
        results: list[Any] = []
        left = len(paths)

        def one(_: Any) -> None:
            nonlocal left
            left -= 1
            if not left:
                self._hand_over(reply, results)

        requests = []
        for path in paths:
            result = self._client.handler.async_result()
            result.rawlink(one)
            results.append(result)
            requests.append((GetData(self._absolute(path), None), result))
        self._watches.send()
        send_all(self._client, requests)
        return reply

    def _hand_over(self, reply: asyncio.Future[Any], result: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(_resolve, reply, result)


def _resolve(reply: asyncio.Future[T], result: T) -> None:
    if not reply.done():
        reply.set_result(result)
