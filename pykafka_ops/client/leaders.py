"""Requests about partitions go to their leaders: grouped, side by side, again for what moved.

Source: PartitionLeaderStrategy and AdminApiDriver of Kafka's admin client.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pykafka_ops.client.answers import taken_apart
from pykafka_ops.client.cluster import TRANSIENT, CallTimeoutError, Cluster, Question, lasting
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import MetadataResponse

Partition = tuple[str, int]
V = TypeVar("V")
R = TypeVar("R")
Answers = Iterable[tuple[Partition, KafkaError | None, R]]
"""What an answer says of each partition: who, its error, else its value."""

PASSING = frozenset(
    (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.BROKER_NOT_AVAILABLE,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.OFFSET_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.UNKNOWN_TOPIC_ID,
    )
)


def ask_leaders(
    cluster: Cluster,
    wanted: Mapping[Partition, V],
    ask: Callable[[int, dict[Partition, V]], Question],
    read: Callable[[Any], Answers[R]],
    *,
    name: str,
    passing: frozenset[ErrorCode] = PASSING,
    leaders: Mapping[Partition, int] | None = None,
) -> dict[Partition, R | PkoError]:
    """For each partition the value its leader gives, or the PkoError that stands for it.

    ``ask(node, part)`` makes the question to one leader, ``read`` takes its answer apart. What may
    pass (a leader that moved, a topic not known yet) is tried again within the time of a call, a
    topic that stays unknown no longer than the configuration's patience. ``passing``: the errors of
    a partition that may pass. ``leaders``, as far as they are known already, are asked first: then
    no metadata is fetched but for what has moved.
    """
    results: dict[Partition, R | PkoError] = {}
    started, tries, wait = time.monotonic(), 0, cluster.config.backoff
    pending = dict(wanted)
    if leaders:
        cluster.brokers(name)
    while pending:
        by_leader, trouble = _find_leaders(cluster, pending, name, results, leaders or {})
        leaders = None
        questions = [ask(node, part) for node, part in by_leader.items()]
        answers = cluster.call_each(questions, name=name, once=True)
        for part, answer in zip(by_leader.values(), answers, strict=True):
            for partition, found in taken_apart(part, answer, read).items():
                if isinstance(found, TRANSIENT) or (
                    isinstance(found, KafkaError) and found.code in passing
                ):
                    trouble[partition] = found
                else:
                    results[partition] = found
        tries += 1
        late = _out_of_time(cluster, started, tries, wait, name, trouble)
        results.update(late)
        pending = {p: wanted[p] for p in trouble if p not in late}
        if pending:
            time.sleep(wait)
            wait = min(wait * 2, cluster.config.backoff_max)
    return results


def _find_leaders(
    cluster: Cluster,
    pending: Mapping[Partition, V],
    name: str,
    results: dict[Partition, Any],
    told: Mapping[Partition, int],
) -> tuple[dict[int, dict[Partition, V]], dict[Partition, PkoError]]:
    """The pending partitions by leader, and those that have none for now, with the reason.

    ``told`` are leaders that need not be asked for.
    """
    grouped: dict[int, dict[Partition, V]] = {}
    trouble: dict[Partition, PkoError] = {}
    for partition, leader in told.items():
        if partition in pending and leader in cluster.nodes:
            grouped.setdefault(leader, {})[partition] = pending[partition]
    left = {p: v for p, v in pending.items() if told.get(p) not in grouped}
    if not left:
        return grouped, trouble
    response = cluster.metadata(sorted({topic for topic, _ in left}), name=f"{name}(api=METADATA)")
    leaders, errors = _leaders(response)
    for partition, value in left.items():
        code = errors.get(partition[0], 0)
        leader = leaders.get(partition, -1)
        if code and code not in PASSING:
            results[partition] = KafkaError(code)
        elif leader in cluster.nodes:
            grouped.setdefault(leader, {})[partition] = value
        elif partition in leaders:
            trouble[partition] = KafkaError(ErrorCode.LEADER_NOT_AVAILABLE)
        else:
            trouble[partition] = KafkaError(code or ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return grouped, trouble


def _leaders(response: MetadataResponse) -> tuple[dict[Partition, int], dict[str, int]]:
    leaders, errors = {}, {}
    for topic in response.topics:
        if topic.error_code:
            errors[topic.name or ""] = topic.error_code
        for p in topic.partitions:
            leaders[topic.name or "", p.partition_index] = p.leader_id
    return leaders, errors


def _out_of_time(
    cluster: Cluster,
    started: float,
    tries: int,
    wait: float,
    name: str,
    trouble: Mapping[Partition, PkoError],
) -> dict[Partition, CallTimeoutError]:
    """Those that are not tried again, and why."""
    config = cluster.config
    age = time.monotonic() - started + wait
    late = {}
    for partition, error in trouble.items():
        if tries > config.retries:
            text = f"Exceeded maxRetries after {tries} tries."
        elif age > (config.patience if isinstance(error, KafkaError) else lasting(config, error)):
            text = f"Call(callName={name}) timed out after {tries} attempt(s)"
        else:
            continue
        late[partition] = CallTimeoutError(text, error)
    return late
