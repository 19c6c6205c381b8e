"""The names of settings that Kafka knows, and which of them was meant."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.commands.framework.output import say
from pykafka_ops.errors import KafkaError, PkoError

TOPICS, CLIENTS, USERS, BROKERS, IPS = "topics", "clients", "users", "brokers", "ips"
BROKER_LOGGERS, CLIENT_METRICS, GROUPS = "broker-loggers", "client-metrics", "groups"
KINDS = (TOPICS, BROKERS, BROKER_LOGGERS, USERS, CLIENTS, IPS, CLIENT_METRICS, GROUPS)
"""What has settings."""
WITHOUT_DEFAULT = (TOPICS, BROKER_LOGGERS, CLIENT_METRICS, GROUPS)
"""What has no settings that hold for all of its kind."""
OF_GROUPS = frozenset((
    "consumer.assignment.interval.ms", "consumer.heartbeat.interval.ms",
    "consumer.session.timeout.ms", "share.assignment.interval.ms", "share.auto.offset.reset",
    "share.delivery.count.limit", "share.heartbeat.interval.ms", "share.isolation.level",
    "share.partition.max.record.locks", "share.record.lock.duration.ms",
    "share.renew.acknowledge.enable", "share.session.timeout.ms", "streams.assignment.interval.ms",
    "streams.heartbeat.interval.ms", "streams.initial.rebalance.delay.ms",
    "streams.num.standby.replicas", "streams.session.timeout.ms",
))  # fmt: skip
"""Settings of groups in Kafka 4.3 (GroupConfig)."""


def names(kind: str) -> set[str]:
    """The settings of topics, brokers, groups, users, clients, addresses; none of the others."""
    if kind == GROUPS:
        return set(OF_GROUPS)
    if kind == TOPICS:
        from pykafka_ops.settings.topic import TOPIC

        return set(TOPIC)
    from pykafka_ops.settings.quotas import BROKER_QUOTAS, CLIENT_QUOTAS, IP_QUOTAS
    from pykafka_ops.settings.scram import MECHANISMS

    if kind == BROKERS:
        from pykafka_ops.settings.broker import BROKER

        return {*BROKER, *BROKER_QUOTAS}
    by_kind = {USERS: {*CLIENT_QUOTAS, *MECHANISMS}, CLIENTS: {*CLIENT_QUOTAS}, IPS: {*IP_QUOTAS}}
    return by_kind.get(kind, set())


def is_known(kind: str, key: str) -> bool:
    """Whether Kafka has such a setting; those of a listener have its name in front."""
    return key in names(kind) or key.startswith("listener.name.")


def near(kind: str, key: str) -> str:
    """`` (did you mean retention.ms?)``, or nothing where no name is near."""
    return did_you_mean(key, names(kind))


def say_near(kind: str, keys: Iterable[str]) -> None:
    """A line on stderr for each of ``keys`` that Kafka does not know and that is near one."""
    for key in keys:
        hint = "" if is_known(kind, key) else near(kind, key)
        if hint:
            say(f"pko: {key} is no setting of {kind}{hint}")


def hinted(error: PkoError, kind: str, keys: Iterable[str]) -> PkoError:
    """The refusal of a broker that does not know one of ``keys``, with the name that is near."""
    from pykafka_ops.wire.codes import ErrorCode

    if not isinstance(error, KafkaError) or error.code != ErrorCode.INVALID_CONFIG:
        return error
    strange = next((k for k in keys if not is_known(kind, k) and k in error.message), "")
    hint = near(kind, strange) if strange else ""
    return KafkaError(error.code, error.message + hint) if hint else error
