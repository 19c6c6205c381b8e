"""Throttles of a reassignment: settings of its brokers and topics, set and taken away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pykafka_ops.analysis.moves import throttles as rt
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import BROKER, TOPIC, ConfigResource
from pykafka_ops.client.own_settings import OwnValues, alter_own, own_settings
from pykafka_ops.commands.reassign_partitions.text import Partition, Talk, joined, plural
from pykafka_ops.errors import PkoError

MUST_VERIFY = (
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the "
    "throttle is removed."
)
RATES = (rt.LEADER_RATE, rt.FOLLOWER_RATE)
Values = OwnValues
Write = Callable[[Values], None]
"""Writes them, to a cluster (``alter``) or to ZooKeeper; PkoError."""


def of_topics(moves: Mapping[Partition, rt.Copying]) -> dict[ConfigResource, dict[str, str]]:
    """The settings that say which replicas are throttled."""
    leaders, followers = rt.leader_throttles(moves), rt.follower_throttles(moves)
    return {
        ConfigResource(TOPIC, topic): {
            rt.LEADER_REPLICAS: leaders[topic],
            rt.FOLLOWER_REPLICAS: followers[topic],
        }
        for topic in leaders
    }


def of_brokers(
    brokers: Iterable[int], rate: int, names: Sequence[str] = RATES
) -> dict[ConfigResource, dict[str, str]]:
    """The settings that say how fast brokers may copy, in bytes a second."""
    return {
        ConfigResource(BROKER, str(id_)): dict.fromkeys(names, str(rate))
        for id_ in sorted(set(brokers))
    }


def limit_replication(
    write: Write, moves: Mapping[Partition, rt.Copying], rate: int, talk: Talk
) -> None:
    """Let brokers copy at most ``rate`` bytes a second for these moves; PkoError."""
    write(of_topics(moves))
    write(of_brokers(rt.brokers_of(moves), rate))
    talk.say(f"The inter-broker throttle limit was set to {rate} B/s")


def limit_log_dirs(write: Write, brokers: Iterable[int], rate: int, talk: Talk) -> None:
    """Let these brokers copy at most ``rate`` bytes a second between directories; PkoError."""
    write(of_brokers(brokers, rate, [rt.LOG_DIRS_RATE]))
    talk.say(f"The replica-alter-dir throttle limit was set to {rate} B/s")


def clear(write: Write, brokers: Iterable[int], topics: Iterable[str], talk: Talk) -> None:
    """Take away all throttles of these brokers and topics; PkoError.

    All of them: nothing shows which brokers took part in moves of before.
    """
    ids, names = sorted(set(brokers)), sorted(set(topics))
    talk.say(f"Clearing broker-level throttles on {plural('broker', len(ids))} {joined(ids)}")
    write(none_of(ConfigResource(BROKER, str(id_)) for id_ in ids))
    talk.say(f"Clearing topic-level throttles on {plural('topic', len(names))} {joined(names)}")
    write(none_of(ConfigResource(TOPIC, name) for name in names))


def none_of(places: Iterable[ConfigResource]) -> dict[ConfigResource, dict[str, None]]:
    """No throttle at all for these brokers and topics."""
    return {
        place: dict.fromkeys(rt.BROKER_THROTTLES if place.type == BROKER else rt.TOPIC_THROTTLES)
        for place in places
    }


def alter(cluster: Cluster, values: Values) -> None:
    """Change settings; the first PkoError of a resource where one fails."""
    for error in altered(cluster, values).values():
        if error is not None:
            raise error


def altered(cluster: Cluster, values: Values) -> dict[ConfigResource, PkoError | None]:
    """Change settings; how that went."""
    return alter_own(cluster, values)


def present(
    cluster: Cluster, places: Sequence[ConfigResource]
) -> dict[ConfigResource, dict[str, str | None] | PkoError]:
    """The throttles that are set on the brokers and topics themselves."""
    return own_settings(cluster, places, [*rt.BROKER_THROTTLES, *rt.TOPIC_THROTTLES])


def called(place: ConfigResource) -> str:
    """``broker 1`` or ``topic orders``."""
    return f"{'broker' if place.type == BROKER else 'topic'} {place.name}"
