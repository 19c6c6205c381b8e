"""Which state a partition, or a replica of a topic being deleted, may come from.

Counterpart of ``PartitionState`` and ``ReplicaState``; the tables are Kafka's.
"""

from __future__ import annotations

from enum import Enum


class _Phase(Enum):
    __hash__ = object.__hash__  # each is there once; Enum's own costs a call for every look-up


class PartitionPhase(_Phase):
    """A partition in the controller's eyes."""

    NON_EXISTENT = "NonExistentPartition"
    """Never created, or deleted."""
    NEW = "NewPartition"
    """Assigned, no leader and ISR yet."""
    ONLINE = "OnlinePartition"
    """Has a leader."""
    OFFLINE = "OfflinePartition"
    """Had a leader, which died."""


class ReplicaPhase(_Phase):
    """A replica of a topic that is being deleted. Kafka's other phases follow from whether its
    broker is alive, and nobody asks for them."""

    OFFLINE = "OfflineReplica"
    DELETION_STARTED = "ReplicaDeletionStarted"
    """StopReplica with delete was sent."""
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"
    DELETION_INELIGIBLE = "ReplicaDeletionIneligible"
    """Its broker is down or failed to delete it."""


_LIVING = frozenset({PartitionPhase.NEW, PartitionPhase.ONLINE, PartitionPhase.OFFLINE})

MAY_COME_FROM: dict[_Phase, frozenset[_Phase]] = {
    PartitionPhase.NON_EXISTENT: frozenset({PartitionPhase.OFFLINE}),
    PartitionPhase.NEW: frozenset({PartitionPhase.NON_EXISTENT}),
    PartitionPhase.ONLINE: _LIVING,
    PartitionPhase.OFFLINE: _LIVING,
    ReplicaPhase.OFFLINE: frozenset({ReplicaPhase.OFFLINE, ReplicaPhase.DELETION_INELIGIBLE}),
    ReplicaPhase.DELETION_STARTED: frozenset({ReplicaPhase.OFFLINE}),
    ReplicaPhase.DELETION_SUCCESSFUL: frozenset({ReplicaPhase.DELETION_STARTED}),
    ReplicaPhase.DELETION_INELIGIBLE: frozenset(
        {ReplicaPhase.OFFLINE, ReplicaPhase.DELETION_STARTED}
    ),
}


class IllegalTransitionError(Exception):
    """A bug: the controller asked for a change its tables forbid."""


def check(old: _Phase, new: _Phase) -> None:
    """Raise IllegalTransitionError unless a partition or replica may go from ``old`` to ``new``."""
    if old not in MAY_COME_FROM[new]:
        raise IllegalTransitionError(f"from {old.value} to {new.value}")
