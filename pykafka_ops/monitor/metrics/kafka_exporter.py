"""danielqsj/kafka_exporter's names, with the label ``cluster`` beside where several are watched.

Partitions without a commit, and offsets that nobody answered, are left out.
"""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.metrics.lines import (
    BROKERS,
    GROUPS,
    TOPICS,
    Metric,
    Samples,
    Scope,
)
from pykafka_ops.monitor.metrics.walks import KAFKA_EXPORTER as NAMES
from pykafka_ops.monitor.metrics.walks import Figure, end, lag, start


def _brokers(scope: Scope) -> Samples:
    yield scope.labels(), sum(row["state"] != "down" for row in scope.view.brokers)


def _broker_info(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        if row["state"] != "down":
            yield scope.labels(id=str(row["id"]), address=str(row["address"])), 1


def _partitions(scope: Scope) -> Samples:
    for name, topic in scope.topics.items():
        yield scope.labels(topic=name), len(topic.description.partitions)


_FIGURES: Final[tuple[tuple[str, str, Figure], ...]] = (
    ("current_offset", "Where the log ends", end),
    ("oldest_offset", "Where the log begins", start),
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
        Metric(
            f"kafka_topic_partition_{name}", what, TOPICS, NAMES.of_partitions(figure), fine=True
        )
        for name, what, figure in _FIGURES
    ),
    Metric(
        "kafka_consumergroup_current_offset", "Offset that the group committed", GROUPS,
        NAMES.of_commits(lambda scope, topic, n, offset: offset), fine=True,
    ),
    Metric(
        "kafka_consumergroup_lag", "Records between the commit and the log's end", GROUPS,
        NAMES.of_commits(lag), fine=True,
    ),
    Metric(
        "kafka_consumergroup_current_offset_sum", "Sum of offsets over partitions", GROUPS,
        NAMES.offset_sums,
    ),
    Metric("kafka_consumergroup_lag_sum", "Sum of lags over partitions", GROUPS, NAMES.lag_sums),
    Metric("kafka_consumergroup_members", "Number of members", GROUPS, NAMES.members),
)  # fmt: skip
"""All of them, in their order."""
