"""Where the value of a setting comes from, and under which names it is looked up.

Counterpart: ``DescribeConfigsResponse.ConfigSource`` and the name rules of
``kafka.server.DynamicBrokerConfig``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.quotas import BROKER_QUOTAS
from pykafka_ops.settings.setting import Setting, Update
from pykafka_ops.settings.source import ConfigSource
from pykafka_ops.settings.types import Type

LISTENER_PREFIX = re.compile(r"listener\.name\.[^.]*\.(.*)")
MECHANISM_SETTINGS = (
    "sasl.login.callback.handler.class",
    "sasl.server.callback.handler.class",
    "connections.max.reauth.ms",
    "sasl.login.class",
    "sasl.jaas.config",
)
SECURITY_SETTINGS = frozenset(
    {
        "ssl.keystore.type",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "ssl.key.password",
        "ssl.truststore.type",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.certificates",
    }
)
"""May change at run time, but only of one listener (``listener.name.x.``)."""
CLUSTER_LEVEL_LISTENER_SETTINGS = frozenset(
    {"max.connections", "max.connection.creation.rate", "num.network.threads"}
)
PASSWORDS = tuple(
    s.name for s in BROKER.values() if s.sensitive and s.update is not Update.READ_ONLY
)
_GROUPS = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
)
_SYNONYMS = {name: group for group in _GROUPS for name in group}
_SYNONYMS["log.flush.interval.ms"] = ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")


class Chained(NamedTuple):
    """A place that gives a setting a value; the first of a chain is the one that counts."""

    name: str
    value: str | None
    source: ConfigSource


class DescribedConfig(NamedTuple):
    """One setting as DescribeConfigs reports it; ``value`` is None if it is a secret or unset."""

    name: str
    value: str | None
    source: ConfigSource
    sensitive: bool
    read_only: bool
    type: Type
    synonyms: tuple[Chained, ...] = ()
    documentation: str | None = None


def synonyms(name: str, *, listener: bool = True) -> tuple[str, ...]:
    """The names that can give broker setting ``name`` its value, the strongest first.

    With ``listener`` the plain name is a synonym of ``listener.name.<name>.<setting>``.
    """
    found = _SYNONYMS.get(name)
    if found is not None:
        return found
    match = LISTENER_PREFIX.fullmatch(name) if listener else None
    if match is None:
        return (name,)
    base = match[1]
    for mechanism in MECHANISM_SETTINGS:
        if base.endswith(mechanism):
            return (name, mechanism)
    return (name, base)


def known(name: str) -> Setting | None:
    """The setting a broker setting's name stands for, None if it is not one of Kafka's."""
    for candidate in (name, *synonyms(name)):
        setting = BROKER.get(candidate) or BROKER_QUOTAS.get(candidate)
        if setting is not None:
            return setting
    return None


def type_of(name: str) -> Type:
    """Type of a broker setting, UNKNOWN for a name Kafka does not know."""
    setting = known(name)
    return Type.UNKNOWN if setting is None else setting.type


def is_secret(kind: Type) -> bool:
    """Whether values of this type are never shown; an unknown type might be a secret."""
    return kind in (Type.UNKNOWN, Type.PASSWORD)


def is_password(name: str) -> bool:
    """Whether a dynamic broker setting is stored encrypted."""
    return name.endswith(PASSWORDS)


def is_dynamic(name: str) -> bool:
    """Whether a broker setting, named without listener prefix, can change at run time."""
    setting = BROKER.get(name)
    return setting is not None and setting.update is not Update.READ_ONLY


def merge(static: Mapping[str, str], *overrides: Mapping[str, str]) -> dict[str, str]:
    """Settings with ``overrides`` on top, the last the strongest.

    A name that overrides takes its synonyms out: a dynamic ``log.retention.ms`` wins over a
    static ``log.retention.hours``.
    """
    merged = dict(static)
    for layer in overrides:
        for name, text in layer.items():
            for synonym in synonyms(name, listener=False):
                merged.pop(synonym, None)
            merged[name] = text
    return merged
