"""A made-up cluster as large as the monitor has to bear: 1,000 brokers, 100,000 partitions, 10,000
groups, all of them at once in trouble of some kind."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import inf

from pykafka_ops.analysis import cluster_state
from pykafka_ops.analysis.commits.burrow import OK, STOP, UNKNOWN, WARN
from pykafka_ops.analysis.lag.rows import LOST, GroupLag
from pykafka_ops.client.cluster import Node
from pykafka_ops.client.glance import broker_rows, placed
from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.client.log_dirs import LogDirDescription, ReplicaInfo
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.client.topics import PartitionDescription, TopicDescription
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic, WorstPartition

BROKERS, TOPICS, PARTITIONS, GROUPS = 1000, 2000, 50, 10_000
STATUSES = (OK, WARN, STOP, LOST, UNKNOWN)


def large_view(name: str, now: int) -> ClusterView:
    """The cluster after a round at ``now`` (ms): every tenth broker is gone."""
    nodes = large_nodes()
    topics = {f"topic-{n:04}": large_topic(n) for n in range(TOPICS)}
    dirs = large_dirs(topic.description for topic in topics.values())
    moves = {(f"topic-{n:04}", 0): Reassignment([1, 2, 3, 4], [4], [1]) for n in range(1000)}
    minimum = dict.fromkeys(topics, 2)
    partitions = placed((t.description for t in topics.values()), minimum, moves)
    racks = {b: node.rack for b, node in nodes.items()}
    answering = dict.fromkeys(nodes, "")
    looked = cluster_state.survey(partitions, racks)
    facts = cluster_state.facts(looked, 1, None)
    return ClusterView(
        name=name,
        number=7,
        at=now,
        controller=1,
        cluster_id="large",
        facts={**facts, "brokers_silent": 0, "dirs_failed": 0, "reassigning": len(moves)},
        troubled=looked.troubled,
        brokers=broker_rows(nodes, 1, looked.shares, dirs, answering),
        topics=topics,
        groups={f"group-{n:05}": _group(n) for n in range(GROUPS)},
        dirs=dirs,
        moves=moves,
        not_asked=[NotAsked(f"offsets of group {n}", "COORDINATOR", "gone") for n in range(500)],
    )


def large_nodes() -> dict[int, Node]:
    """The brokers: every tenth is gone."""
    return {b: Node(b, f"b{b}", 9092, f"rack-{b % 3}") for b in range(BROKERS) if b % 10}


def large_topic(n: int) -> WatchedTopic:
    """Topic ``n``, of which three brokers have each partition."""
    partitions = []
    for p in range(PARTITIONS):
        first = n * PARTITIONS + p
        replicas = [(first + k) % BROKERS for k in range(3)]
        isr = [b for b in replicas if b % 10]
        partitions.append(PartitionDescription(p, isr[0], 5, replicas, isr, []))
    described = TopicDescription(f"topic-{n:04}", n.to_bytes(16, "big"), False, partitions)
    settings = {"retention.ms": "86400000", "min.insync.replicas": "2", "cleanup.policy": "delete"}
    ends, starts = array("q", range(PARTITIONS)), array("q", [0] * PARTITIONS)
    return WatchedTopic(described, starts, ends, 10.0, 3 << 30, settings)


def large_dirs(topics: Iterable[TopicDescription]) -> dict[int, list[LogDirDescription]]:
    """Where their replicas lie, 20 MiB each."""
    held: dict[int, list[ReplicaInfo]] = {b: [] for b in range(BROKERS) if b % 10}
    for topic in topics:
        for p in topic.partitions:
            for broker in p.replicas:
                if broker in held:
                    held[broker].append(ReplicaInfo(topic.name, p.number, 20 << 20, 0, False))
    return {b: [LogDirDescription("/d", None, 1 << 40, b << 30, r)] for b, r in held.items()}


def _group(n: int) -> WatchedGroup:
    status = STATUSES[n % len(STATUSES)]
    lag = None if status == UNKNOWN else 0 if status == OK else n
    row = GroupLag(
        f"group-{n:05}", "Stable", 10, 0, lag, lag, None if lag is None else lag / 10,
        5.0, 4.0, None, n, status,
    )  # fmt: skip
    topic = f"topic-{n % TOPICS:04}"
    members = [
        MemberDescription(f"m-{n}-{k}", None, f"client-{n}-{k}", f"/10.0.{n % 256}.{k}",
                          ((topic, k),))
        for k in range(5)
    ]  # fmt: skip
    worst = WorstPartition(topic, 1, f"client-{n}-1", "/10.0.0.1") if lag else None
    loss = 3600.0 if status == WARN else None
    return WatchedGroup(
        row, "Classic", 1, "consumer", members, [topic], 1, loss if loss != inf else None, None,
        worst,
    )  # fmt: skip
