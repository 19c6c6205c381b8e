"""Settings of topics, brokers, loggers, client metrics and groups, as the brokers have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client import configs, topics
from pykafka_ops.client.client_metrics import groups_with_settings, subscription_names
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import ConfigEntry, ConfigResource
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.setting_values import own_source
from pykafka_ops.commands.configs.known import (
    BROKER_LOGGERS,
    BROKERS,
    CLIENT_METRICS,
    GROUPS,
    TOPICS,
)
from pykafka_ops.commands.framework.absent import no_broker
from pykafka_ops.commands.framework.failures import raise_first, text_of
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

TYPES = {
    TOPICS: configs.TOPIC,
    BROKERS: configs.BROKER,
    BROKER_LOGGERS: configs.BROKER_LOGGER,
    CLIENT_METRICS: configs.CLIENT_METRICS,
    GROUPS: configs.GROUP,
}
_BATCH = 200
"""Topics described in one request."""


class DescribedConfigs(NamedTuple):
    """The settings of one resource, or why there are none."""

    kind: str
    name: str
    entries: list[ConfigEntry] | PkoError


def own_only(described: DescribedConfigs, entries: list[ConfigEntry]) -> DescribedConfigs:
    """Without what the resource does not set itself; loggers show everything."""
    source = own_source(ConfigResource(TYPES[described.kind], described.name))
    if source is None:
        return described
    return described._replace(entries=[e for e in entries if e.source == source])


def every_name(cluster: Cluster, kind: str) -> list[str]:
    """All topics, all brokers and their default, all metrics subscriptions, or all groups and
    what else has settings of groups."""
    if kind == TOPICS:
        return [t.name for t in topics.all_topics(cluster)]
    if kind == BROKERS:
        return [*map(str, sorted(cluster.brokers())), ""]
    if kind == BROKER_LOGGERS:
        return [str(id_) for id_ in sorted(cluster.brokers())]
    if kind == GROUPS:
        return sorted({*_group_names(cluster), *groups_with_settings(cluster)})
    return sorted(subscription_names(cluster))


def _group_names(cluster: Cluster) -> list[str]:
    found, failed = list_groups(cluster)
    raise_first(failed.values())
    return list(found)


def read(
    cluster: Cluster, kind: str, names: Sequence[str], *, docs: bool = False, synonyms: bool = True
) -> list[DescribedConfigs]:
    """The settings of each name, in the order of ``names``; entries by name."""
    found = []
    for start in range(0, len(names), _BATCH):
        resources = [ConfigResource(TYPES[kind], name) for name in names[start : start + _BATCH]]
        answers = configs.describe_configs(
            cluster, resources, synonyms=synonyms, documentation=docs
        )
        for resource in resources:
            entries = answers[resource]
            if not isinstance(entries, PkoError):
                entries = sorted(entries, key=lambda e: e.name)
            found.append(DescribedConfigs(kind, resource.name, entries))
    return found


def present(cluster: Cluster, kind: str, name: str) -> dict[str, str | None]:
    """The settings that ``name`` has of its own (of loggers all). Raises KafkaError."""
    (found,) = read(cluster, kind, [name], synonyms=kind == BROKER_LOGGERS)
    if isinstance(found.entries, PkoError):
        raise found.entries
    own = own_only(found, found.entries).entries
    return {e.name: e.value for e in own} if isinstance(own, list) else {}


def absent(cluster: Cluster, kind: str, name: str) -> KafkaError | None:
    """What is said of a broker that is not there: it would be waited for."""
    if kind not in (BROKERS, BROKER_LOGGERS) or not name or int(name) in cluster.brokers():
        return None
    return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, no_broker(int(name), cluster.brokers()))


def absent_groups(cluster: Cluster, names: Sequence[str]) -> dict[str, KafkaError]:
    """What is said of each group that is not there, and has no settings either."""
    known = every_name(cluster, GROUPS)
    return {
        name: KafkaError(
            ErrorCode.GROUP_ID_NOT_FOUND,
            f"there is no group {name}, nor settings for it{did_you_mean(name, known)}",
        )
        for name in names
        if name not in known
    }


def corrected(cluster: Cluster, kind: str, name: str, error: PkoError) -> PkoError:
    """``error``; of a topic that does not exist with the name that is near."""
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if kind != TOPICS or not isinstance(error, KafkaError) or error.code != unknown:
        return error
    near = did_you_mean(name, every_name(cluster, kind))
    return KafkaError(error.code, f"{text_of(error)}{near}") if near else error
