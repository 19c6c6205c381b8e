"""danielqsj/kafka_exporter's names, with the label ``cluster`` beside where several are watched.

Partitions without a commit, and offsets that nobody told, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.monitor.cluster.view import WatchedTopic
from pykafka_ops.monitor.metrics.lines import (
    BROKERS,
    GROUPS,
    TOPICS,
    Metric,
    Samples,
    Scope,
    known,
)

Figure = Callable[[WatchedTopic, PartitionDescription], "int | None"]


def _brokers(scope: Scope) -> Samples:
    yield scope.labels(), sum(row["state"] != "down" for row in scope.view.brokers)


def _broker_info(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        if row["state"] != "down":
            yield scope.labels(id=str(row["id"]), address=str(row["address"])), 1


def _partitions(scope: Scope) -> Samples:
    for name, topic in scope.topics.items():
        yield scope.labels(topic=name), len(topic.description.partitions)


def _of_partitions(figure: Figure) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for name, topic in scope.topics.items():
            head = scope.head(topic=name)
            for p in topic.description.partitions:
                yield f'{head},partition="{p.number}"{scope.tail}', figure(topic, p)

    return samples


def _offsets(scope: Scope) -> Samples:
    for group in scope.groups:
        for topic, offsets in scope.committed(group):
            head = scope.head(consumergroup=group, topic=topic)
            for n, offset in enumerate(offsets):
                if offset >= 0:
                    yield f'{head},partition="{n}"{scope.tail}', offset


def _lags(scope: Scope) -> Samples:
    for group in scope.groups:
        for topic, offsets in scope.committed(group):
            head = scope.head(consumergroup=group, topic=topic)
            for n, offset in enumerate(offsets):
                if offset >= 0:
                    yield f'{head},partition="{n}"{scope.tail}', lag(scope, topic, n, offset)


def lag(scope: Scope, topic: str, partition: int, offset: int) -> int | None:
    """Records behind the end; None where that is not known."""
    end = scope.end(topic, partition)
    return None if end is None else max(0, end - offset)


def sums(scope: Scope, group: str) -> Iterator[tuple[str, int, int | None]]:
    """Of each topic of a group the sum of its offsets and of its lags, None where a lag is not
    known."""
    for topic, offsets in scope.committed(group):
        read = [(n, offset) for n, offset in enumerate(offsets) if offset >= 0]
        lags = [lag(scope, topic, n, offset) for n, offset in read]
        told = [one for one in lags if one is not None]
        whole = bool(told) and len(told) == len(lags)
        yield topic, sum(offset for _, offset in read), sum(told) if whole else None


def _offset_sums(scope: Scope) -> Samples:
    for group in scope.groups:
        for topic, offsets, _ in sums(scope, group):
            yield scope.labels(consumergroup=group, topic=topic), offsets


def _lag_sums(scope: Scope) -> Samples:
    for group in scope.groups:
        for topic, _, lags in sums(scope, group):
            yield scope.labels(consumergroup=group, topic=topic), lags


def _members(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        yield scope.labels(consumergroup=name), len(group.members)


_FIGURES: Final[tuple[tuple[str, str, Figure], ...]] = (
    ("current_offset", "Where the log ends", lambda t, p: known(t.ends, p.number)),
    ("oldest_offset", "Where the log begins", lambda t, p: known(t.starts, p.number)),
    ("in_sync_replica", "Number of replicas in sync", lambda t, p: len(p.isr)),
    ("leader", "Id of the leader, -1 without one", lambda t, p: p.leader),
    ("leader_is_preferred", "1 if the preferred replica leads",
     lambda t, p: int(bool(p.replicas) and p.leader == p.replicas[0])),
    ("replicas", "Number of replicas", lambda t, p: len(p.replicas)),
    ("under_replicated_partition", "1 if replicas are not in sync",
     lambda t, p: int(len(p.isr) < len(p.replicas))),
)  # fmt: skip

METRICS: Final = (
    Metric("kafka_brokers", "Number of brokers in the cluster", BROKERS, _brokers),
    Metric(
        "kafka_broker_info", "Brokers in the cluster, by id and address", BROKERS, _broker_info
    ),
    Metric("kafka_topic_partitions", "Number of partitions of the topic", TOPICS, _partitions),
    *(
        Metric(f"kafka_topic_partition_{name}", what, TOPICS, _of_partitions(figure), fine=True)
        for name, what, figure in _FIGURES
    ),
    Metric(
        "kafka_consumergroup_current_offset", "Offset that the group committed", GROUPS, _offsets,
        fine=True,
    ),
    Metric(
        "kafka_consumergroup_lag", "Records between the commit and the log's end", GROUPS, _lags,
        fine=True,
    ),
    Metric(
        "kafka_consumergroup_current_offset_sum", "Sum of offsets over partitions", GROUPS,
        _offset_sums,
    ),
    Metric("kafka_consumergroup_lag_sum", "Sum of lags over partitions", GROUPS, _lag_sums),
    Metric("kafka_consumergroup_members", "Number of members", GROUPS, _members),
)  # fmt: skip
"""All of them, in their order."""
