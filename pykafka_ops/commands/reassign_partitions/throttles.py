"""Throttles of a reassignment: settings of its brokers and topics, set and taken away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pykafka_ops.analysis.moves import throttles as rt
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, AlterOp, ConfigResource, alter_configs
from pykafka_ops.commands.reassign_partitions.text import Partition, Talk, joined, plural

MUST_VERIFY = (
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the "
    "throttle is removed."
)
Change = tuple[AlterOp, str, str | None]


def limit_replication(
    cluster: Cluster, moves: Mapping[Partition, rt.Copying], rate: int, talk: Talk
) -> None:
    """Let brokers copy at most ``rate`` bytes a second for these moves; PkoError."""
    leaders, followers = rt.leader_throttles(moves), rt.follower_throttles(moves)
    alter(
        cluster,
        {
            ConfigResource(TOPIC, topic): [
                (AlterOp.SET, rt.LEADER_REPLICAS, leaders[topic]),
                (AlterOp.SET, rt.FOLLOWER_REPLICAS, followers[topic]),
            ]
            for topic in leaders
        },
    )
    rates = (rt.LEADER_RATE, rt.FOLLOWER_RATE)
    alter(
        cluster,
        {
            ConfigResource(BROKER, str(id_)): [(AlterOp.SET, name, str(rate)) for name in rates]
            for id_ in rt.brokers_of(moves)
        },
    )
    talk.say(f"The inter-broker throttle limit was set to {rate} B/s")


def limit_log_dirs(cluster: Cluster, brokers: Iterable[int], rate: int, talk: Talk) -> None:
    """Let these brokers copy at most ``rate`` bytes a second between directories; PkoError."""
    alter(
        cluster,
        {
            ConfigResource(BROKER, str(id_)): [(AlterOp.SET, rt.LOG_DIRS_RATE, str(rate))]
            for id_ in sorted(set(brokers))
        },
    )
    talk.say(f"The replica-alter-dir throttle limit was set to {rate} B/s")


def clear(cluster: Cluster, brokers: Iterable[int], topics: Iterable[str], talk: Talk) -> None:
    """Take away all throttles of these brokers and topics; PkoError.

    All of them: nothing shows which brokers took part in moves of before.
    """
    ids, names = sorted(set(brokers)), sorted(set(topics))
    talk.say(f"Clearing broker-level throttles on {plural('broker', len(ids))} {joined(ids)}")
    alter(cluster, {ConfigResource(BROKER, str(id_)): _gone(rt.BROKER_THROTTLES) for id_ in ids})
    talk.say(f"Clearing topic-level throttles on {plural('topic', len(names))} {joined(names)}")
    alter(cluster, {ConfigResource(TOPIC, name): _gone(rt.TOPIC_THROTTLES) for name in names})


def _gone(names: Iterable[str]) -> list[Change]:
    return [(AlterOp.DELETE, name, None) for name in names]


def alter(cluster: Cluster, changes: Mapping[ConfigResource, Sequence[Change]]) -> None:
    """Change settings; the first PkoError of a resource where one fails."""
    if not changes:
        return
    for error in alter_configs(cluster, changes).values():
        if error is not None:
            raise error
