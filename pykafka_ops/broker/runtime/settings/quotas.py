"""Quotas where they take effect: all at start, then what changes.

Counterpart of ``QuotaConfigHandler`` and ``IpConfigHandler``.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping

from pykafka_ops.broker import jobs
from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.config import EntityConfig, quota_entity
from pykafka_ops.broker.services.config_entities import address_of, quota_paths
from pykafka_ops.broker.state.quotas.entities import QuotaEntities, QuotaEntity
from pykafka_ops.errors import PkoError

log = logging.getLogger("kafka.server.DynamicBrokerConfig")


class QuotaSettings:
    """Keeps ``quotas`` like the tree."""

    def __init__(self, store: MetadataStore, quotas: QuotaEntities) -> None:
        self._store = store
        self._quotas = quotas
        self._tasks: set[asyncio.Task[None]] = set()
        self._resolving = asyncio.Lock()
        self.observers: list[Callable[[str, Mapping[str, str]], None]] = []
        """Called with everything that :meth:`changed` is."""

    async def load(self) -> None:
        """Take every quota there is. Raises StoreError."""
        paths = await quota_paths(self._store)
        nodes = await self._store.get_many([EntityConfig.path(path) for path in paths])
        for path, node in zip(paths, nodes, strict=True):
            try:
                values = EntityConfig.decode(path, None if node is None else node.data)
            except PkoError as error:
                log.error("ignoring settings of %s: %s", path, error)
                continue
            self.changed(path, values)

    def changed(self, path: str, values: Mapping[str, str]) -> None:
        """These are all the settings of an entity (``users/alice/clients/app``) now."""
        for observe in self.observers:
            observe(path, values)
        entity = quota_entity(path)
        if entity is None:
            log.error("%s cannot have quotas: ignored", EntityConfig.path(path))
        elif not entity.ip:
            self._set(path, entity, values)
        elif (address := address_of(entity.ip, socket.AI_NUMERICHOST)) is not None:
            self._set(path, QuotaEntity(ip=address), values)
        else:
            task = jobs.start(f"look-up of {entity.ip}", self._resolve(path, entity.ip, values))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _resolve(self, path: str, host: str, values: Mapping[str, str]) -> None:
        """A host by its name: ask for its address without holding up the broker."""
        async with self._resolving:  # so that the last change takes effect last
            address = await asyncio.to_thread(address_of, host)
        if address is None:
            log.error("%s: unable to resolve address %s", EntityConfig.path(path), host)
        else:
            self._set(path, QuotaEntity(ip=address), values)

    def _set(self, path: str, entity: QuotaEntity, values: Mapping[str, str]) -> None:
        for line in self._quotas.set(entity, values):
            log.warning("%s: %s", EntityConfig.path(path), line)

    async def close(self) -> None:
        """Resolve no more names."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
