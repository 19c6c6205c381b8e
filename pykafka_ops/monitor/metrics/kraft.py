"""What a cluster in KRaft tells of its controllers and of brokers that it does not let in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pykafka_ops.client.quorum import QuorumReplica, by_role, leader_of
from pykafka_ops.monitor.metrics.lines import BROKERS, Metric, Number, Samples, Scope

Figure = Callable[[QuorumReplica, QuorumReplica], "Number | None"]
"""Of the leader and a replica of the metadata log."""


def _fact(name: str) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        if scope.view.is_kraft:
            yield scope.own(), (scope.view.facts or {}).get(name)

    return samples


def _leader(scope: Scope) -> Samples:
    quorum = scope.view.quorum
    if quorum is not None:
        yield scope.own(), quorum.leader


def _epoch(scope: Scope) -> Samples:
    quorum = scope.view.quorum
    if quorum is not None:
        yield scope.own(), quorum.epoch


def _of_replicas(figure: Figure) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Iterator[tuple[str, Number | None]]:
        quorum = scope.view.quorum
        leader = None if quorum is None else leader_of(quorum)
        if quorum is None or leader is None:
            return
        for role, replica in by_role(quorum):
            labels = scope.own(replica=str(replica.id), role=role.lower())
            yield labels, figure(leader, replica)

    return samples


def _lag(leader: QuorumReplica, replica: QuorumReplica) -> Number | None:
    return max(0, leader.end - replica.end) if leader.end >= 0 and replica.end >= 0 else None


def _behind(leader: QuorumReplica, replica: QuorumReplica) -> Number | None:
    if leader.caught_up_at < 0 or replica.caught_up_at < 0:
        return None
    return max(0, leader.caught_up_at - replica.caught_up_at) / 1000


METRICS: Final = (
    Metric(
        "pko_kafka_quorum_lost", "1 if no controller leads the quorum", BROKERS,
        _fact("quorum_lost"),
    ),
    Metric("pko_kafka_quorum_leader", "Id of the controller that leads, -1: none", BROKERS,
           _leader),
    Metric("pko_kafka_quorum_epoch", "Grows with every election", BROKERS, _epoch),
    Metric(
        "pko_kafka_quorum_voters", "Controllers that have a vote", BROKERS, _fact("quorum_voters")
    ),
    Metric(
        "pko_kafka_quorum_voters_behind", "Controllers with a vote that do not follow", BROKERS,
        _fact("voters_behind"),
    ),
    Metric(
        "pko_kafka_quorum_replica_lag", "Records of metadata that it lacks", BROKERS,
        _of_replicas(_lag),
    ),
    Metric(
        "pko_kafka_quorum_replica_behind_seconds", "Since it had all records of metadata", BROKERS,
        _of_replicas(_behind),
    ),
    Metric(
        "pko_kafka_brokers_fenced", "Brokers that are registered, but not let in", BROKERS,
        _fact("brokers_fenced"),
    ),
    Metric(
        "pko_kafka_partitions_with_elr", "Partitions with replicas out of the ISR that may lead",
        BROKERS, _fact("elr"),
    ),
)  # fmt: skip
"""All of them, by cluster; none of a cluster on ZooKeeper."""
