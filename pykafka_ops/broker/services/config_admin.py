"""Settings of topics, this broker, all brokers, and levels of loggers: changed and described.

Counterpart of ``ConfigAdminManager``, ``ConfigHelper`` and of the alter half of
``ZkAdminManager``; error codes and texts are Kafka's.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.config import BROKERS, DEFAULT_ENTITY, TOPICS
from pykafka_ops.broker.services import broker_loggers, config_store
from pykafka_ops.broker.state.configs import dynamic
from pykafka_ops.broker.state.configs.alter import (
    Change,
    ConfigResourceType,
    apply_changes,
    check_changes,
    describe_resource,
)
from pykafka_ops.broker.state.configs.running import BrokerConfigs, is_short
from pykafka_ops.broker.state.configs.sources import DescribedConfig
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import check_name
from pykafka_ops.errors import KafkaError, SettingError, TlsSettingError
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.types import Type
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ConfigAdminManager")

S = TypeVar("S")
Described = tuple[int, str, list[str] | None]
"""A resource to describe: kind, name, which settings (None: all)."""
MEMO_LIMIT = 1000
"""Kinds of topics whose settings are kept as they are shown."""

_INTEGER = re.compile(r"[+-]?\d+")


class Item(NamedTuple):
    """One resource of a request; ``replace`` when it names every setting that is to remain."""

    kind: int
    name: str
    changes: list[Change]
    replace: bool = True


class ConfigOutcome(NamedTuple):
    """What became of an item; ``message`` is None where the code says it all."""

    code: int
    message: str | None


def broker_id_of(name: str, what: str) -> int:
    """The number in a resource name. Raises KafkaError INVALID_REQUEST."""
    if not _INTEGER.fullmatch(name) or not -(2**31) <= int(name) < 2**31:
        text = f"{what} id must be an integer, but it is: {name}"
        raise KafkaError(ErrorCode.INVALID_REQUEST, text)
    return int(name)


def outcome(error: KafkaError | None) -> ConfigOutcome:
    """What to answer for an error; a text that only repeats Kafka's own is left out."""
    if error is None:
        return ConfigOutcome(ErrorCode.NONE, None)
    code = ErrorCode.of(error.code)
    return ConfigOutcome(
        code, error.message if error.message and error.message != code.text else None
    )


