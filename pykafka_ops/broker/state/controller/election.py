"""Kinds of elections, and what they share (``PartitionLeaderElectionAlgorithms``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
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


def first_in_sync(
    candidates: Iterable[int], isr: Collection[int], live: Collection[int]
) -> int | None:
    """The first of ``candidates`` that is live and in sync; None if no replica may lead."""
    return next((id_ for id_ in candidates if id_ in live and id_ in isr), None)
