"""A connection for a source, and questions whose answers may fail in parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from pykafka_ops.client.cluster import CallTimeoutError, Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset, list_offsets
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.client.topics import topics_of as described
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.spark.reach import reached
from pykafka_ops.spark.sources.live.pages import TablePage
from pykafka_ops.spark.sources.options import SourceOptions

K = TypeVar("K")
V = TypeVar("V")


def cluster_of(options: SourceOptions) -> AbstractContextManager[Cluster]:
    """A cluster by the ``kafka.*`` options."""
    return reached(options.client())


def known(found: Mapping[K, V | PkoError], *, whole: bool = True) -> dict[K, V]:
    """The answers without those that failed, if any did not; else the first failure is raised.

    What the cluster itself refuses (no such topic, not authorised) counts as an answer; where not
    the ``whole`` cluster was asked, so does silence.
    """
    values: dict[K, V] = {}
    trouble: PkoError | None = None
    refused = False
    for key, value in found.items():
        if not isinstance(value, PkoError):
            values[key] = value
        elif _is_refusal(value):
            refused = True
        else:
            trouble = trouble or value
    if whole and trouble is not None and not values and not refused:
        raise trouble
    return values


def _is_refusal(error: PkoError) -> bool:
    if isinstance(error, CallTimeoutError) and error.trouble is not None:
        return isinstance(error.trouble, KafkaError)
    return isinstance(error, KafkaError)


def topics_of(cluster: Cluster, options: SourceOptions) -> list[TopicDescription]:
    """The topics that ``subscribe`` or ``subscribePattern`` means, by name; of all there are no
    others are asked for where their names are known."""
    names = options.names("subscribe", "subscribePattern")
    if names.names:
        return described(cluster.metadata(sorted(names.names), name="listTopics"))
    return [topic for topic in all_topics(cluster) if topic.name in names]


def topics_in(cluster: Cluster, page: TablePage) -> list[TopicDescription]:
    """The topics of a page that are still there, by name."""
    return described(cluster.metadata(page.names, name="listTopics"))


def led(topics: Iterable[TopicDescription]) -> list[Partition]:
    """The partitions that have a leader to ask."""
    return [(t.name, p.number) for t in topics for p in t.partitions if p.leader >= 0]


def offsets_at(
    cluster: Cluster, partitions: Iterable[Partition], time: int, *, whole: bool = True, **how: Any
) -> dict[Partition, Offset]:
    """The offset of each partition at a time (ms or one of Kafka's); None is left out."""
    wanted = dict.fromkeys(partitions, time)
    return known(list_offsets(cluster, wanted, **how), whole=whole) if wanted else {}
