"""``--topic orders`` and ``--topic orders:0,2``: which partitions are meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.client import topics
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.absent import no_partition
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.commands.framework.topic_filter import missing_topic, partitions_by_topic
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.groups.kafka import ScopeError
from pykafka_ops.wire.codes import ErrorCode


def partitions_of(cluster: Cluster, args: Args) -> tuple[list[Partition], list[str]]:
    """The partitions meant, as they were named, and the topics that do not exist.

    In Kafka's form partitions given by number are not looked up: the brokers say whether they
    exist. Raises KafkaError, in pko's form for a partition that does not exist, too, and in Kafka's
    ScopeError.
    """
    words = args.texts("topic")
    parsed = _kafkas(words) if args.flags else partitions_by_topic(words).items()
    wanted = list(parsed)
    counts = _counts(cluster, [t for t, numbers in wanted if numbers is None or not args.flags])
    found: list[Partition] = []
    missing = []
    for topic, numbers in wanted:
        if numbers is not None and not args.flags and topic in counts:
            _check_numbers(topic, numbers, counts[topic])
        if numbers is not None and (args.flags or topic in counts):
            found += [(topic, n) for n in numbers]
        elif topic in counts:
            found += [(topic, n) for n in range(counts[topic])]
        else:
            missing.append(topic)
    return list(dict.fromkeys(found)), missing


def _check_numbers(topic: str, numbers: Sequence[int], count: int) -> None:
    for number in numbers:
        if number >= count:
            raise no_partition(topic, number, count)


def missing_topics(cluster: Cluster, names: Sequence[str]) -> list[ItemError]:
    """An error for each of ``names``, which do not exist."""
    known = [t.name for t in topics.all_topics(cluster)] if names else []
    return [missing_topic(name, known) for name in names]


def _kafkas(words: Iterable[str]) -> Iterable[tuple[str, list[int] | None]]:
    for word in words:
        topic, colon, listed = word.partition(":")
        if not colon:
            yield topic, None
            continue
        numbers = []
        for part in listed.split(","):
            number = java_integer(part)
            if number is None:
                raise ScopeError(f"Invalid partition '{part}' specified in topic arg '{word}''")
            numbers.append(number)
        yield topic, numbers


def _counts(cluster: Cluster, names: Sequence[str]) -> dict[str, int]:
    """Partitions of each topic that exists; raises KafkaError for what may not be seen."""
    counts = {}
    for name, found in topics.describe_topics(cluster, names).items():
        if isinstance(found, topics.TopicDescription):
            counts[str(name)] = len(found.partitions)
        elif found.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise found
    return counts
