"""linkedin/Burrow's own names, by Burrow's own rules; the label ``cluster`` is always there.

Source: httpserver/prometheus.go. A scrape judges every partition of every group: for what has a
million of them, ``granularity = "topic"`` leaves the partitions out but not that work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pykafka_ops.metrics.family import Labels
from pykafka_ops.monitor.burrow.found import is_known, partitions
from pykafka_ops.monitor.burrow.judged import UNKNOWN, JudgedGroup, JudgedTopic, judge
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.metrics.lines import GROUPS, TOPICS, Metric, Samples, Scope


def _judged(scope: Scope) -> dict[str, JudgedGroup]:
    """All groups, judged once for a scrape."""
    if scope.judged is None:
        now = now_ms()
        scope.judged = {
            name: judge(
                partitions(scope.watched, name),
                dict(scope.committed(name)),
                scope.watched.clocks.time(group.coordinator, now).ms,
            )
            for name, group in scope.groups.items()
            if is_known(group)
        }
    return scope.judged


def _totals(scope: Scope) -> Samples:
    for name, group in _judged(scope).items():
        yield Labels(cluster=scope.view.name, consumer_group=name).text, group.total


def _statuses(scope: Scope) -> Samples:
    for name, group in _judged(scope).items():
        yield Labels(cluster=scope.view.name, consumer_group=name).text, group.status


def _topics(scope: Scope) -> Iterator[tuple[str, JudgedTopic]]:
    for name, group in _judged(scope).items():
        for topic in group.topics:
            pairs = {"cluster": scope.view.name, "consumer_group": name, "topic": topic.name}
            yield Labels(**pairs).text[:-1], topic


def _lags(scope: Scope) -> Samples:
    for head, topic in _topics(scope):
        for n, lag in zip(topic.numbers, topic.lags, strict=True):
            yield f'{head},partition="{n}"}}', None if lag == UNKNOWN else lag


def _offsets(scope: Scope) -> Samples:
    for head, topic in _topics(scope):
        for n, offset in zip(topic.numbers, topic.offsets, strict=True):
            yield f'{head},partition="{n}"}}', None if offset == UNKNOWN else offset


def _partition_statuses(scope: Scope) -> Samples:
    for head, topic in _topics(scope):
        for n, status, offset in zip(topic.numbers, topic.statuses, topic.offsets, strict=True):
            yield f'{head},partition="{n}"}}', None if offset == UNKNOWN else status


def _ends(scope: Scope) -> Samples:
    for name, topic in scope.topics.items():
        head = Labels(cluster=scope.view.name, topic=name).text[:-1]
        for n, end in enumerate(topic.ends):
            yield f'{head},partition="{n}"}}', end if end >= 0 else None


METRICS: Final = (
    Metric("burrow_kafka_consumer_lag_total", "Sum of the lags of the group", GROUPS, _totals),
    Metric(
        "burrow_kafka_consumer_status",
        "Status of the group: its place in NOTFOUND, OK, WARN, ERR", GROUPS, _statuses,
    ),
    Metric(
        "burrow_kafka_consumer_partition_lag", "Lag of the group on the partition", GROUPS, _lags,
        fine=True,
    ),
    Metric(
        "burrow_kafka_consumer_current_offset", "Last commit, once the window is complete", GROUPS,
        _offsets, fine=True,
    ),
    Metric(
        "burrow_kafka_topic_partition_status",
        "Status of the group's partition, once the window is complete: its place in "
        "NOTFOUND, OK, WARN, ERR, STOP, STALL, REWIND",
        GROUPS, _partition_statuses, fine=True,
    ),
    Metric("burrow_kafka_topic_partition_offset", "Where the log ends", TOPICS, _ends, fine=True),
)  # fmt: skip
"""All of them, in Burrow's order."""
