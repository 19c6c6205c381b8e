"""``--topic orders`` and ``--topic orders:0,2``: which partitions are meant."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client import topics
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.args import java_integer
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.wire.codes import ErrorCode


def parse(word: str) -> tuple[str, list[int] | None]:
    """Topic and partitions (None: all of them). Raises ScopeError in Kafka's words."""
    topic, colon, listed = word.partition(":")
    if not colon:
        return topic, None
    numbers = []
    for part in listed.split(","):
        number = java_integer(part)
        if number is None:
            raise ScopeError(f"Invalid partition '{part}' specified in topic arg '{word}''")
        numbers.append(number)
    return topic, numbers


def partitions_of(cluster: Cluster, words: Sequence[str]) -> tuple[list[Partition], list[str]]:
    """The partitions meant, as they were named, and the topics that are not there.

    Partitions given by number are not looked up: the brokers tell whether they are there.
    """
    parsed = [parse(word) for word in words]
    whole = [topic for topic, numbers in parsed if numbers is None]
    counts = _counts(cluster, whole)
    found: list[Partition] = []
    missing = []
    for topic, numbers in parsed:
        if numbers is not None:
            found += [(topic, n) for n in numbers]
        elif topic in counts:
            found += [(topic, n) for n in range(counts[topic])]
        else:
            missing.append(topic)
    return list(dict.fromkeys(found)), missing


def _counts(cluster: Cluster, names: Sequence[str]) -> dict[str, int]:
    """Partitions of each topic that is there; raises KafkaError for what may not be seen."""
    counts = {}
    for name, found in topics.describe_topics(cluster, names).items():
        if isinstance(found, topics.Topic):
            counts[str(name)] = len(found.partitions)
        elif found.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise found
    return counts
