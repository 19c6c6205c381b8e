"""Numbered znodes by which one broker tells the others what to read again.

Counterpart of ``ZkNodeChangeNotificationListener``. Each is handled once; those that are 15 minutes
older than the newest are removed by whoever comes by. (Kafka goes by the clock of the broker: one
that is ahead removes what others have not seen.)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.store import Cancel, MetadataStore, NoNodeError, StoreError
from pykafka_ops.errors import PkoError

EXPIRY_MS: Final = 15 * 60 * 1000
RETRY_S: Final = 1.0

log = logging.getLogger("kafka.common.ZkNodeChangeNotificationListener")

Read = Callable[[bytes | None], Awaitable[None]]
"""Called with the data of one notification. StoreError has it called again a little later; any
other PkoError says that the data make no sense."""


class Notifications:
    """Calls ``read`` for every notification that comes after :meth:`start`.

    ``prefix`` is the path of the sequence without its number. Calls come on the event loop, one
    after the other, in the order of the notifications.
    """

    def __init__(self, store: MetadataStore, prefix: str, read: Read) -> None:
        self._store = store
        self._path, _, self._name = prefix.rpartition("/")
        self._read = read
        self._last = -1
        self._dirty = False
        self._task: asyncio.Task[None] | None = None
        self._cancel: Cancel | None = None

    async def start(self) -> None:
        """Begin to watch; whoever calls then reads all there is. Raises StoreError."""
        self._cancel = self._store.watch_children(self._path, self._wake)
        names = await self._store.children(self._path)
        self._last = max(map(self._number, names), default=-1)

    async def close(self) -> None:
        """Stop watching; a call under way ends first."""
        if self._cancel is not None:
            self._cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _wake(self, _path: str) -> None:
        self._dirty = True
        if self._task is None or self._task.done():
            self._task = jobs.start(f"notifications of {self._path}", self._follow())

    async def _follow(self) -> None:
        while self._dirty:
            self._dirty = False
            try:
                await self._read_new()
            except StoreError as error:
                log.warning("cannot read %s: %s; trying again", self._path, error)
                self._dirty = True
                await asyncio.sleep(RETRY_S)

    async def _read_new(self) -> None:
        names = sorted(await self._store.children(self._path), key=self._number)
        for name in names:
            if self._number(name) <= self._last:
                continue
            node = await self._store.get(f"{self._path}/{name}")
            if node is not None:
                await self._handle(name, node.data)
            self._last = self._number(name)
        await self._purge(names)

    async def _handle(self, name: str, data: bytes | None) -> None:
        try:
            await self._read(data)
        except StoreError:
            raise
        except PkoError as error:
            log.error("cannot read notification %s of %s: %s", name, self._path, error)

    async def _purge(self, names: list[str]) -> None:
        """Remove notifications that every live broker has long seen."""
        paths = [f"{self._path}/{name}" for name in names]
        newest = await self._store.exists(paths[-1]) if paths else None
        for path in paths[:-1]:
            stat = await self._store.exists(path)
            if stat is None:
                continue
            if newest is None or stat.ctime + EXPIRY_MS >= newest.ctime:
                return
            try:
                await self._store.delete(path)
            except NoNodeError:
                continue

    def _number(self, name: str) -> int:
        """The sequence number of a notification; -1 for any other znode."""
        digits = name.removeprefix(self._name)
        return int(digits) if digits.isdecimal() else -1
