"""Checks of clients' requests about topics, in Kafka's order, with its codes and texts.

Counterpart of the checks in ``ZkAdminManager`` and ``AdminZkClient``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pykafka_ops.analysis.placement import PARTITIONS, REPLICATION_FACTOR, PlacementError
from pykafka_ops.analysis.placement import assign_replicas as place
from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment
from pykafka_ops.broker.state.controller.topic_rules import TopicCreation
from pykafka_ops.broker.state.names import (
    CLUSTER_METADATA_TOPIC,
    GROUP_METADATA_TOPIC,
    TRANSACTION_STATE_TOPIC,
    check_name,
    has_collision_chars,
    metric_name,
)
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.wire.codes import ErrorCode

DEFAULT = -1
"""Number of partitions, or replication factor, that stands for the broker's setting."""

MAX_PARTITIONS = 10_000
"""Most partitions of one topic that is made here, and of one request, as in KRaft
(``MAX_PARTITIONS_PER_BATCH``). With ZooKeeper Kafka has no limit and runs out of memory."""
_TOO_MANY = "Excessively large number of partitions per request."

Charge = Callable[[int], None]
"""Counts partitions that are to be created or deleted; raises KafkaError
THROTTLING_QUOTA_EXCEEDED if who asks has used up its quota."""
Draw = Callable[[int], int]
"""``draw(n)``: a random number in ``range(n)``."""


@dataclass(slots=True, kw_only=True)
class TopicSpec:
    """A topic as a client asks for it."""

    name: str
    partitions: int = DEFAULT
    replication_factor: int = DEFAULT
    assignments: dict[int, list[int]] = field(default_factory=dict)
    config: dict[str, str | None] = field(default_factory=dict)


