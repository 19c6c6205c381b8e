"""Which replicas and brokers a reassignment throttles (ReassignPartitionsCommand, KIP-73).

A partition is copied from its present replicas (sources) to those that are new (destinations):
the leader side of every source and the follower side of every destination are throttled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Partition = tuple[str, int]
"""Topic, partition."""

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"
LOG_DIRS_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
BROKER_THROTTLES = (LEADER_RATE, FOLLOWER_RATE, LOG_DIRS_RATE)
"""Settings of brokers, bytes per second."""
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"
TOPIC_THROTTLES = (LEADER_REPLICAS, FOLLOWER_REPLICAS)
"""Settings of topics, ``partition:broker`` joined by commas."""


class Copying(NamedTuple):
    """Brokers that a partition is copied from, and to."""

    sources: frozenset[int]
    destinations: frozenset[int]


def copying(
    under_way: Mapping[Partition, tuple[Sequence[int], Sequence[int]]],
    proposed: Mapping[Partition, Sequence[int]],
    current: Mapping[Partition, Sequence[int]],
) -> dict[Partition, Copying]:
    """What is copied once the ``proposed`` replicas are asked for besides what is ``under_way``.

    ``under_way`` has all replicas and the adding ones of a partition. A partition that moves
    already keeps its sources, since what it adds may hold nothing yet; others start from
    ``current``. KeyError where a proposed partition is in neither.
    """
    moves = {
        key: Copying(frozenset(replicas) - frozenset(adding), frozenset(adding))
        for key, (replicas, adding) in under_way.items()
    }
    for key, replicas in proposed.items():
        sources = moves[key].sources if key in moves else frozenset(current[key])
        moves[key] = Copying(sources, frozenset(replicas) - sources)
    return moves


def leader_throttles(moves: Mapping[Partition, Copying]) -> dict[str, str]:
    """``leader.replication.throttled.replicas`` by topic.

    >>> leader_throttles({("t", 0): Copying(frozenset({1, 0}), frozenset({2}))})
    {'t': '0:0,0:1'}
    """
    return _by_topic((key, move.sources) for key, move in moves.items())


def follower_throttles(moves: Mapping[Partition, Copying]) -> dict[str, str]:
    """``follower.replication.throttled.replicas`` by topic; empty where nothing is copied to."""
    return _by_topic((key, move.destinations - move.sources) for key, move in moves.items())


def brokers_of(moves: Mapping[Partition, Copying]) -> list[int]:
    """Every broker that copies, by id."""
    return sorted({id_ for move in moves.values() for id_ in move.sources | move.destinations})


def _by_topic(brokers: Iterable[tuple[Partition, frozenset[int]]]) -> dict[str, str]:
    """Sorted as text, which is how Kafka's tool writes them."""
    found: dict[str, set[str]] = {}
    for (topic, partition), ids in brokers:
        found.setdefault(topic, set()).update(f"{partition}:{id_}" for id_ in ids)
    return {topic: ",".join(sorted(found[topic])) for topic in sorted(found)}
