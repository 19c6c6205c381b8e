"""What plans of moves are made from and consist of: brokers, partitions, limits, moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

Key = tuple[str, int]
"""Topic, partition."""
BYTES: Final = "bytes"
REPLICAS: Final = "replicas"
LEADERS: Final = "leaders"


class PlanError(ValueError):
    """No plan exists for these brokers; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class PlanBroker:
    """A broker: its rack (None: none), its ``capacity`` in bytes and how many of them are
    ``free`` (None: not known; free is then what replicas do not fill)."""

    id: int
    rack: str | None = None
    capacity: int | None = None
    free: int | None = None


@dataclass(frozen=True, slots=True)
class PlanPartition:
    """A partition: brokers of its replicas, the preferred leader first; bytes of one replica.

    A ``fixed`` one weighs, but is left as it is; so is an ``other`` one, of which nothing is asked.
    """

    topic: str
    partition: int
    replicas: tuple[int, ...]
    size: int
    fixed: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What a plan is to reach, and what it may do.

    ``balance``: what is to be even (BYTES, REPLICAS, LEADERS); ``tolerance``: how far from its
    fair share a broker may be (0.1: 10 %; of replicas and leaders one in any case); ``drain``:
    brokers to empty; ``add``: if there are any, only these get replicas, except where
    something must be mended; ``keep``: brokers that get nothing, though what they hold stays;
    ``replication_factor``: replicas per partition (None: as many as now);
    ``max_moves``, ``max_bytes``: most replicas and bytes that are moved for balance (mending is
    not bound by them); ``max_disk``: share of the capacity that a broker may fill while replicas
    are in both places; ``mend_racks``: whether racks that are broken already are mended, too.
    """

    tolerance: float = 0.1
    drain: frozenset[int] = frozenset()
    add: frozenset[int] = frozenset()
    max_moves: int | None = None
    max_bytes: int | None = None
    max_disk: float = 0.8
    mend_racks: bool = True
    keep: frozenset[int] = frozenset()
    replication_factor: int | None = None
    balance: frozenset[str] = frozenset((BYTES,))


class ReplicaMove(NamedTuple):
    """A replica of ``size`` bytes goes from a broker to another; it is a further replica where
    ``source`` is None, one that is given up where ``target`` is."""

    topic: str
    partition: int
    source: int | None
    target: int | None
    size: int


class PlanShare(NamedTuple):
    """What a broker has: replicas, preferred leaders, bytes."""

    replicas: int = 0
    leaders: int = 0
    bytes: int = 0


@dataclass(slots=True)
class MovePlan:
    """What to move, and the replicas of the partitions it touches, before and after.

    ``shares_before`` and ``shares_after``: by broker. ``unmet`` says in words what is not reached.
    ``least``: bytes that any plan copies which reaches as much; None where not all is reached.
    """

    moves: list[ReplicaMove]
    before: dict[Key, tuple[int, ...]]
    after: dict[Key, tuple[int, ...]]
    shares_before: dict[int, PlanShare]
    shares_after: dict[int, PlanShare]
    least: int | None = None
    unmet: list[str] = field(default_factory=list)

    @property
    def moved(self) -> int:
        """Bytes that are copied."""
        return sum(move.size for move in self.moves if move.target is not None)
