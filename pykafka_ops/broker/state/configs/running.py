"""The settings of a running broker: the values in effect, their sources, what may change.

Precedence: Kafka's default < server.properties < dynamic default of the cluster < dynamic setting
of this broker; a topic's own setting beats all of them. Counterpart of ``KafkaConfig``,
``DynamicBrokerConfig`` and ``ConfigHelper``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from pykafka_ops.broker.state.configs import dynamic
from pykafka_ops.broker.state.configs.sources import (
    Chained,
    DescribedConfig,
    is_dynamic,
    is_secret,
    known,
    merge,
    synonyms,
    type_of,
)
from pykafka_ops.broker.state.configs.stored import Sealing, Unsealed, usable
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.settings import check
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.types import Type, Value, show
from pykafka_ops.wire.codes import ErrorCode

MAX_LONG = str(2**63 - 1)
_DEFAULTS = {s.name: s.default for s in BROKER.values() if s.default is not None}
_DEFAULT_VALUES = {s.name: s.default_value for s in (*BROKER.values(), *BROKER_QUOTAS.values())}
_FORMAT_VERSION = "message.format.version"
_CACHED_TOPIC_CONFIGS = 10_000
_SHORT_SETTINGS = 1_000
_NOT_APPLIED = "not applied: "


def is_short(overrides: Mapping[str, str]) -> bool:
    """Whether a topic's settings may be remembered by their text: some values are long lists."""
    return sum(map(len, overrides.values())) <= _SHORT_SETTINGS


class Applied(NamedTuple):
    """The effect of new dynamic settings: names whose value changed, and what was left out."""

    changed: frozenset[str]
    ignored: tuple[str, ...]


