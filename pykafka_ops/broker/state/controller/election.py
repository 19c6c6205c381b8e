"""Which replica becomes leader: Kafka's four elections (``PartitionLeaderElectionAlgorithms``).

All are functions of the assignment (order of preference), the ISR and the live replicas;
None means that no replica may lead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum


class ElectionType(IntEnum):
    """What ElectLeaders asks for; the numbers are the protocol's."""

    PREFERRED = 0
    UNCLEAN = 1


class Strategy(IntEnum):
    """Why a leader is wanted; ``label`` is the name that Kafka's error texts use."""

    OFFLINE = 0
    UNCLEAN = 1
    REASSIGN = 2
    PREFERRED = 3
    CONTROLLED_SHUTDOWN = 4

    @property
    def label(self) -> str:
        """Kafka's name for the strategy."""
        return _LABELS[self]


_LABELS = {
    Strategy.OFFLINE: "OfflinePartitionLeaderElectionStrategy(false)",
    Strategy.UNCLEAN: "OfflinePartitionLeaderElectionStrategy(true)",
    Strategy.REASSIGN: "ReassignPartitionLeaderElectionStrategy",
    Strategy.PREFERRED: "PreferredReplicaPartitionLeaderElectionStrategy",
    Strategy.CONTROLLED_SHUTDOWN: "ControlledShutdownPartitionLeaderElectionStrategy",
}


def elect_offline(
    assignment: Sequence[int], isr: Collection[int], live: Collection[int], *, unclean: bool
) -> int | None:
    """A leader for a partition that has none: the first live one in the ISR; with
    ``unclean`` also one outside it, at the price of the records it lacks."""
    for id_ in assignment:
        if id_ in live and id_ in isr:
            return id_
    if unclean:
        for id_ in assignment:
            if id_ in live:
                return id_
    return None


def elect_for_reassignment(
    target: Sequence[int], isr: Collection[int], live: Collection[int]
) -> int | None:
    """A leader among the replicas that stay after a reassignment."""
    for id_ in target:
        if id_ in live and id_ in isr:
            return id_
    return None


def elect_preferred(
    assignment: Sequence[int], isr: Collection[int], live: Collection[int]
) -> int | None:
    """The first replica of the assignment, if it is live and in the ISR."""
    if assignment and assignment[0] in live and assignment[0] in isr:
        return assignment[0]
    return None


def elect_for_controlled_shutdown(
    assignment: Sequence[int],
    isr: Collection[int],
    live: Collection[int],
    shutting_down: Collection[int],
) -> int | None:
    """A leader that is not about to stop; ``live`` includes those that are."""
    for id_ in assignment:
        if id_ in live and id_ in isr and id_ not in shutting_down:
            return id_
    return None
