"""redpanda-data/kminion's names. Source: prometheus/exporter.go, docs/metrics.md.

Left out, since the monitor does not know them: the version of the cluster, records and commits that
were counted one by one, and the ``end_to_end`` metrics, for which there are ``pko_probe`` ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.monitor.cluster.view import WatchedGroup, WatchedTopic
from pykafka_ops.monitor.metrics.lines import (
    BROKERS,
    GROUPS,
    TOPICS,
    Metric,
    Samples,
    Scope,
)
from pykafka_ops.monitor.metrics.walks import KMINION as NAMES
from pykafka_ops.monitor.metrics.walks import end, lag, start

Offsets = Callable[[WatchedTopic], Sequence[int]]
Count = Callable[[WatchedGroup, str], int]


def _cluster_info(scope: Scope) -> Samples:
    view = scope.view
    alive = sum(row["state"] != "down" for row in view.brokers)
    pairs = {"broker_count": str(alive), "cluster_id": view.cluster_id or ""}
    if view.controller >= 0:
        pairs["controller_id"] = str(view.controller)
    yield scope.labels(**pairs), 1


def _broker_pairs(row: object) -> dict[str, str]:
    assert isinstance(row, dict)
    host, _, port = str(row["address"]).rpartition(":")
    return {
        "broker_id": str(row["id"]),
        "address": host,
        "port": port,
        "rack_id": str(row["rack"] or ""),
    }


def _broker_info(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        if row["state"] != "down":
            leads = str(row["id"] == scope.view.controller).lower()
            yield scope.labels(**_broker_pairs(row), is_controller=leads), 1


def _broker_bytes(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        size = row["bytes"]
        if row["state"] != "down" and isinstance(size, int):
            yield scope.labels(**_broker_pairs(row)), size


def _topic_bytes(scope: Scope) -> Samples:
    for name, topic in scope.topics.items():
        yield scope.labels(topic_name=name), topic.bytes


def _topic_info(scope: Scope) -> Samples:
    for name, topic in scope.topics.items():
        policy = topic.settings.get("cleanup.policy")
        pairs = {
            "topic_name": name,
            "partition_count": str(len(topic.description.partitions)),
            "replication_factor": str(_replicas(topic.description)),
        }
        yield scope.labels(**pairs, **({"cleanup_policy": policy} if policy else {})), 1


def _replicas(topic: TopicDescription) -> int:
    return len(topic.partitions[0].replicas) if topic.partitions else 0


def _mark_sums(offsets: Offsets) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for name, topic in scope.topics.items():
            found = offsets(topic)
            whole = len(found) > 0 and min(found) >= 0
            yield scope.labels(topic_name=name), sum(found) if whole else None

    return samples


def _group_info(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        pairs = {
            "group_id": name,
            "protocol": group.assignor,
            "protocol_type": group.protocol_type,
            "state": group.row.state,
            "coordinator_id": str(group.coordinator),
        }
        yield scope.labels(**pairs), int(group.row.state == "Stable")


def _empty_members(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        idle = sum(not m.assigned for m in group.members)
        yield scope.labels(group_id=name), idle if group.described else None


def _of_topics(count: Count) -> Callable[[Scope], Samples]:
    """A count for each topic that members of a group read."""

    def samples(scope: Scope) -> Samples:
        for name, group in scope.groups.items():
            read = {topic for m in group.members for topic, _ in m.assigned}
            for topic in sorted(read & scope.topics.keys()):
                yield scope.labels(group_id=name, topic_name=topic), count(group, topic)

    return samples


def _readers(group: WatchedGroup, topic: str) -> int:
    return sum(any(t == topic for t, _ in m.assigned) for m in group.members)


def _assigned(group: WatchedGroup, topic: str) -> int:
    return sum(t == topic for m in group.members for t, _ in m.assigned)


def _starts(topic: WatchedTopic) -> Sequence[int]:
    return topic.starts


def _ends(topic: WatchedTopic) -> Sequence[int]:
    return topic.ends


_GROUP: Final = "kminion_kafka_consumer_group"
METRICS: Final = (
    Metric("kminion_kafka_cluster_info", "The cluster", BROKERS, _cluster_info),
    Metric("kminion_kafka_broker_info", "The brokers", BROKERS, _broker_info),
    Metric(
        "kminion_kafka_broker_log_dir_size_total_bytes",
        "Bytes in all log directories of the broker", BROKERS, _broker_bytes,
    ),
    Metric(
        "kminion_kafka_topic_log_dir_size_total_bytes",
        "Bytes of the topic, all replicas", TOPICS, _topic_bytes,
    ),
    Metric("kminion_kafka_topic_info", "The topics, with their settings", TOPICS, _topic_info),
    Metric(
        "kminion_kafka_topic_partition_low_water_mark", "Where the log begins", TOPICS,
        NAMES.of_partitions(start), fine=True,
    ),
    Metric(
        "kminion_kafka_topic_low_water_mark_sum", "Sum of where logs begin", TOPICS,
        _mark_sums(_starts),
    ),
    Metric(
        "kminion_kafka_topic_partition_high_water_mark", "Where the log ends", TOPICS,
        NAMES.of_partitions(end), fine=True,
    ),
    Metric(
        "kminion_kafka_topic_high_water_mark_sum", "Sum of where logs end", TOPICS,
        _mark_sums(_ends),
    ),
    Metric(f"{_GROUP}_info", "1 if the group is stable, else 0", GROUPS, _group_info),
    Metric(f"{_GROUP}_members", "Number of members", GROUPS, NAMES.members),
    Metric(f"{_GROUP}_empty_members", "Members that read nothing", GROUPS, _empty_members),
    Metric(
        f"{_GROUP}_topic_members", "Members that read the topic", GROUPS, _of_topics(_readers)
    ),
    Metric(
        f"{_GROUP}_topic_assigned_partitions", "Partitions of the topic that members read", GROUPS,
        _of_topics(_assigned),
    ),
    Metric(
        f"{_GROUP}_topic_offset_sum", "Sum of offsets over partitions", GROUPS, NAMES.offset_sums
    ),
    Metric(
        f"{_GROUP}_topic_partition_lag", "Records between the commit and the log's end", GROUPS,
        NAMES.of_commits(lag), fine=True,
    ),
    Metric(f"{_GROUP}_topic_lag", "Sum of lags over partitions", GROUPS, NAMES.lag_sums),
)  # fmt: skip
"""All that are known, in their order."""