def default_spec(name: str, value: Callable[[str], Any]) -> TopicSpec:
    """A topic that the broker creates by itself; ``value(setting)`` is the broker's setting.

    Internal topics have their own counts and settings, others only the defaults.
    """
    if name == GROUP_METADATA_TOPIC:
        return TopicSpec(
            name=name,
            partitions=value("offsets.topic.num.partitions"),
            replication_factor=value("offsets.topic.replication.factor"),
            config={
                "compression.type": "producer",
                "cleanup.policy": "compact",
                "segment.bytes": str(value("offsets.topic.segment.bytes")),
            },
        )
    if name == TRANSACTION_STATE_TOPIC:
        return TopicSpec(
            name=name,
            partitions=value("transaction.state.log.num.partitions"),
            replication_factor=value("transaction.state.log.replication.factor"),
            config={
                "compression.type": "uncompressed",
                "cleanup.policy": "compact",
                "min.insync.replicas": str(value("transaction.state.log.min.isr")),
                "segment.bytes": str(value("transaction.state.log.segment.bytes")),
                "unclean.leader.election.enable": "false",
            },
        )
    return TopicSpec(name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsSpec:
    """A topic to enlarge to ``count`` partitions, the new ones on ``brokers`` if not None."""

    name: str
    count: int
    brokers: list[list[int]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicDefaults:
    """``num.partitions``, ``default.replication.factor``, and the check of a topic's settings.

    ``check_config(values)`` raises SettingError or KafkaError.
    """

    partitions: int
    replication_factor: int
    check_config: Callable[[Mapping[str, str]], None]


def plan_topic(
    spec: TopicSpec,
    cluster: ControllerContext,
    defaults: TopicDefaults,
    draw: Draw,
    topic_id: bytes,
) -> TopicCreation:
    """The topic to create. Raises KafkaError if it may not be."""
    if spec.name in cluster.topics and spec.name not in cluster.deletions:
        raise _exists(spec.name)
    empty = [name for name, value in spec.config.items() if value is None]
    if empty:
        raise KafkaError(
            ErrorCode.INVALID_CONFIG,
            f"Null value not supported for topic configs: {','.join(empty)}",
        )
    if spec.assignments and (spec.partitions, spec.replication_factor) != (DEFAULT, DEFAULT):
        raise KafkaError(
            ErrorCode.INVALID_REQUEST,
            "Both numPartitions or replicationFactor and replicasAssignments were set."
            " Both cannot be used at the same time.",
        )
    assignments = spec.assignments or {}
    if not assignments:  # what we spread needs no check
        assignments = _spread(spec, cluster, defaults, draw)
    config = {name: value for name, value in spec.config.items() if value is not None}
    check_name(spec.name)
    _check_free(spec.name, cluster)
    if spec.assignments:
        _check_manual(assignments)
    try:
        defaults.check_config(config)
    except SettingError as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None
    return TopicCreation(
        name=spec.name,
        topic_id=topic_id,
        assignments={
            index: ReplicaAssignment.of(assignments[index]) for index in sorted(assignments)
        },
        config=config,
    )


def unfit(specs: Iterable[TopicSpec]) -> dict[str, KafkaError]:
    """The names that a request may not have, or not that often."""
    found = {}
    for name, times in Counter(spec.name for spec in specs).items():
        if name == CLUSTER_METADATA_TOPIC:
            text = f"Creation of internal topic {name} is prohibited."
        elif times > 1:
            text = "Found multiple entries for this topic."
        else:
            continue
        found[name] = KafkaError(ErrorCode.INVALID_REQUEST, text)
    return found


def within_limit(specs: Iterable[TopicSpec], default: int) -> Iterator[TopicSpec | KafkaError]:
    """Each topic, or POLICY_VIOLATION for it where a request makes too many partitions: those are
    not even planned. ``default`` is ``num.partitions``."""
    left = MAX_PARTITIONS
    for spec in specs:
        count = len(spec.assignments) or (
            default if spec.partitions == DEFAULT else spec.partitions
        )
        if count > left and (spec.assignments or count <= MAX_PARTITIONS):
            yield KafkaError(ErrorCode.POLICY_VIOLATION, _TOO_MANY)
        else:
            left -= max(0, count) if count <= left else 0
            yield spec


def _exists(name: str) -> KafkaError:
    return KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")


def _spread(
    spec: TopicSpec, cluster: ControllerContext, defaults: TopicDefaults, draw: Draw
) -> dict[int, list[int]]:
    partitions = defaults.partitions if spec.partitions == DEFAULT else spec.partitions
    factor = (
        defaults.replication_factor
        if spec.replication_factor == DEFAULT
        else spec.replication_factor
    )
    _check_count(partitions)
    brokers = _racks(cluster)
    start, shift = (draw(len(brokers)), draw(len(brokers))) if brokers else (0, 0)
    try:
        return place(brokers, partitions, factor, start_index=start, shift=shift)
    except PlacementError as error:
        raise _refused(error) from None


def _racks(cluster: ControllerContext) -> dict[int, str | None]:
    return {id_: cluster.brokers[id_].rack for id_ in sorted(cluster.brokers)}


def _refused(error: PlacementError) -> KafkaError:
    if error.kind == PARTITIONS:
        return KafkaError(ErrorCode.INVALID_PARTITIONS, str(error))
    if error.kind == REPLICATION_FACTOR:
        return KafkaError(ErrorCode.INVALID_REPLICATION_FACTOR, str(error))
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)


def _check_count(partitions: int) -> None:
    if partitions > MAX_PARTITIONS:
        raise KafkaError(
            ErrorCode.INVALID_PARTITIONS,
            f"Number of partitions must be at most {MAX_PARTITIONS}.",
        )


def _check_free(name: str, cluster: ControllerContext) -> None:
    if name in cluster.deletions:
        raise KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' is marked for deletion.")
    colliding = cluster.collisions(name)
    if colliding:
        raise collision(name, colliding)


def collision(name: str, others: Sequence[str]) -> KafkaError:
    """The error for a topic whose name collides with ``others``."""
    return KafkaError(
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        f"Topic '{name}' collides with existing topics: {', '.join(others)}",
    )


def _check_manual(assignments: Mapping[int, Sequence[int]]) -> None:
    if len({len(replicas) for replicas in assignments.values()}) != 1:
        raise _bad_assignment("All partitions should have the same number of replicas")
    for replicas in assignments.values():
        if len(replicas) != len(set(replicas)):
            shown = ", ".join(
                f"{index} -> ArrayBuffer({', '.join(map(str, ids))})"
                for index, ids in assignments.items()
            )
            raise _bad_assignment(f"Duplicate replica assignment found: HashMap({shown})")
        if not replicas or min(replicas) < 0:
            raise _bad_assignment(f"Invalid broker id in replica list: {list(replicas)}")
    if set(assignments) != set(range(len(assignments))):
        raise _bad_assignment("partitions should be a consecutive 0-based integer sequence")
    _check_count(len(assignments))


def _bad_assignment(text: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, text)


def plan_partitions(
    topic: str, count: int, wanted: Sequence[Sequence[int]] | None, cluster: ControllerContext
) -> dict[int, ReplicaAssignment]:
    """The partitions to add so that ``topic`` has ``count``, on ``wanted`` brokers if not None.

    Raises KafkaError if that may not be.
    """
    if topic in cluster.deletions:
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic is queued for deletion.")
    if topic not in cluster.topics:
        raise KafkaError(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{topic}' does not exist."
        )
    existing = cluster.assignments(topic)
    if any(assignment.being_reassigned for assignment in existing.values()):
        raise KafkaError(
            ErrorCode.REASSIGNMENT_IN_PROGRESS,
            f"A partition reassignment is in progress for the topic '{topic}'.",
        )
    old = len(existing)
    if count < old:
        raise KafkaError(
            ErrorCode.INVALID_PARTITIONS,
            f"Topic currently has {old} partitions, which is higher than the requested {count}.",
        )
    if count == old:
        raise KafkaError(ErrorCode.INVALID_PARTITIONS, f"Topic already has {old} partitions.")
    _check_count(count)
    first = existing.get(0)
    if first is None:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    if wanted is not None:
        _check_added(wanted, count - old, old, len(first.replicas), cluster.brokers)
        return {old + i: ReplicaAssignment.of(replicas) for i, replicas in enumerate(wanted)}
    return _spread_more(cluster, first, old, count - old)


def _spread_more(
    cluster: ControllerContext, first: ReplicaAssignment, old: int, added: int
) -> dict[int, ReplicaAssignment]:
    """Go on where the topic's creation stopped."""
    brokers = _racks(cluster)
    leader = next(iter(first.replicas), -1)
    start = next((i for i, id_ in enumerate(brokers) if id_ >= leader), 0)
    try:
        placed = place(
            brokers, added, len(first.replicas), start_index=start, shift=start, first_partition=old
        )
    except PlacementError as error:
        raise _refused(error) from None
    return {index: ReplicaAssignment.of(replicas) for index, replicas in placed.items()}


def _check_added(
    wanted: Sequence[Sequence[int]],
    increment: int,
    old: int,
    factor: int,
    brokers: Collection[int],
) -> None:
    unknown = sorted({id_ for replicas in wanted for id_ in replicas} - set(brokers))
    if unknown:
        raise _bad_assignment(
            f"Unknown broker(s) in replica assignment: {', '.join(map(str, unknown))}."
        )
    if len(wanted) != increment:
        raise _bad_assignment(
            f"Increasing the number of partitions by {increment}"
            f" but {len(wanted)} assignments provided."
        )
    odd = []
    for index, replicas in enumerate(wanted, old):
        if not replicas:
            raise _bad_assignment(f"Cannot have replication factor of 0 for partition id {index}.")
        if max(Counter(replicas).values()) > 1:
            raise _bad_assignment(
                "Duplicate brokers not allowed in replica assignment:"
                f" {', '.join(map(str, replicas))} for partition id {index}."
            )
        if len(replicas) != factor:
            odd.append((index, len(replicas)))
    if odd:
        raise _bad_assignment(
            f"Inconsistent replication factor between partitions, partition 0 has {factor}"
            f" while partitions [{', '.join(str(i) for i, _ in odd)}] have replication factors"
            f" [{', '.join(str(n) for _, n in odd)}], respectively."
        )


def apart(plans: Sequence[TopicCreation | KafkaError]) -> list[TopicCreation | KafkaError]:
    """Topics of one request may not collide with each other either: the first one wins."""
    taken: dict[str, str] = {}
    checked: list[TopicCreation | KafkaError] = []
    for plan in plans:
        if isinstance(plan, TopicCreation) and has_collision_chars(plan.name):
            first = taken.setdefault(metric_name(plan.name), plan.name)
            checked.append(plan if first == plan.name else collision(plan.name, [first]))
        else:
            checked.append(plan)
    return checked
