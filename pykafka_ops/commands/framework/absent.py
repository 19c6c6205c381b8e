"""Errors about items that a command line names and the cluster lacks, alike in every command."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode


class NoBrokerError(PkoError):
    """A broker that was named is not there."""


def no_broker(id_: int, live: Iterable[int]) -> str:
    """What is said of a broker that is not among ``live`` ones."""
    return f"there is no broker {id_}; brokers are {', '.join(map(str, sorted(live)))}"


def check_brokers(asked: Iterable[int], live: Collection[int]) -> None:
    """NoBrokerError for the first that is not live."""
    for id_ in asked:
        if id_ not in live:
            raise NoBrokerError(no_broker(id_, live))


def no_partition(topic: str, number: int, count: int) -> KafkaError:
    """The error for a partition that a topic with ``count`` partitions does not have."""
    text = f"topic {topic} has no partition {number}: it has {count}, numbered from 0"
    return KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, text)
