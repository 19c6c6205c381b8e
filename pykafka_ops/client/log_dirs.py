"""Replicas on the brokers' disks, and their moves between log directories (KIP-113, KIP-827)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import by_topic, complete, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages import alter_replica_log_dirs as ard
from pykafka_ops.wire.messages import describe_log_dirs as dld


class ReplicaInfo(NamedTuple):
    """One replica: bytes on disk, how far it lags (offsets), whether it is moving here."""

    topic: str
    partition: int
    size: int
    lag: int
    future: bool


class LogDirDescription(NamedTuple):
    """One log directory; bytes are -1 where the broker is too old to report them (before 3.3)."""

    path: str
    error: KafkaError | None
    total_bytes: int
    usable_bytes: int
    replicas: list[ReplicaInfo]


def describe_log_dirs(
    cluster: Cluster,
    brokers: Sequence[int],
    topics: Mapping[str, Sequence[int]] | None = None,
    *,
    once: bool = False,
) -> dict[int, list[LogDirDescription] | PkoError]:
    """The directories of each broker with the replicas asked for (None: all).

    ``once``: a broker that does not answer is not asked again.
    """
    request = dld.DescribeLogDirsRequest(topics=None if topics is None else _topics(topics))
    questions = [Question(b, request, dld.DescribeLogDirsResponse) for b in brokers]
    answers = cluster.call_each(questions, name="describeLogDirs", once=once)
    return {b: _broker(a) for b, a in zip(brokers, answers, strict=True)}


def _broker(answer: dld.DescribeLogDirsResponse | PkoError) -> list[LogDirDescription] | PkoError:
    if isinstance(answer, PkoError):
        return answer
    return error_of(answer) or [_dir(result) for result in answer.results]


def _dir(result: dld.DescribeLogDirsResult) -> LogDirDescription:
    replicas = [
        ReplicaInfo(t.name, p.partition_index, p.partition_size, p.offset_lag, p.is_future_key)
        for t in result.topics
        for p in t.partitions
    ]
    replicas.sort()
    return LogDirDescription(
        result.log_dir, error_of(result), result.total_bytes, result.usable_bytes, replicas
    )


ReplicaKey = tuple[str, int, int]
"""Topic, partition, broker."""


class ReplicaDirs(NamedTuple):
    """Where a replica lies and where it moves to; None: nowhere."""

    current: str | None = None
    future: str | None = None


def describe_replica_dirs(
    cluster: Cluster, replicas: Iterable[ReplicaKey]
) -> dict[ReplicaKey, ReplicaDirs]:
    """The directories of each replica, as its broker says (Admin.describeReplicaLogDirs).

    A directory that failed is left out. Raises the PkoError of a broker that gives no answer.
    """
    wanted: dict[int, dict[str, list[int]]] = {}
    found = {}
    for topic, partition, broker in replicas:
        wanted.setdefault(broker, {}).setdefault(topic, []).append(partition)
        found[topic, partition, broker] = ReplicaDirs()
    requests = [dld.DescribeLogDirsRequest(topics=_topics(wanted[b])) for b in wanted]
    questions = [
        Question(b, r, dld.DescribeLogDirsResponse) for b, r in zip(wanted, requests, strict=True)
    ]
    answers = cluster.call_each(questions, name="describeReplicaLogDirs") if questions else []
    for broker, answer in zip(wanted, answers, strict=True):
        dirs = _broker(answer)
        if isinstance(dirs, PkoError):
            raise dirs
        for d in dirs:
            for r in () if d.error else d.replicas:
                key = r.topic, r.partition, broker
                if key in found:
                    change = {"future" if r.future else "current": d.path}
                    found[key] = found[key]._replace(**change)
    return found


def _topics(partitions: Mapping[str, Sequence[int]]) -> list[dld.DescribableLogDirTopic]:
    return [dld.DescribableLogDirTopic(topic=t, partitions=list(p)) for t, p in partitions.items()]


def alter_replica_dirs(
    cluster: Cluster, moves: Mapping[ReplicaKey, str]
) -> dict[ReplicaKey, PkoError | None]:
    """Ask brokers to move replicas to these directories (KIP-113); None: the move has begun."""
    brokers: dict[int, dict[str, list[ReplicaKey]]] = {}
    for key, path in moves.items():
        brokers.setdefault(key[2], {}).setdefault(path, []).append(key)
    questions = [
        Question(b, _alter_request(dirs), ard.AlterReplicaLogDirsResponse)
        for b, dirs in brokers.items()
    ]
    answers = cluster.call_each(questions, name="alterReplicaLogDirs") if questions else []
    done: dict[ReplicaKey, PkoError | None] = {}
    for broker, answer in zip(brokers, answers, strict=True):
        if isinstance(answer, PkoError):
            done.update({key: answer for keys in brokers[broker].values() for key in keys})
            continue
        for result in answer.results:
            for p in result.partitions:
                key = result.topic_name, p.partition_index, broker
                done[key] = error_of(p)
    return {**complete(done, moves)}


def _alter_request(dirs: Mapping[str, Sequence[ReplicaKey]]) -> ard.AlterReplicaLogDirsRequest:
    def topics(keys: Sequence[ReplicaKey]) -> list[ard.AlterReplicaLogDirTopic]:
        found = by_topic((topic, partition) for topic, partition, _ in keys)
        return [ard.AlterReplicaLogDirTopic(name=t, partitions=p) for t, p in found.items()]

    return ard.AlterReplicaLogDirsRequest(
        dirs=[ard.AlterReplicaLogDir(path=path, topics=topics(keys)) for path, keys in dirs.items()]
    )
