"""Topics and their partitions as Metadata reports them: all, by name, by id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.metadata import MetadataResponse, MetadataResponseTopic


class PartitionDescription(NamedTuple):
    """One partition; ``leader`` -1: none."""

    number: int
    leader: int
    leader_epoch: int
    replicas: list[int]
    isr: list[int]
    offline: list[int]


class TopicDescription(NamedTuple):
    """A topic with its partitions by number."""

    name: str
    id: bytes
    internal: bool
    partitions: list[PartitionDescription]


def all_topics(cluster: Cluster, *, name: str = "listTopics") -> list[TopicDescription]:
    """Every topic, by name."""
    return topics_of(cluster.metadata(None, name=name))


def topics_of(response: MetadataResponse) -> list[TopicDescription]:
    """The topics of an answer that could be described, by name."""
    return sorted((_topic(t) for t in response.topics if not t.error_code), key=lambda t: t.name)


def describe_topics(
    cluster: Cluster,
    names: Sequence[str] = (),
    *,
    ids: Sequence[bytes] = (),
    name: str = "describeTopics",
) -> dict[str | bytes, TopicDescription | KafkaError]:
    """The topics asked for, by name or id."""
    found: dict[str | bytes, TopicDescription | KafkaError] = {}
    if names:
        for t in cluster.metadata(list(names), name=name).topics:
            found[t.name or ""] = error_of(t) or _topic(t)
    if ids:
        for t in cluster.metadata([], ids=ids, name=name).topics:
            found[t.topic_id] = error_of(t) or _topic(t)
    return found


def _topic(t: MetadataResponseTopic) -> TopicDescription:
    partitions = [
        PartitionDescription(
            p.partition_index,
            p.leader_id,
            p.leader_epoch,
            p.replica_nodes,
            p.isr_nodes,
            p.offline_replicas,
        )
        for p in t.partitions
    ]
    partitions.sort()
    return TopicDescription(t.name or "", t.topic_id, t.is_internal, partitions)
