"""Dynamic settings where they take effect: all at start, then what ``ConfigWatch`` reports.

Counterpart of the handlers in ``ConfigHandler.scala``.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable

from pykafka_ops.broker.metadata.store import MetadataStore, NoNodeError
from pykafka_ops.broker.metadata.znodes.config import (
    BROKERS,
    CLIENTS,
    DEFAULT_ENTITY,
    IPS,
    TOPICS,
    USERS,
    EntityConfig,
)
from pykafka_ops.broker.runtime.settings.effects import SettingEffects
from pykafka_ops.broker.runtime.settings.quotas import QuotaSettings
from pykafka_ops.broker.runtime.settings.watch import ConfigWatch
from pykafka_ops.broker.services import config_store
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.state.replication.throttle import ReplicationThrottles
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.settings import check

log = logging.getLogger("kafka.server.DynamicBrokerConfig")


class LiveSettings:
    """The overrides of every topic, the dynamic settings of this broker, and all quotas.

    ``effects`` is called with what changed while running. ``throttles`` get the throttled replicas;
    ``quotas`` is kept up to date.
    """

    def __init__(
        self,
        store: MetadataStore,
        broker_id: int,
        configs: BrokerConfigs,
        *,
        throttles: ReplicationThrottles,
        quotas: QuotaEntities,
    ) -> None:
        self._store = store
        self._broker_id = broker_id
        self._configs = configs
        self.effects: SettingEffects | None = None
        self._throttles = throttles
        self.quotas = QuotaSettings(store, quotas)
        self._overrides: dict[str, dict[str, str]] = {}
        self._watch = ConfigWatch(store, self._changed)

    def topic_config(self, topic: str) -> TopicConfig:
        """The settings of a topic as they count now."""
        return self._configs.topic_config(self._overrides.get(topic, {}))

    async def start(self) -> None:
        """Read everything, then follow the changes."""
        own = f"{BROKERS}/{self._broker_id}"
        await self._renew_passwords(own)
        await self._watch.start(f"{BROKERS}/{DEFAULT_ENTITY}", own)
        await self.quotas.load()
        with contextlib.suppress(NoNodeError):
            await self.load_topics(await self._store.children(EntityConfig.path(TOPICS)))

    async def _renew_passwords(self, own: str) -> None:
        """Encrypt by ``password.encoder.secret`` what only the old secret reads, so that it can be
        given up: ``DynamicBrokerConfig.maybeReEncodePasswords``."""
        renew = self._configs.resealed
        try:
            (stored,) = await config_store.read(self._store, own)
            if renew(stored) != stored:
                await config_store.change(self._store, own, renew)
                log.info("passwords of %s are encrypted by the new secret", own)
        except KafkaError as error:
            log.warning("passwords of %s stay encrypted as they are: %s", own, error)

    async def close(self) -> None:
        """Stop following."""
        await self._watch.close()
        await self.quotas.close()

    async def load_topics(self, topics: Iterable[str]) -> None:
        """Read the overrides of topics that are new to this broker."""
        names = [topic for topic in topics if topic not in self._overrides]
        nodes = await self._store.get_many([EntityConfig.topic(name) for name in names])
        for name, node in zip(names, nodes, strict=True):
            try:
                found = EntityConfig.decode(f"{TOPICS}/{name}", node.data if node else None)
            except PkoError as error:
                log.error("ignoring settings of topic %s: %s", name, error)
                found = {}
            self._set_topic(name, found)

    def forget_topic(self, topic: str) -> None:
        """The topic was deleted."""
        self._overrides.pop(topic, None)
        self._throttles.topic_changed(topic, {})

    def _changed(self, entity: str, values: dict[str, str]) -> None:
        kind, _, name = entity.partition("/")
        if kind == TOPICS:
            self._set_topic(name, values)
            if self.effects is not None:
                self.effects.topic_changed(name, self._configs.topic_config(values))
        elif kind == BROKERS and name in (DEFAULT_ENTITY, str(self._broker_id)):
            self._take_broker(name, values)
        elif kind in (USERS, CLIENTS, IPS):
            self.quotas.changed(entity, values)

    def _set_topic(self, name: str, overrides: dict[str, str]) -> None:
        if overrides != self._overrides.get(name, {}):
            for line in check.review_topic(overrides):
                log.warning("topic %s: %s", name, line)
        self._overrides[name] = overrides
        self._throttles.topic_changed(name, overrides)

    def _take_broker(self, name: str, values: dict[str, str]) -> None:
        if name == DEFAULT_ENTITY:
            applied = self._configs.set_dynamic_default(values)
        else:
            applied = self._configs.set_dynamic_broker(values)
        for line in applied.ignored:
            log.warning("%s: %s", EntityConfig.path(f"{BROKERS}/{name}"), line)
        if applied.changed and self.effects is not None:
            self.effects.broker_changed(applied.changed)
