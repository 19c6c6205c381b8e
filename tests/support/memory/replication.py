"""Replicas of partitions as a test wants them: who leads, who is in sync, how far they are."""

from __future__ import annotations

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment


def lead(
    partition: Partition,
    isr: tuple[int, ...],
    replicas: tuple[int, ...] = (0, 1),
    *,
    leader: int = 0,
    epoch: int | None = None,
) -> None:
    """What the controller says of the partition; in the same leader epoch unless one is given."""
    known = partition.leader_epoch if epoch is None else epoch
    state = LeaderAndIsr(leader, known, isr, 1, partition.partition_epoch + 1)
    partition.become(state, ReplicaAssignment(replicas))


def follower_at(
    partition: Partition, end: int | None = None, *, start: int | None = None, replica: int = 1
) -> bool:
    """The other replica has everything below ``end``; whether that moved the high watermark."""
    assert partition.in_sync is not None
    follower = partition.in_sync.followers[replica]
    follower.end = follower.end if end is None else end
    follower.start = follower.start if start is None else start
    return partition.advance_high_watermark()
