"""danielqsj/kafka_exporter's names, with the label ``cluster`` beside where several are watched.

Partitions without a commit, and offsets that nobody told, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pykafka_ops.client.topics import PartitionDescription
from pykafka_ops.metrics.family import Book, Labels
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedTopic

Committed = Callable[[str], Mapping[str, Sequence[int]]]
"""Offsets of a group by topic and partition."""


def tell(book: Book, view: ClusterView, committed: Committed, more: Mapping[str, str]) -> None:
    """Add what is known of a cluster; ``more`` are labels of every sample."""
    brokers = book.plain("kafka_brokers", "Number of brokers in the cluster")
    info = book.plain("kafka_broker_info", "Brokers in the cluster, by id and address")
    alive = [row for row in view.brokers if row["state"] != "down"]
    brokers.add(len(alive), Labels(**more))
    for row in alive:
        info.add(1, Labels(id=str(row["id"]), address=str(row["address"]), **more))
    for name, topic in (view.topics or {}).items():
        _topic(book, name, topic, more)
    for name in view.groups or {}:
        _group(book, view, name, committed(name), more)


def _topic(book: Book, name: str, topic: WatchedTopic, more: Mapping[str, str]) -> None:
    partitions = topic.description.partitions
    book.plain("kafka_topic_partitions", "Number of partitions of the topic").add(
        len(partitions), Labels(topic=name, **more)
    )
    for p in partitions:
        labels = Labels(topic=name, partition=p.number, **more)
        for suffix, what, value in _figures(topic, p):
            book.plain(f"kafka_topic_partition_{suffix}", what).add(value, labels)


def _figures(topic: WatchedTopic, p: PartitionDescription) -> list[tuple[str, str, int | None]]:
    return [
        ("current_offset", "Where the log ends", _known(topic.ends, p.number)),
        ("oldest_offset", "Where the log begins", _known(topic.starts, p.number)),
        ("in_sync_replica", "Number of replicas in sync", len(p.isr)),
        ("leader", "Id of the leader, -1 without one", p.leader),
        ("leader_is_preferred", "1 if the preferred replica leads",
         int(bool(p.replicas) and p.leader == p.replicas[0])),
        ("replicas", "Number of replicas", len(p.replicas)),
        ("under_replicated_partition", "1 if replicas are not in sync",
         int(len(p.isr) < len(p.replicas))),
    ]  # fmt: skip


def _known(offsets: Sequence[int], partition: int) -> int | None:
    if partition >= len(offsets) or offsets[partition] < 0:
        return None
    return offsets[partition]


def _group(
    book: Book,
    view: ClusterView,
    name: str,
    committed: Mapping[str, Sequence[int]],
    more: Mapping[str, str],
) -> None:
    current = book.plain("kafka_consumergroup_current_offset", "Offset that the group committed")
    lag = book.plain("kafka_consumergroup_lag", "Records between the commit and the log's end")
    sums = book.plain("kafka_consumergroup_current_offset_sum", "Sum of offsets over partitions")
    lags = book.plain("kafka_consumergroup_lag_sum", "Sum of lags over partitions")
    members = book.plain("kafka_consumergroup_members", "Number of members")
    for topic, offsets in committed.items():
        known = (view.topics or {}).get(topic)
        behind: list[int | None] = []
        for n, offset in enumerate(offsets):
            if offset < 0:
                continue
            labels = Labels(consumergroup=name, topic=topic, partition=n, **more)
            end = None if known is None else _known(known.ends, n)
            current.add(offset, labels)
            lag.add(None if end is None else max(0, end - offset), labels)
            behind.append(None if end is None else max(0, end - offset))
        labels = Labels(consumergroup=name, topic=topic, **more)
        sums.add(sum(offset for offset in offsets if offset >= 0), labels)
        told = [value for value in behind if value is not None]
        lags.add(sum(told) if told and len(told) == len(behind) else None, labels)
    count = len((view.groups or {})[name].members)
    members.add(count, Labels(consumergroup=name, **more))
