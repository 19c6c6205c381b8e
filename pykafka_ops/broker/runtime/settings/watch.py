"""Follow changes of dynamic settings: every broker reads what a notification names.

Counterpart of ``ZkNodeChangeNotificationListener`` and ``ZkConfigManager``: notifications are
numbered znodes below ``/config/changes``; each is handled once, and those that are 15 minutes older
than the newest are removed by whoever comes by. (Kafka goes by the clock of the broker: one that is
ahead removes what others have not seen.)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.store import Cancel, MetadataStore, NoNodeError, StoreError
from pykafka_ops.broker.metadata.znodes.config import ConfigChanges, EntityConfig
from pykafka_ops.errors import PkoError

log = logging.getLogger("kafka.server.DynamicBrokerConfig")

EXPIRY_MS = 15 * 60 * 1000
RETRY_S = 1.0

OnChange = Callable[[str, dict[str, str]], None]
"""Called with an entity (``topics/t``, ``brokers/0``, ``users/u``) and all its settings."""


class ConfigWatch:
    """Calls ``on_change`` for every entity whose settings changed after ``start``.

    Calls come on the event loop, one after the other, in the order of the notifications; an
    exception of ``on_change`` is logged.
    """

    def __init__(self, store: MetadataStore, on_change: OnChange) -> None:
        self._store = store
        self._on_change = on_change
        self._last = -1
        self._dirty = False
        self._task: asyncio.Task[None] | None = None
        self._cancel: Cancel | None = None

    async def start(self, *entities: str) -> None:
        """Begin to watch, then report the present settings of ``entities``.

        Earlier changes are not reported: other entities are read when needed. Raises
        StoreError.
        """
        self._cancel = self._store.watch_children(ConfigChanges.path, self._wake)
        names = await self._store.children(ConfigChanges.path)
        self._last = max(map(_number, names), default=-1)
        for entity in entities:
            await self._tell(entity, at_start=True)

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
            self._task = jobs.start("changes of settings", self._follow())

    async def _follow(self) -> None:
        while self._dirty:
            self._dirty = False
            try:
                await self._read_changes()
            except StoreError as error:
                log.warning("cannot read %s: %s; trying again", ConfigChanges.path, error)
                self._dirty = True
                await asyncio.sleep(RETRY_S)

    async def _read_changes(self) -> None:
        names = sorted(await self._store.children(ConfigChanges.path), key=_number)
        for name in names:
            if _number(name) <= self._last:
                continue
            node = await self._store.get(f"{ConfigChanges.path}/{name}")
            if node is not None:
                await self._handle(name, node.data)
            self._last = _number(name)
        await self._purge(names)

    async def _handle(self, name: str, data: bytes | None) -> None:
        try:
            entity = ConfigChanges.decode(data)
        except PkoError as error:
            log.error("cannot read notification %s: %s", name, error)
            return
        await self._tell(entity)

    async def _tell(self, entity: str, *, at_start: bool = False) -> None:
        node = await self._store.get(EntityConfig.path(entity))
        try:
            values = EntityConfig.decode(entity, None if node is None else node.data)
        except PkoError as error:
            log.error("settings of %s stay as they are: %s", entity, error)
            return
        try:
            if values or not at_start:
                log.info("settings of %s: %s", entity, ", ".join(sorted(values)) or "the defaults")
            self._on_change(entity, values)
        except Exception as error:
            log.error("cannot apply settings of %s", entity, exc_info=error)

    async def _purge(self, names: list[str]) -> None:
        """Remove notifications that every live broker has long seen."""
        paths = [f"{ConfigChanges.path}/{name}" for name in names]
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


def _number(name: str) -> int:
    """The sequence number of a notification; -1 for any other znode."""
    digits = name.removeprefix(ConfigChanges.prefix.rpartition("/")[2])
    return int(digits) if digits.isdecimal() else -1