@dataclass(slots=True, eq=False)
class ConfigAdmin:
    """Those in ``levels_changed`` are called when loggers have other levels."""

    store: MetadataStore
    image: MetadataImage
    configs: BrokerConfigs
    broker_id: int
    levels_changed: Sequence[Callable[[], None]] = ()
    check_tls: Callable[[BrokerConfigs], Coroutine[Any, Any, None]] | None = None

    async def alter(self, items: list[Item], validate_only: bool) -> list[ConfigOutcome]:
        """Change each item's settings; one that fails harms no other."""
        counted = Counter((item.kind, item.name) for item in items)
        outcomes = []
        for item in items:
            error: KafkaError | None = None
            try:
                if counted[item.kind, item.name] > 1:
                    text = "Each resource must appear at most once."
                    raise KafkaError(ErrorCode.INVALID_REQUEST, text)
                await self._alter(item, validate_only)
            except KafkaError as found:
                error = found
            except SettingError as found:
                resource = describe_resource(ConfigResourceType.of(item.kind), item.name)
                text = f"Invalid config value for resource {resource}: {found}"
                error = KafkaError(ErrorCode.INVALID_CONFIG, text)
            except Exception as found:
                log.error("altering configs of %s %s", item.kind, item.name, exc_info=found)
                error = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
            outcomes.append(outcome(error))
        return outcomes

    async def _alter(self, item: Item, validate_only: bool) -> None:
        check_changes(item.changes)
        kind = ConfigResourceType.of(item.kind)
        if kind is ConfigResourceType.TOPIC:
            await self._alter_topic(item, validate_only)
        elif kind is ConfigResourceType.BROKER:
            await self._alter_broker(item, validate_only)
        elif kind is ConfigResourceType.BROKER_LOGGER and not item.replace:
            self._alter_loggers(item, validate_only)
        elif kind is ConfigResourceType.CLIENT_METRICS:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                "AlterConfigs is only supported for topics and brokers, but resource type is "
                "CLIENT_METRICS",
            )
        else:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown resource type {item.kind}")

    async def _alter_topic(self, item: Item, validate_only: bool) -> None:
        if not item.name:
            raise KafkaError(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.")
        if item.name not in self.image.topics:
            text = f"The topic '{item.name}' does not exist."
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)

        def edit(present: dict[str, str]) -> Mapping[str, str]:
            values = apply_changes({} if item.replace else present, item.changes, TOPIC)
            self.configs.check_topic(values)
            return values

        await config_store.change(
            self.store, f"{TOPICS}/{item.name}", edit, validate_only=validate_only
        )

    async def _alter_broker(self, item: Item, validate_only: bool) -> None:
        if item.name and broker_id_of(item.name, "Node") != self.broker_id:
            raise KafkaError(
                ErrorCode.INVALID_REQUEST,
                f"Unexpected broker id, expected {self.broker_id}, but received {item.name}",
            )
        per_broker = bool(item.name)
        entity = f"{BROKERS}/{self.broker_id if per_broker else DEFAULT_ENTITY}"

        def edit(present: dict[str, str]) -> Mapping[str, str]:
            usable = self.configs.stored_broker(present, per_broker=per_broker)
            values = apply_changes({} if item.replace else usable, item.changes, BROKER)
            self.configs.check_broker(values, per_broker=per_broker)
            return values

        if self.check_tls is not None:
            wanted = edit((await config_store.read(self.store, entity))[0])
            try:
                await self.check_tls(self.configs.with_broker(wanted, per_broker=per_broker))
            except (SettingError, TlsSettingError) as error:
                raise dynamic.invalid(str(error)) from None

        def sealed(present: dict[str, str]) -> Mapping[str, str]:
            return self.configs.sealed(edit(present))

        await config_store.change(self.store, entity, sealed, validate_only=validate_only)

    def _alter_loggers(self, item: Item, validate_only: bool) -> None:
        expected = self.broker_id
        if broker_id_of(item.name, "Node") != expected:
            text = f"Unexpected node id. Expected {expected}, but received {item.name}"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)
        broker_loggers.check(item.changes)
        if not validate_only:
            broker_loggers.change(item.changes)
            for changed in self.levels_changed:
                changed()

    # -- describe

    async def overrides(self, topics: Sequence[str]) -> dict[str, dict[str, str]]:
        """The own settings of topics, of those that exist. Raises KafkaError
        UNKNOWN_SERVER_ERROR."""
        known = sorted({topic for topic in topics if topic in self.image.topics})
        if not known:
            return {}
        found = await config_store.read(self.store, *(f"{TOPICS}/{topic}" for topic in known))
        return dict(zip(known, found, strict=True))

    def describe(
        self,
        kind: int,
        name: str,
        own: Mapping[str, str] | None,
        keys: list[str] | None,
        *,
        docs: bool,
    ) -> list[DescribedConfig]:
        """The settings of a resource with these keys (all if there are none).

        ``own`` are a topic's overrides, None if there is no such topic; ``docs`` asks for
        documentation. Raises KafkaError INVALID_REQUEST, INVALID_TOPIC_EXCEPTION or
        UNKNOWN_TOPIC_OR_PARTITION.
        """
        match ConfigResourceType.of(kind):
            case ConfigResourceType.TOPIC:
                check_name(name)
                if own is None:
                    raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                return self.configs.describe_topic(own, keys, docs=docs)
            case ConfigResourceType.BROKER:
                if not name:
                    return self.configs.describe_default(keys, docs=docs)
                self._check_broker(name, "or empty string, but received")
                return self.configs.describe_broker(keys, docs=docs)
            case ConfigResourceType.BROKER_LOGGER:
                if not name:
                    raise KafkaError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
                self._check_broker(name, "but received")
                return _loggers(keys)
            case _:
                text = "Client metrics subscription name must not be empty"
                if name:
                    text = "Config type client-metrics is only supported on KRaft clusters"
                raise KafkaError(ErrorCode.INVALID_REQUEST, text)

    async def describe_all(
        self,
        asked: Sequence[Described],
        shape: Callable[[DescribedConfig], S],
        form: Hashable,
        *,
        docs: bool,
    ) -> list[list[S] | KafkaError]:
        """As :meth:`shown` for each resource, or what went wrong with it. Raises KafkaError
        INVALID_REQUEST where the kind of one has no settings, StoreError."""
        odd = (ConfigResourceType.UNKNOWN, ConfigResourceType.GROUP)
        if any(ConfigResourceType.of(kind) in odd for kind, _, _ in asked):
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        overrides = await self.overrides([n for k, n, _ in asked if k == ConfigResourceType.TOPIC])
        found: list[list[S] | KafkaError] = []
        for each in asked:
            try:
                found.append(self.shown(shape, form, each, overrides.get(each[1]), docs=docs))
            except KafkaError as error:
                found.append(error)
        return found

    def shown(
        self,
        shape: Callable[[DescribedConfig], S],
        form: Hashable,
        asked: Described,
        own: Mapping[str, str] | None,
        *,
        docs: bool,
    ) -> list[S]:
        """What ``shape`` makes of each setting that :meth:`describe` gives for kind, name and keys.

        Most topics of a cluster have the same settings: what was made for some is kept for others,
        if the ``form`` is the same.
        """
        kind, name, keys = asked
        remembered = kind == ConfigResourceType.TOPIC and own is not None and is_short(own)
        key: Hashable = None
        if remembered and own is not None:
            named = frozenset(TOPIC.keys() & keys) if keys else None
            key = (frozenset(own.items()), named, form, docs)
            found: list[S] | None = self.configs.memo.get(key)
            if found is not None:
                return found
        made = [shape(entry) for entry in self.describe(kind, name, own, keys, docs=docs)]
        if remembered and len(self.configs.memo) < MEMO_LIMIT:
            self.configs.memo[key] = made
        return made

    def _check_broker(self, name: str, words: str) -> None:
        expected = self.broker_id
        if broker_id_of(name, "Broker") != expected:
            text = f"Unexpected broker id, expected {expected} {words} {name}"
            raise KafkaError(ErrorCode.INVALID_REQUEST, text)


def _loggers(keys: list[str] | None) -> list[DescribedConfig]:
    return [
        DescribedConfig(
            name, level, ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG, False, False, Type.UNKNOWN
        )
        for name, level in broker_loggers.loggers().items()
        if not keys or name in keys
    ]
