"""The controller's writes as operations on znodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from typing import NamedTuple

from pykafka_ops.broker.metadata.store import (
    ANY_VERSION,
    BadVersionError,
    Create,
    Delete,
    NodeExistsError,
    Op,
    SetData,
    StoreError,
    ZNode,
)
from pykafka_ops.broker.metadata.znodes.admin import (
    PreferredElection,
    Reassignments,
    TopicDeletions,
)
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.metadata.znodes.topics import (
    Partitions,
    PartitionState,
    TopicPartitionZNode,
    TopicZNode,
)
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from pykafka_ops.broker.state.controller.steps import (
    ClearElections,
    CreateState,
    CreateTopic,
    MarkDeleted,
    SetAssignment,
    SetReassignments,
    UnmarkDeleted,
    UpdateState,
    WriteItem,
    WriteProblem,
)

MAX_OPS = 1000
MAX_BYTES = 400_000
"""Bounds of one transaction: ZooKeeper refuses requests of more than 1 MiB."""

_OP_OVERHEAD = 60


class Fallback(Enum):
    """What to do when an operation fails since its znode exists, or does not."""

    GIVE_UP = 0
    SKIP = 1
    SET = 2


class Planned(NamedTuple):
    """An operation and its fallback."""

    op: Op
    fallback: Fallback = Fallback.GIVE_UP


class Unit:
    """Operations of one item that belong together; ``problem`` says why they were given up."""

    __slots__ = ("item", "ops", "problem", "size")

    def __init__(self, item: int, ops: Iterable[Planned]) -> None:
        self.item = item
        self.ops = list(ops)
        self.problem: WriteProblem | None = None
        self.size = sum(map(_size, self.ops))

    @property
    def proofs(self) -> list[Op]:
        """The operations that leave behind what nothing else does; see :func:`is_done`."""
        return [planned.op for planned in self.ops if _leaves_a_trace(planned.op)]

    def mend(self, position: int, error: StoreError) -> bool:
        """Apply the fallback of an operation that failed; False if there is none."""
        planned = self.ops[position]
        if planned.fallback is Fallback.SKIP and not isinstance(error, BadVersionError):
            del self.ops[position]
            return True
        if planned.fallback is Fallback.SET and isinstance(planned.op, Create):
            self.ops[position] = Planned(SetData(planned.op.path, planned.op.data))
            return True
        if isinstance(error, NodeExistsError):
            self.problem = WriteProblem.EXISTS
        elif isinstance(error, BadVersionError):
            self.problem = WriteProblem.STALE
        else:
            self.problem = WriteProblem.MISSING
        return False


def _leaves_a_trace(op: Op) -> bool:
    versioned = isinstance(op, SetData) and op.version != ANY_VERSION
    return versioned or (isinstance(op, Create) and bool(op.data))


def is_done(op: Op, node: ZNode | None) -> bool:
    """Whether ``node`` is exactly what ``op`` makes of it. What this controller writes of a
    topic or a partition bears its epoch or an id: nobody else writes the same."""
    if node is None or not isinstance(op, Create | SetData):
        return False
    version = op.version + 1 if isinstance(op, SetData) else 0
    return (node.data, node.stat.version) == (op.data, version)


class WriteGroup:
    """Units that make one transaction of bounded size."""

    __slots__ = ("_ops", "_size", "units")

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._ops = self._size = 0

    def has_room(self, unit: Unit) -> bool:
        """Whether ``unit`` fits in; the first always does."""
        return not self.units or (
            self._ops + len(unit.ops) <= MAX_OPS and self._size + unit.size <= MAX_BYTES
        )

    def add(self, unit: Unit) -> None:
        """Take it in."""
        self.units.append(unit)
        self._ops += len(unit.ops)
        self._size += unit.size


def _size(planned: Planned) -> int:
    data = getattr(planned.op, "data", None)
    return len(planned.op.path) + len(data or b"") + _OP_OVERHEAD


def plan(number: int, item: WriteItem) -> Iterator[Unit]:
    """The units of item ``number``: one, more if it is huge, each made when it is asked for."""
    if isinstance(item, CreateTopic):
        path, config = TopicZNode.path(item.topic), EntityConfig.topic(item.topic)
        head = [
            Planned(Create(config, EntityConfig.encode(item.config)), Fallback.SET),
            Planned(Create(path, TopicZNode.encode(item.topic_id, item.assignments))),
            Planned(Create(Partitions.path(item.topic))),
        ]
        yield from _with_states(number, head, item.topic, item.states)
    elif isinstance(item, SetAssignment):
        data = TopicZNode.encode(item.topic_id, item.assignments)
        head = [Planned(SetData(TopicZNode.path(item.topic), data))]
        yield from _with_states(number, head, item.topic, item.states)
    else:
        yield Unit(number, _small(item))


def _small(item: WriteItem) -> list[Planned]:
    if isinstance(item, CreateState):
        return list(_state(item.topic, item.partition, item.state))
    if isinstance(item, UpdateState):
        path = PartitionState.path(item.topic, item.partition)
        version = item.state.partition_epoch
        return [Planned(SetData(path, PartitionState.encode(item.state), version))]
    if isinstance(item, MarkDeleted):
        return [Planned(Create(TopicDeletions.topic(item.topic)), Fallback.SKIP)]
    if isinstance(item, UnmarkDeleted):
        return [Planned(Delete(TopicDeletions.topic(item.topic)), Fallback.SKIP)]
    if isinstance(item, SetReassignments):
        path = Reassignments.path
        op = SetData(path, Reassignments.encode(item.moves)) if item.moves else Delete(path)
        return [Planned(op, Fallback.SKIP)]
    if isinstance(item, ClearElections):
        return [Planned(Delete(PreferredElection.path), Fallback.SKIP)]
    raise TypeError(f"not planned here: {item}")


def _state(topic: str, partition: int, state: LeaderAndIsr) -> Iterator[Planned]:
    yield Planned(Create(TopicPartitionZNode.path(topic, partition)), Fallback.SKIP)
    data = PartitionState.encode(state)
    yield Planned(Create(PartitionState.path(topic, partition), data))


def _with_states(
    number: int, head: list[Planned], topic: str, states: Mapping[int, LeaderAndIsr]
) -> Iterator[Unit]:
    """One unit; several if the states are many: the next controller adds what is missing."""
    ops: Iterator[Planned] = (
        op for index, state in states.items() for op in _state(topic, index, state)
    )
    if len(head) + 2 * len(states) <= MAX_OPS:
        tail = list(ops)
        whole = Unit(number, [*head, *tail])
        if whole.size <= MAX_BYTES:
            yield whole
            return
        ops = iter(tail)
    yield Unit(number, head)
    while some := list(islice(ops, MAX_OPS // 2)):
        yield Unit(number, some)
