"""What only share groups (KIP-932) and streams groups (KIP-1071) have.

A share group commits nothing: the names of exporters for offsets and lags of commits are not for
it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from pykafka_ops.client.group_describe import SHARE, STREAMS
from pykafka_ops.client.share_offsets import ShareStart
from pykafka_ops.metrics.family import Labels
from pykafka_ops.monitor.metrics.lines import GROUPS, Metric, Number, Samples, Scope

_ROLES: Final = ("active", "standby", "warm-up")


def _info(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        yield scope.own(group=name, type=group.type, state=group.row.state), 1


def _starts(scope: Scope) -> Iterator[tuple[str, str, int, ShareStart]]:
    """Group, topic, partition, and where the group is, by group and topic."""
    for name, group in scope.groups.items():
        if group.type == SHARE:
            for (topic, n), start in sorted(scope.watched.share_starts(name).items()):
                if scope.shows_topic(topic):
                    yield name, topic, n, start


def _of_starts(figure: Callable[[ShareStart], Number | None]) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for group, topic, n, start in _starts(scope):
            labels = Labels(cluster=scope.view.name, group=group, topic=topic, partition=str(n))
            yield labels.text, figure(start)

    return samples


def _lag_sums(scope: Scope) -> Samples:
    """None where the lag of a partition is not known."""
    sums: dict[tuple[str, str], int | None] = {}
    for group, topic, _, start in _starts(scope):
        before = sums.get((group, topic), 0)
        known = before is not None and start.lag is not None
        sums[group, topic] = (before or 0) + (start.lag or 0) if known else None
    for (group, topic), lag in sums.items():
        yield scope.own(group=group, topic=topic), lag


def _tasks(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        if group.type == STREAMS and group.described:
            counts = Counter(task.role for member in group.members for task in member.tasks)
            for role in _ROLES:
                yield scope.own(group=name, role=role), counts[role]


METRICS: Final = (
    Metric("pko_kafka_group_info", "Type and state of the group", GROUPS, _info),
    Metric(
        "pko_kafka_share_group_start_offset", "First record that the share group is not done with",
        GROUPS, _of_starts(lambda start: start.start), fine=True,
    ),
    Metric(
        "pko_kafka_share_group_lag", "Records that the share group has yet to do", GROUPS,
        _of_starts(lambda start: start.lag), fine=True,
    ),
    Metric(
        "pko_kafka_share_group_lag_sum", "Sum of these over partitions", GROUPS, _lag_sums
    ),
    Metric("pko_kafka_streams_group_tasks", "Tasks of the streams group", GROUPS, _tasks),
)  # fmt: skip
"""All of them, by cluster."""