class BrokerConfigs:
    """All settings of one broker. Raises SettingError if ``static`` is wrong.

    ``static`` is server.properties; names Kafka does not know are kept and shown.
    """

    def __init__(self, static: Mapping[str, str]) -> None:
        self.static = dict(static)
        for name, twin in (("broker.id", "node.id"), ("node.id", "broker.id")):
            if name in static and twin not in static:
                self.static[twin] = static[name]
        self.dynamic_broker: dict[str, str] = {}
        self.dynamic_default: dict[str, str] = {}
        self._texts = dict(self.static)
        self._values = _typed(self._texts)
        check.check_values(self._values.__getitem__)
        self._topic_defaults = self._extract_topic_defaults()
        self._topic_cache: dict[frozenset[tuple[str, str]], TopicConfig] = {}
        self.sealing: Sealing | None = None
        """Where ``password.encoder.secret`` is set: passwords may be dynamic settings, too."""
        self.memo: dict[Any, Any] = {}
        """A cache for values derived from these settings; emptied when one changes."""

    # -- values --------------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """Typed value of a broker setting in effect now; None where it has none.

        Also of the throttle rates that are only ever dynamic. Raises KeyError for a name Kafka
        does not know.
        """
        return self._values[name]

    def text(self, name: str) -> str | None:
        """Text of any setting, Kafka's or not, as it was given; Kafka's default if it was not."""
        found = self._texts.get(name)
        return _DEFAULTS.get(name) if found is None else found

    def topic_config(self, overrides: Mapping[str, str]) -> TopicConfig:
        """Settings of a topic with its own settings ``overrides``; equal input, same object.

        A value that does not fit is left out, as is the record format, which follows the
        inter-broker protocol from 3.0 on.
        """
        key = frozenset(overrides.items())
        found = self._topic_cache.get(key)
        if found is None:
            fit = {
                name: text
                for name, text in overrides.items()
                if name in TOPIC and name != _FORMAT_VERSION and _fits(name, text)
            }
            found = TopicConfig.of({**self._topic_defaults, **fit})
            if len(self._topic_cache) < _CACHED_TOPIC_CONFIGS and is_short(overrides):
                self._topic_cache[key] = found
        return found

    def _extract_topic_defaults(self) -> dict[str, str]:
        get = self._values.__getitem__
        values: dict[str, Value] = {
            topic.name: get(topic.synonyms[0].name) for topic in TOPIC.values() if topic.synonyms
        }
        values["segment.ms"] = check.roll_ms(get)
        values["segment.jitter.ms"] = check.roll_jitter_ms(get)
        values["retention.ms"] = check.retention_ms(get)
        values["flush.ms"] = check.flush_ms(get)
        values[_FORMAT_VERSION] = TOPIC[_FORMAT_VERSION].default
        distance = "message.timestamp.difference.max.ms"
        for name in ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms"):
            if show(values[name]) == MAX_LONG:
                values[name] = values[distance]
        return {
            name: show(values.get(name, setting.default)) or "" for name, setting in TOPIC.items()
        }

    # -- dynamic settings ----------------------------------------------------------------------

    def stored_broker(self, stored: Mapping[str, str], *, per_broker: bool) -> dict[str, str]:
        """The usable ones among stored dynamic settings: what an incremental change starts from."""
        return usable(stored, self.sealing, per_broker=per_broker)[0]

    def sealed(self, values: Mapping[str, str]) -> dict[str, str]:
        """Dynamic settings as they are stored: passwords encrypted."""
        if self.sealing is None:
            return dict(values)
        secret = dynamic.passwords(values)
        return {k: self.sealing.encode(v) if k in secret else v for k, v in values.items()}

    def resealed(self, stored: Mapping[str, str]) -> dict[str, str]:
        """Stored dynamic settings, passwords that only the former secret reads encrypted anew."""
        if self.sealing is None:
            return dict(stored)
        secret = dynamic.passwords(stored)
        return {k: self.sealing.renewed(v) if k in secret else v for k, v in stored.items()}

    def set_dynamic(self, default: Mapping[str, str], broker: Mapping[str, str]) -> tuple[str, ...]:
        """Take over both, as at a start; what was left out."""
        first = self.set_dynamic_default(default).ignored
        # It may fit to the settings of the broker only.
        odd = [line for line in first if not line.startswith(_NOT_APPLIED)]
        return (*odd, *self.set_dynamic_broker(broker).ignored)

    def set_dynamic_broker(self, stored: Mapping[str, str]) -> Applied:
        """Take over the settings stored for this broker (``/config/brokers/<id>``)."""
        kept, ignored = usable(stored, self.sealing, per_broker=True)
        return self._apply(kept, self.dynamic_default, ignored)

    def set_dynamic_default(self, stored: Mapping[str, str]) -> Applied:
        """Take over the settings stored for all brokers (``/config/brokers/<default>``)."""
        kept, ignored = usable(stored, self.sealing, per_broker=False)
        return self._apply(self.dynamic_broker, kept, ignored)

    def _apply(
        self, broker: dict[str, str], default: dict[str, str], ignored: list[str]
    ) -> Applied:
        texts = merge(self.static, default, broker)
        try:
            values = _typed(texts)
            check.check_values(values.__getitem__)
        except SettingError as error:
            # Kafka shows such settings as set, yet goes on with the values it had.
            ignored = [*ignored, f"{_NOT_APPLIED}{error}"]
            texts, values = self._texts, self._values
        self.dynamic_broker, self.dynamic_default = broker, default
        changed = {n for n, v in values.items() if v != self._values[n]}
        changed |= {
            n for n in self._texts.keys() | texts.keys() if self._texts.get(n) != texts.get(n)
        }
        self._texts, self._values = texts, values
        self._topic_defaults = self._extract_topic_defaults()
        self._topic_cache.clear()
        self.memo.clear()
        return Applied(frozenset(changed), tuple(ignored))

    def check_broker(self, values: Mapping[str, str], *, per_broker: bool) -> None:
        """Whether ``values`` may become all dynamic settings of this broker (or of all brokers).

        Raises KafkaError INVALID_REQUEST; SettingError for a password, which cannot be stored
        without encryption.
        """
        dynamic.check_change(values, per_broker=per_broker)
        texts = (
            merge(self.static, self.dynamic_default, values)
            if per_broker
            else merge(self.static, values, self.dynamic_broker)
        )
        try:
            new = _typed(texts)
            check.check_values(new.__getitem__)
        except SettingError as error:
            raise KafkaError(ErrorCode.INVALID_REQUEST, str(error)) from None
        dynamic.check_step(self._values.__getitem__, new.__getitem__)
        if dynamic.passwords(values):
            if not per_broker:
                raise SettingError("Password config can be defined only at broker level")
            if self.sealing is None:
                raise SettingError("Password encoder secret not configured")

    def with_broker(self, values: Mapping[str, str], *, per_broker: bool) -> BrokerConfigs:
        """These settings as they would be with other dynamic ones."""
        found = BrokerConfigs(self.static)
        default, broker = self.dynamic_default, self.dynamic_broker
        found.sealing = Unsealed()
        found.set_dynamic(default if per_broker else values, values if per_broker else broker)
        return found

    def check_topic(self, values: Mapping[str, str]) -> None:
        """Whether ``values`` may become the settings of a topic.

        Raises SettingError for a value that does not fit, KafkaError INVALID_CONFIG for an
        unknown name or values that contradict each other. (Kafka prefixes the former with the
        resource, not the latter.)
        """
        for name in values:
            if name not in TOPIC:
                raise KafkaError(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
        typed = self.memo.get("topic defaults")
        if typed is None:
            typed = {name: TOPIC[name].parse(text) for name, text in self._topic_defaults.items()}
            self.memo["topic defaults"] = typed
        typed = typed | {n: s.parse(values[n]) for n, s in TOPIC.items() if n in values}
        low, high = typed["min.compaction.lag.ms"], typed["max.compaction.lag.ms"]
        if isinstance(low, int) and isinstance(high, int) and low > high:
            raise KafkaError(
                ErrorCode.INVALID_CONFIG,
                f"conflict topic config setting min.compaction.lag.ms ({low}) > "
                f"max.compaction.lag.ms ({high})",
            )
        if typed["remote.log.delete.on.disable"] or typed["remote.log.copy.disable"]:
            raise KafkaError(
                ErrorCode.INVALID_CONFIG,
                "It is invalid to set `remote.log.delete.on.disable` or "
                "`remote.log.copy.disable` under Zookeeper's mode.",
            )
        if typed["remote.storage.enable"]:
            raise SettingError(
                "Tiered Storage functionality is disabled in the broker. "
                "Topic cannot be configured with remote log storage."
            )

    # -- describe ------------------------------------------------------------------------------

    def describe_broker(
        self, names: Collection[str] | None = None, *, docs: bool = False
    ) -> list[DescribedConfig]:
        """Every setting of this broker, or those in ``names``, sorted by name."""
        shown = {n for n, s in BROKER.items() if not s.internal} | self._texts.keys()
        wanted = shown if not names else shown.intersection(names)
        return [self._broker_entry(name, docs) for name in sorted(wanted)]

    def describe_default(
        self, names: Collection[str] | None = None, *, docs: bool = False
    ) -> list[DescribedConfig]:
        """The dynamic defaults of the cluster, sorted by name."""
        entries = []
        for name, text in sorted(self.dynamic_default.items()):
            if names and name not in names:
                continue
            entry = self._broker_entry(name, docs)
            chain = tuple(
                s for s in entry.synonyms if s.source is ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
            )
            entries.append(
                entry._replace(
                    value=None if entry.sensitive else text,
                    source=chain[0].source if chain else ConfigSource.DEFAULT_CONFIG,
                    synonyms=chain,
                )
            )
        return entries

    def describe_topic(
        self,
        overrides: Mapping[str, str],
        names: Collection[str] | None = None,
        *,
        docs: bool = False,
    ) -> list[DescribedConfig]:
        """Every setting of a topic with own settings ``overrides``, in Kafka's order."""
        wanted = [*TOPIC, *(n for n in overrides if n not in TOPIC)]
        return [
            self._topic_entry(name, overrides, docs)
            for name in wanted
            if not names or name in names
        ]

    def _broker_entry(self, name: str, docs: bool) -> DescribedConfig:
        kind = type_of(name)
        secret = is_secret(kind)
        value = show(self._values[name]) if name in self._values else self._texts.get(name)
        chain = self._chain(name, secret)
        setting = BROKER.get(name)
        return DescribedConfig(
            name,
            None if secret else value,
            chain[0].source if chain else ConfigSource.DEFAULT_CONFIG,
            secret,
            not is_dynamic(name),
            kind,
            chain,
            setting.doc if docs and setting is not None else None,
        )

    def _topic_entry(self, name: str, overrides: Mapping[str, str], docs: bool) -> DescribedConfig:
        setting = TOPIC.get(name)
        kind = Type.UNKNOWN if setting is None else setting.type
        secret = is_secret(kind)
        value = None
        if setting is not None:
            value = overrides.get(name, self._topic_defaults[name])
            if _fits(name, value):
                value = show(setting.parse(value))
        chain: tuple[Chained, ...] = ()
        if setting is not None and setting.synonyms:
            chain = self._chain(setting.synonyms[0].name, secret)
        if name in overrides:
            chain = (Chained(name, value, ConfigSource.DYNAMIC_TOPIC_CONFIG), *chain)
        return DescribedConfig(
            name,
            value,
            chain[0].source if chain else ConfigSource.DEFAULT_CONFIG,
            secret,
            False,
            kind,
            chain,
            setting.doc if docs and setting is not None else None,
        )

    def _chain(self, name: str, secret: bool) -> tuple[Chained, ...]:
        """All places that give ``name`` a value, the strongest first.

        What stands before the first place of that very name belongs to a stronger synonym.
        """
        layers = (
            (self.dynamic_broker, ConfigSource.DYNAMIC_BROKER_CONFIG),
            (self.dynamic_default, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
            (self.static, ConfigSource.STATIC_BROKER_CONFIG),
            (_DEFAULTS, ConfigSource.DEFAULT_CONFIG),
        )
        found = [
            Chained(synonym, None if secret else layer[synonym], source)
            for layer, source in layers
            for synonym in synonyms(name)
            if synonym in layer
        ]
        first = next((i for i, place in enumerate(found) if place.name == name), len(found))
        return tuple(found[first:])


def _typed(texts: Mapping[str, str]) -> dict[str, Value]:
    """Values of all of Kafka's settings. Raises SettingError."""
    values = dict(_DEFAULT_VALUES)
    for name, text in texts.items():
        setting = known(name)
        if setting is not None and setting.name == name:
            values[name] = setting.parse(text)
    return values


def _fits(name: str, text: str) -> bool:
    try:
        TOPIC[name].parse(text)
    except SettingError:
        return False
    return True
