"""Assignments and partition states change as Kafka's do."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    intern_replicas,
)
from pykafka_ops.broker.state.controller.transitions import (
    MAY_COME_FROM,
    IllegalTransitionError,
    PartitionPhase,
    ReplicaPhase,
    check,
)


def test_a_move_lists_targets_first_and_keeps_what_goes() -> None:
    moving = ReplicaAssignment.of([0, 1]).reassign_to([2, 1])
    assert moving == ReplicaAssignment((2, 1, 0), adding=(2,), removing=(0,))
    assert moving.being_reassigned
    assert (moving.origin, moving.target) == ((1, 0), (2, 1))


def test_cancelling_a_move_gives_the_origin_in_the_new_order() -> None:
    moving = ReplicaAssignment.of([0, 1]).reassign_to([2, 1])
    back = moving.reassign_to(moving.origin)
    assert back == ReplicaAssignment((1, 0))
    assert not back.being_reassigned


def test_equal_replica_lists_are_one_object() -> None:
    assert intern_replicas([7, 8, 9]) is intern_replicas((7, 8, 9))


def test_a_new_partition_is_led_by_its_first_live_replica() -> None:
    state = LeaderAndIsr.first([2, 0], controller_epoch=5)
    assert state == LeaderAndIsr(2, 0, (2, 0), 5, partition_epoch=0, recovering=False)


def test_an_election_raises_the_leader_epoch_and_the_write_the_version() -> None:
    state = LeaderAndIsr(1, 4, (1, 2), 5, partition_epoch=9)
    new = state.elect(2, [2], 6, recovering=True)
    assert new == LeaderAndIsr(2, 5, (2,), 6, partition_epoch=9, recovering=True)
    assert new.written().partition_epoch == 10
    assert new.elect(2, [2], 6).recovering


def test_transition_tables_know_every_phase() -> None:
    assert set(MAY_COME_FROM) == {*PartitionPhase, *ReplicaPhase}


def test_illegal_transitions_are_refused() -> None:
    check(PartitionPhase.NEW, PartitionPhase.ONLINE)
    check(ReplicaPhase.OFFLINE, ReplicaPhase.DELETION_STARTED)
    with pytest.raises(IllegalTransitionError):
        check(PartitionPhase.NON_EXISTENT, PartitionPhase.ONLINE)
    with pytest.raises(IllegalTransitionError):
        check(ReplicaPhase.DELETION_INELIGIBLE, ReplicaPhase.DELETION_STARTED)


def test_a_move_to_very_many_replicas_is_judged_one_by_one() -> None:
    """Each list is gone through once: a client may name thousands by mistake."""
    looked = 0

    class Replica(int):
        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal looked
            looked += 1
            return int(self) == other

    many = 2000
    move = ReplicaAssignment((1,)).reassign_to(Replica(n) for n in range(many))
    assert len(move.adding) == many - 1
    assert looked < 10 * many
