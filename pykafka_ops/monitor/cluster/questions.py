"""Questions that a page asks through ``enquiries``: each a function of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client import configs, offsets, transactions
from pykafka_ops.client.acls import describe_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import ConfigEntry, ConfigResource
from pykafka_ops.client.transactions import ActiveProducer, TransactionDescription
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.monitor.cluster.answers import Ends, Partition
from pykafka_ops.monitor.cluster.bounds import bounds
from pykafka_ops.monitor.cluster.view import WatchedTopic
from pykafka_ops.wire.codes import ErrorCode

OPEN_STATES: Final = ("Ongoing", "PrepareCommit", "PrepareAbort")
"""States of transactions that are not done."""
MOST_TRANSACTIONS: Final = 1000
MOST_PARTITIONS: Final = 500
"""Partitions whose producers are asked for."""
THROTTLES: Final = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")


class AccessRule(NamedTuple):
    """Who may, or may not, do what with which resource, from which host (``*``: any)."""

    resource_type: str
    resource: str
    pattern: str
    principal: str
    host: str
    operation: str
    permission: str


class HeldPartition(NamedTuple):
    """A partition that readers of committed records cannot read beyond ``stable``, as a transaction
    is open there; ``end`` is its end as of the last round. ``producers`` None: not known."""

    topic: str
    partition: int
    stable: int
    end: int
    producers: Sequence[ActiveProducer] | None


class OpenTransactions(NamedTuple):
    """What is open: by transactional id as coordinators list it, by partition as leaders do.

    ``ids`` are transactional ids by producer id. ``missing``: who did not answer, in words;
    ``left_out``: how many transactions or partitions were too many to ask for.
    """

    known: Mapping[str, TransactionDescription]
    ids: Mapping[int, str]
    held: Sequence[HeldPartition]
    missing: Sequence[str]
    left_out: int


def topic_settings(cluster: Cluster, topic: str) -> list[ConfigEntry]:
    """All settings of a topic with the places they could come from. PkoError."""
    return _settings(cluster, ConfigResource(configs.TOPIC, topic))


def broker_settings(cluster: Cluster, broker: int) -> list[ConfigEntry]:
    """All settings of a broker, as it describes them itself. PkoError."""
    return _settings(cluster, ConfigResource(configs.BROKER, str(broker)))


def _settings(cluster: Cluster, resource: ConfigResource) -> list[ConfigEntry]:
    found = configs.describe_configs(cluster, [resource], synonyms=True)[resource]
    if isinstance(found, PkoError):
        raise found
    return found


def access_rules(cluster: Cluster) -> list[AccessRule] | None:
    """Every ACL; None where the cluster has no authorizer. PkoError."""
    try:
        rules = describe_acls(cluster)
    except KafkaError as error:
        if error.code == ErrorCode.SECURITY_DISABLED:
            return None
        raise
    return [
        AccessRule(
            rule.resource.type.name,
            rule.resource.name,
            rule.resource.pattern.name,
            rule.entry.principal,
            rule.entry.host,
            rule.entry.operation.name,
            rule.entry.permission.name,
        )
        for rule in rules
    ]


def throttles(cluster: Cluster, brokers: Sequence[int]) -> dict[int, dict[str, str]]:
    """Replication throttles (bytes/s) that are set, of each broker that answered."""
    resources = [ConfigResource(configs.BROKER, str(b)) for b in brokers]
    answers = configs.describe_configs(cluster, resources, keys=THROTTLES)
    found: dict[int, dict[str, str]] = {}
    for resource, entries in answers.items():
        if not isinstance(entries, PkoError):
            found[int(resource.name)] = {
                e.name: e.value for e in entries if e.name in THROTTLES and e.value is not None
            }
    return found


def open_transactions(cluster: Cluster, topics: Mapping[str, WatchedTopic]) -> OpenTransactions:
    """Transactions under way, and the partitions they hold up: one request per broker for where
    readers of committed records stand, then only what is open. PkoError where nobody answers."""
    cluster.metadata([], name="listTransactions")  # who leads and who lives may have changed
    listed, failed = transactions.list_transactions(cluster, states=OPEN_STATES)
    missing = [f"transactions of broker {b}: {error}" for b, error in failed.items()]
    ids = {t.producer_id: t.transactional_id for t in listed}
    asked = [t.transactional_id for t in listed[:MOST_TRANSACTIONS]]
    described = transactions.describe_transactions(cluster, asked) if asked else {}
    known = {i: d for i, d in described.items() if isinstance(d, TransactionDescription)}
    missing += [f"transaction {i}: {e}" for i, e in described.items() if isinstance(e, PkoError)]
    stable, silent = bounds(
        cluster, (t.description for t in topics.values()), offsets.LATEST, committed=True
    )
    missing += [f"stable offsets of broker {b}: {error}" for b, error in silent.items()]
    places = _held(topics, stable)
    producers = _producers(cluster, list(places)[:MOST_PARTITIONS], missing)
    held = [HeldPartition(*p, *where, producers.get(p)) for p, where in places.items()]
    left_out = max(0, len(listed) - MOST_TRANSACTIONS) + max(0, len(places) - MOST_PARTITIONS)
    return OpenTransactions(known, ids, held, missing, left_out)


def _held(topics: Mapping[str, WatchedTopic], stable: Ends) -> dict[Partition, tuple[int, int]]:
    """Partitions whose last stable offset is behind the end of the last round."""
    return {
        (name, n): (at, topic.ends[n])
        for name, topic in topics.items()
        for n, at in enumerate(stable.get(name, ()))
        if n < len(topic.ends) and 0 <= at < topic.ends[n]
    }


def _producers(
    cluster: Cluster, places: Sequence[Partition], missing: list[str]
) -> dict[Partition, list[ActiveProducer]]:
    """Those with an open transaction in each partition whose leader answered."""
    if not places:
        return {}
    found: dict[Partition, list[ActiveProducer]] = {}
    for (topic, n), producers in transactions.describe_producers(cluster, places).items():
        if isinstance(producers, PkoError):
            missing.append(f"producers of {topic}-{n}: {producers}")
        else:
            found[topic, n] = [p for p in producers if p.start >= 0]
    return found
