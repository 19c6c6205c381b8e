"""The controller's effects on the world, as steps that another part executes.

A rule is a generator. It yields a step, gets the step's reply and goes on, so it reads from
top to bottom, does no I/O, and changes its memory only when a write has succeeded. One rule
runs at a time. Executed by ``runtime/controller/loop``; in tests by a loop over a dictionary.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar

from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    Replicas,
    TopicPartition,
)
from pykafka_ops.broker.state.controller.orders import Order

R = TypeVar("R")

AT_ONCE: Final = 500
"""Partitions that a rule handles between two steps: clients are served meanwhile."""


@dataclass(slots=True, kw_only=True)
class CreateTopic:
    """Create a topic with its overrides and the states of its partitions; EXISTS if it is there."""

    topic: str
    topic_id: bytes
    assignments: Mapping[int, ReplicaAssignment]
    states: Mapping[int, LeaderAndIsr]
    config: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class SetAssignment:
    """Replace a topic's assignment, and create the states of added partitions."""

    topic: str
    topic_id: bytes
    assignments: Mapping[int, ReplicaAssignment]
    states: Mapping[int, LeaderAndIsr]


@dataclass(slots=True, kw_only=True)
class CreateState:
    """Write the first state of a partition."""

    topic: str
    partition: int
    state: LeaderAndIsr


@dataclass(slots=True, kw_only=True)
class UpdateState:
    """Replace a partition's state if its version is ``state.partition_epoch``, else STALE."""

    topic: str
    partition: int
    state: LeaderAndIsr


@dataclass(slots=True, kw_only=True)
class MarkDeleted:
    """Note that a topic is to be deleted; fine if it is noted already."""

    topic: str


@dataclass(slots=True, kw_only=True)
class UnmarkDeleted:
    """Take that note back."""

    topic: str


@dataclass(slots=True, kw_only=True)
class RemoveTopic:
    """Remove all that is written about a topic, its overrides and the note included."""

    topic: str


@dataclass(slots=True, kw_only=True)
class SetReassignments:
    """What is left of the moves that older tools asked for; nothing removes the znode."""

    moves: Mapping[TopicPartition, Replicas]


@dataclass(slots=True, kw_only=True)
class ClearElections:
    """The preferred elections that older tools asked for are done."""


WriteItem = (
    CreateTopic
    | SetAssignment
    | CreateState
    | UpdateState
    | MarkDeleted
    | UnmarkDeleted
    | RemoveTopic
    | SetReassignments
    | ClearElections
)


class WriteProblem(Enum):
    """Why an item was not written."""

    EXISTS = "exists already"
    MISSING = "does not exist"
    STALE = "was changed by somebody else"
    FAILED = "could not be written"


@dataclass(slots=True)
class Write:
    """Write each item, or say why not; an item is atomic, as long as it is not huge."""

    items: list[WriteItem]


@dataclass(slots=True)
class ReadStates:
    """Read the states of partitions."""

    partitions: list[TopicPartition]


@dataclass(slots=True)
class Send:
    """Send orders to brokers without waiting: replies start new rules."""

    orders: list[tuple[int, Order]]


@dataclass(slots=True)
class Pause:
    """Let others have their turn: a rule has handled many partitions."""


Step = Write | ReadStates | Send | Pause
Problems = list[WriteProblem | None]
States = list[LeaderAndIsr | None]
Reply = Problems | States | None
Steps = Generator[Step, Reply, R]


def portions(items: Sequence[R]) -> Iterator[Sequence[R]]:
    """``items`` in their order, ``AT_ONCE`` at a time."""
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


def pause(after: Sized) -> Steps[None]:
    """Yield a Pause if what was handled since the last one are many."""
    if len(after) >= AT_ONCE:
        yield Pause()


def write(items: list[WriteItem]) -> Steps[Problems]:
    """Yield a Write; per item what went wrong, or None."""
    if not items:
        return []
    reply = yield Write(items)
    assert reply is not None
    return [problem for problem in reply if problem is None or isinstance(problem, WriteProblem)]


def read_states(partitions: list[TopicPartition]) -> Steps[States]:
    """Yield a ReadStates; per partition its state, or None."""
    reply = yield ReadStates(partitions)
    assert reply is not None
    return [state for state in reply if state is None or isinstance(state, LeaderAndIsr)]
