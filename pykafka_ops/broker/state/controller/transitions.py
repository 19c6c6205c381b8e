"""Which state a partition, or a replica of a topic being deleted, may come from.

Counterpart of ``PartitionState`` and ``ReplicaState``; the tables are Kafka's.
"""

from __future__ import annotations

from enum import Enum


class PartitionPhase(Enum):
    """A partition in the controller's eyes."""

    NON_EXISTENT = "NonExistentPartition"
    """Never created, or deleted."""
    NEW = "NewPartition"
    """Assigned, no leader and ISR yet."""
    ONLINE = "OnlinePartition"
    """Has a leader."""
    OFFLINE = "OfflinePartition"
    """Had a leader, which died."""


class ReplicaPhase(Enum):
    """A replica in the controller's eyes. Outside of deletions only the first four occur,
    and they follow from whether its broker is alive."""

    NON_EXISTENT = "NonExistentReplica"
    NEW = "NewReplica"
    ONLINE = "OnlineReplica"
    OFFLINE = "OfflineReplica"
    DELETION_STARTED = "ReplicaDeletionStarted"
    """StopReplica with delete was sent."""
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"
    DELETION_INELIGIBLE = "ReplicaDeletionIneligible"
    """Its broker is down or failed to delete it."""


PARTITION_MAY_COME_FROM: dict[PartitionPhase, frozenset[PartitionPhase]] = {
    PartitionPhase.NON_EXISTENT: frozenset({PartitionPhase.OFFLINE}),
    PartitionPhase.NEW: frozenset({PartitionPhase.NON_EXISTENT}),
    PartitionPhase.ONLINE: frozenset(
        {PartitionPhase.NEW, PartitionPhase.ONLINE, PartitionPhase.OFFLINE}
    ),
    PartitionPhase.OFFLINE: frozenset(
        {PartitionPhase.NEW, PartitionPhase.ONLINE, PartitionPhase.OFFLINE}
    ),
}

REPLICA_MAY_COME_FROM: dict[ReplicaPhase, frozenset[ReplicaPhase]] = {
    ReplicaPhase.NON_EXISTENT: frozenset({ReplicaPhase.DELETION_SUCCESSFUL}),
    ReplicaPhase.NEW: frozenset({ReplicaPhase.NON_EXISTENT}),
    ReplicaPhase.ONLINE: frozenset(
        {
            ReplicaPhase.NEW,
            ReplicaPhase.ONLINE,
            ReplicaPhase.OFFLINE,
            ReplicaPhase.DELETION_INELIGIBLE,
        }
    ),
    ReplicaPhase.OFFLINE: frozenset(
        {
            ReplicaPhase.NEW,
            ReplicaPhase.ONLINE,
            ReplicaPhase.OFFLINE,
            ReplicaPhase.DELETION_INELIGIBLE,
        }
    ),
    ReplicaPhase.DELETION_STARTED: frozenset({ReplicaPhase.OFFLINE}),
    ReplicaPhase.DELETION_SUCCESSFUL: frozenset({ReplicaPhase.DELETION_STARTED}),
    ReplicaPhase.DELETION_INELIGIBLE: frozenset(
        {ReplicaPhase.OFFLINE, ReplicaPhase.DELETION_STARTED}
    ),
}


class IllegalTransitionError(Exception):
    """A bug: the controller asked for a change its tables forbid."""


def check_partition(old: PartitionPhase, new: PartitionPhase) -> None:
    """Raise IllegalTransitionError unless a partition may go from ``old`` to ``new``."""
    if old not in PARTITION_MAY_COME_FROM[new]:
        raise IllegalTransitionError(f"partition from {old.value} to {new.value}")


def check_replica(old: ReplicaPhase, new: ReplicaPhase) -> None:
    """Raise IllegalTransitionError unless a replica may go from ``old`` to ``new``."""
    if old not in REPLICA_MAY_COME_FROM[new]:
        raise IllegalTransitionError(f"replica from {old.value} to {new.value}")
