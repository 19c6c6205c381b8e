"""Where replicas are now, and which brokers there are, by the metadata of a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.log_dirs import ReplicaKey, describe_replica_dirs
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.commands.reassign_partitions.text import Partition, ReassignError, named
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

Assignment = dict[Partition, list[int]]
"""Brokers of a partition's replicas, the preferred leader first."""


def of_topics(cluster: Cluster, topics: Iterable[str]) -> Assignment:
    """Replicas of every partition of these topics; KafkaError where one is not there."""
    found: Assignment = {}
    for name, topic in _described(cluster, topics).items():
        if isinstance(topic, KafkaError):
            if topic.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise KafkaError(topic.code, f"Topic {name!s} not found.")
            raise topic
        for p in topic.partitions:
            found[topic.name, p.number] = p.replicas
    return found


def of_partitions(cluster: Cluster, partitions: Iterable[Partition]) -> Assignment:
    """Replicas of these partitions; KafkaError where one is not there."""
    wanted = set(partitions)
    every = of_topics(cluster, {topic for topic, _ in wanted})
    missing = wanted - set(every)
    if missing:
        names = ", ".join(named(p) for p in sorted(missing))
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find partition: {names}")
    return {p: every[p] for p in sorted(wanted)}


def of_those_there(cluster: Cluster, partitions: Iterable[Partition]) -> Assignment:
    """Replicas of these partitions; none of a partition that is not there."""
    wanted = sorted(set(partitions))
    found: Assignment = {p: [] for p in wanted}
    for topic in _described(cluster, (t for t, _ in wanted)).values():
        if isinstance(topic, KafkaError):
            if topic.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                continue
            raise topic
        for p in topic.partitions:
            if (topic.name, p.number) in found:
                found[topic.name, p.number] = p.replicas
    return found


def present_dirs(cluster: Cluster, replicas: Assignment) -> dict[ReplicaKey, str]:
    """Where brokers of Kafka 4 have these replicas, as its tool tells; of older ones, whose tool
    does not, and where a broker does not say, nothing."""
    if not is_kafka_4(cluster):
        return {}
    keys = [(topic, n, broker) for (topic, n), ids in replicas.items() for broker in ids]
    try:
        found = describe_replica_dirs(cluster, keys)
    except PkoError:
        return {}
    return {key: dirs.current for key, dirs in found.items() if dirs.current is not None}


def _described(
    cluster: Cluster, topics: Iterable[str]
) -> dict[str | bytes, TopicDescription | KafkaError]:
    """What the cluster says of the topics; KafkaError, as the admin client has it, for no name."""
    names = sorted(set(topics))
    if "" in names:
        raise KafkaError(
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            "The given topic name '' cannot be represented in a request.",
        )
    return describe_topics(cluster, names)


def live_brokers(cluster: Cluster) -> dict[int, str | None]:
    """Racks of the live brokers by id, asked for anew."""
    cluster.metadata([], name="listNodes")
    return {id_: cluster.nodes[id_].rack for id_ in sorted(cluster.nodes)}


def require_live(live: Iterable[int], wanted: Iterable[int]) -> None:
    """ReassignError where replicas would go to a broker that is not there."""
    unknown = sorted(set(wanted) - set(live))
    if unknown:
        raise ReassignError(f"Unknown broker id {unknown[0]}")


def chosen(
    brokers: dict[int, str | None], ids: Sequence[int], *, rack_aware: bool
) -> dict[int, str | None]:
    """Those of the brokers that are listed, with racks if wanted; ReassignError if only some have
    one."""
    found = {id_: rack if rack_aware else None for id_, rack in brokers.items() if id_ in ids}
    known = [rack for rack in found.values() if rack is not None]
    if known and len(known) < len(found):
        raise ReassignError(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to "
            "make replica assignment without rack information."
        )
    return found
