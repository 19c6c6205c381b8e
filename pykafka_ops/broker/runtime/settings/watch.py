"""Follow changes of dynamic settings: every broker reads what a notification names.

Counterpart of ``ZkConfigManager``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.config import ConfigChanges, EntityConfig
from pykafka_ops.broker.runtime.cluster.notifications import Notifications
from pykafka_ops.errors import PkoError

log = logging.getLogger("kafka.server.DynamicBrokerConfig")

OnChange = Callable[[str, dict[str, str]], None]
"""Called with an entity (``topics/t``, ``brokers/0``, ``users/u``) and all its settings."""


class ConfigWatch:
    """Calls ``on_change`` for every entity whose settings changed after ``start``; what it raises
    is logged."""

    def __init__(self, store: MetadataStore, on_change: OnChange) -> None:
        self._store = store
        self._on_change = on_change
        self._changes = Notifications(store, ConfigChanges.prefix, self._changed)

    async def start(self, *entities: str) -> None:
        """Begin to watch, then report the present settings of ``entities``.

        Earlier changes are not reported: other entities are read when needed. Raises
        StoreError.
        """
        await self._changes.start()
        for entity in entities:
            await self._report(entity, at_start=True)

    async def close(self) -> None:
        """Stop watching; a call under way ends first."""
        await self._changes.close()

    async def _changed(self, data: bytes | None) -> None:
        await self._report(ConfigChanges.decode(data))

    async def _report(self, entity: str, *, at_start: bool = False) -> None:
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
