"""What no exporter has: verdicts, delays, what retention will take, what is broken."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from pykafka_ops.analysis.cluster_state import TROUBLES
from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.monitor.cluster.view import NEVER, WatchedGroup
from pykafka_ops.monitor.metrics.lines import BROKERS, GROUPS, Metric, Number, Samples, Scope

Fact = Callable[[WatchedGroup], "Number | None"]


def _troubled(scope: Scope) -> Samples:
    for kind in TROUBLES:
        labels = scope.own(trouble=kind)
        yield labels, (scope.view.facts or {}).get(kind)


def _moving(scope: Scope) -> Samples:
    yield scope.own(), None if scope.view.moves is None else len(scope.view.moves)


def _brokers_up(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        yield scope.own(broker=str(row["id"])), int(row["state"] == "up")


def _broker_free(scope: Scope) -> Samples:
    for row in scope.view.brokers:
        free = row["free_bytes"]
        yield scope.own(broker=str(row["id"])), free if isinstance(free, int) else None


def _verdicts(scope: Scope) -> Samples:
    for name, group in scope.groups.items():
        yield scope.own(group=name, verdict=group.row.status), 1


def _of_groups(fact: Fact) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for name, group in scope.groups.items():
            yield scope.own(group=name), fact(group)

    return samples


def _loss(group: WatchedGroup) -> float | None:
    return inf if group.loss == NEVER else group.loss_in_seconds


METRICS: Final = (
    Metric(
        "pko_kafka_partitions_in_trouble", f"Partitions by trouble: {', '.join(TROUBLES)}", BROKERS,
        _troubled,
    ),
    Metric("pko_kafka_partitions_moving", "Partitions whose replicas move", BROKERS, _moving),
    Metric(
        "pko_kafka_broker_up", "1 if the broker is in the cluster and answers", BROKERS, _brokers_up
    ),
    Metric(
        "pko_kafka_broker_free_bytes", "What the broker may still write to its disks", BROKERS,
        _broker_free,
    ),
    Metric(
        "pko_kafka_group_verdict", f"1 for the group's verdict: {', '.join(STATUSES)}", GROUPS,
        _verdicts,
    ),
    Metric(
        "pko_kafka_group_time_lag_seconds", "How much older the next record to read is", GROUPS,
        _of_groups(lambda group: group.row.lag_seconds),
    ),
    Metric(
        "pko_kafka_group_eta_seconds", "Until the group has caught up", GROUPS,
        _of_groups(lambda group: group.row.catch_up_seconds),
    ),
    Metric(
        "pko_kafka_group_unknown_partitions", "Partitions whose lag is not known", GROUPS,
        _of_groups(lambda group: group.row.unknown_partitions),
    ),
    Metric(
        "pko_kafka_group_loss_seconds", "Until retention takes what is not read", GROUPS,
        _of_groups(_loss),
    ),
)  # fmt: skip
"""All of them, by cluster."""
