"""What lies on the brokers' disks (KIP-113, KIP-827)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages.log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)


class Replica(NamedTuple):
    """One replica: bytes on disk, how far it lags (offsets), whether it is moving here."""

    topic: str
    partition: int
    size: int
    lag: int
    future: bool


class LogDir(NamedTuple):
    """One log directory; bytes are -1 where the broker is too old to tell (before 3.3)."""

    path: str
    error: KafkaError | None
    total_bytes: int
    usable_bytes: int
    replicas: list[Replica]


def describe_log_dirs(
    cluster: Cluster,
    brokers: Sequence[int],
    topics: Mapping[str, Sequence[int]] | None = None,
) -> dict[int, list[LogDir] | PkoError]:
    """The directories of each broker with the replicas asked for (None: all)."""
    request = DescribeLogDirsRequest(
        topics=None
        if topics is None
        else [DescribableLogDirTopic(topic=t, partitions=list(p)) for t, p in topics.items()]
    )
    questions = [Question(b, request, DescribeLogDirsResponse) for b in brokers]
    answers = cluster.call_each(questions, name="describeLogDirs")
    return {b: _broker(a) for b, a in zip(brokers, answers, strict=True)}


def _broker(answer: DescribeLogDirsResponse | PkoError) -> list[LogDir] | PkoError:
    if isinstance(answer, PkoError):
        return answer
    if answer.error_code:
        return KafkaError(answer.error_code)
    return [_dir(result) for result in answer.results]


def _dir(result: DescribeLogDirsResult) -> LogDir:
    replicas = [
        Replica(t.name, p.partition_index, p.partition_size, p.offset_lag, p.is_future_key)
        for t in result.topics
        for p in t.partitions
    ]
    replicas.sort()
    error = KafkaError(result.error_code) if result.error_code else None
    return LogDir(result.log_dir, error, result.total_bytes, result.usable_bytes, replicas)
