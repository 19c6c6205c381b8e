"""Moves of replicas: the phases of Kafka's controller, and one that dies in each of them."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr, ReplicaAssignment
from pykafka_ops.broker.state.controller.orders import LeaderAndIsrOrder, StopReplicaOrder
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.controller_world import CrashError, World, new_topic

KEY = ("t", 0)


def world_with(*replicas: int) -> World:
    """Brokers 0 to 3 and a topic ``t`` on ``replicas``."""
    world = World(0, 1, 2, 3)
    world.create(new_topic("t", replicas))
    world.sends()
    return world


def error_of(result: object) -> tuple[ErrorCode, str]:
    assert isinstance(result, KafkaError)
    return ErrorCode(result.code), str(result)


def assignment(world: World) -> ReplicaAssignment:
    """What is written, which is also what the controller believes."""
    written = world.topics["t"].partitions[0]
    record = world.controller.cluster.partition(*KEY)
    assert record is not None
    assert record.assignment == written
    return written


def hosts(world: World) -> set[int]:
    return {id_ for id_, broker in world.brokers.items() if KEY in broker.replicas}


def test_a_move_first_adds_replicas() -> None:
    world = world_with(0, 1)
    assert world.move("t", 0, [1, 2]) is None
    assert assignment(world) == ReplicaAssignment((1, 2, 0), adding=(2,), removing=(0,))
    assert world.states[KEY] == LeaderAndIsr(0, 1, (0, 1), 1, partition_epoch=1)
    said = {
        id_: (change.is_new, change.state.leader_epoch)
        for id_, order in world.sends()
        if isinstance(order, LeaderAndIsrOrder)
        for change in order.changes
    }
    assert said == {0: (False, 1), 1: (False, 1), 2: (True, 1)}
    assert hosts(world) == {0, 1, 2}


def test_a_move_ends_once_the_target_is_in_sync() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [1, 2])
    world.sends()
    world.in_sync("t", 0, 0, 1, 2)
    assert assignment(world) == ReplicaAssignment((1, 2))
    # One epoch for the new leader, one for the ISR without the old one, as Kafka writes it.
    assert world.states[KEY] == LeaderAndIsr(1, 3, (1, 2), 1, partition_epoch=4)
    stops = [
        (id_, stop)
        for id_, order in world.sends()
        if isinstance(order, StopReplicaOrder)
        for stop in order.stops
    ]
    assert [(id_, stop.partition, stop.delete) for id_, stop in stops] == [(0, 0, True)]
    assert stops[0][1].leader_epoch == 3
    assert hosts(world) == {1, 2}
    for broker in world.brokers.values():
        image = broker.image.partition(*KEY)
        assert image is not None
        assert (image.replicas, image.leader, image.isr) == ((1, 2), 1, (1, 2))


def test_the_leader_stays_if_it_is_part_of_the_target() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [2, 0])
    world.in_sync("t", 0, 0, 2)
    assert assignment(world) == ReplicaAssignment((2, 0))
    assert world.states[KEY].leader == 0
    assert world.states[KEY].isr == (0, 2)


def test_a_change_of_order_is_over_at_once() -> None:
    world = world_with(0, 1)
    assert world.move("t", 0, [1, 0]) is None
    assert assignment(world) == ReplicaAssignment((1, 0))
    assert world.states[KEY].leader == 0
    assert world.controller.cluster.being_reassigned() == {}


def test_a_higher_and_a_lower_replication_factor() -> None:
    world = world_with(0)
    world.move("t", 0, [0, 1, 2])
    world.in_sync("t", 0, 0, 1)
    assert assignment(world).being_reassigned
    world.in_sync("t", 0, 0, 1, 2)
    assert assignment(world) == ReplicaAssignment((0, 1, 2))
    world.move("t", 0, [2])
    assert assignment(world) == ReplicaAssignment((2,))
    assert world.states[KEY].leader == 2
    assert hosts(world) == {2}


def test_a_cancelled_move_deletes_what_it_added() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [3, 2])
    world.in_sync("t", 0, 0, 1, 3)
    assert world.move("t", 0, None) is None
    assert assignment(world) == ReplicaAssignment((0, 1))
    assert world.states[KEY].isr == (0, 1)
    assert hosts(world) == {0, 1}


def test_a_cancelled_move_takes_the_leader_back() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [3, 2])
    world.in_sync("t", 0, 0, 1, 3)
    world.kill(0)
    world.start(0)
    world.in_sync("t", 0, 1, 3)
    world.run(world.controller.elections.elect([KEY], ElectionType.PREFERRED))
    assert world.states[KEY].leader == 3
    assert world.move("t", 0, None) is None
    assert world.states[KEY].leader == 1
    assert hosts(world) == {0, 1}


def test_another_target_replaces_the_first() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [0, 2])
    assert world.move("t", 0, [0, 3]) is None
    assert assignment(world) == ReplicaAssignment((0, 3, 1), adding=(3,), removing=(1,))
    assert hosts(world) == {0, 1, 3}
    world.in_sync("t", 0, 0, 1, 3)
    assert assignment(world) == ReplicaAssignment((0, 3))


def test_the_only_replica_in_sync_is_not_thrown_away() -> None:
    world = world_with(0)
    world.move("t", 0, [1, 2])
    world.in_sync("t", 0, 0, 1)
    world.kill(0)
    assert world.states[KEY].isr == (1,)
    code, text = error_of(world.move("t", 0, None))
    assert code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert "unclean leader election" in text
    assert hosts(world) == {1, 2}
    assert assignment(world).being_reassigned


def test_what_makes_no_sense_is_refused_as_by_kafka() -> None:
    world = world_with(0, 1)
    world.kill(3)
    invalid = ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert error_of(world.move("t", 0, [])) == (
        invalid,
        "Empty replica list specified in partition reassignment.",
    )
    assert error_of(world.move("t", 0, [1, 1])) == (
        invalid,
        "Duplicate replica ids in partition reassignment replica list: ArrayBuffer(1, 1)",
    )
    assert error_of(world.move("t", 0, [-1])) == (
        invalid,
        "Invalid broker id in replica list: ArrayBuffer(-1)",
    )
    assert error_of(world.move("t", 0, [0, 3])) == (
        invalid,
        "Replica assignment has brokers that are not alive. Replica list: ArrayBuffer(3),"
        " live broker list: Set(0, 1, 2)",
    )
    assert error_of(world.move("t", 0, None))[0] == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    for key in (("t", 9), ("x", 0)):
        assert error_of(world.move(*key, [0])) == (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The partition does not exist.",
        )
    assert assignment(world) == ReplicaAssignment((0, 1))


@pytest.mark.parametrize("step", range(1, 12))
def test_the_next_controller_finishes_a_move_whenever_the_last_one_died(step: int) -> None:
    world = world_with(0, 1)
    world.log.clear()
    world.crash_after = step
    try:
        world.move("t", 0, [1, 2])
        world.in_sync("t", 0, 0, 1, 2)
    except CrashError:
        pass
    world.crash_after = None
    world.replies.clear()
    world.elect_controller()
    if world.topics["t"].partitions[0] == ReplicaAssignment((0, 1)):
        world.move("t", 0, [1, 2])
    if assignment(world).being_reassigned:
        state = world.states[KEY]
        assert set(state.isr) >= {0, 1}
        world.in_sync("t", 0, 0, 1, 2)
    assert assignment(world) == ReplicaAssignment((1, 2))
    assert (world.states[KEY].leader, world.states[KEY].isr) == (1, (1, 2))
    assert hosts(world) == {1, 2}


@pytest.mark.parametrize("step", range(1, 8))
@pytest.mark.parametrize("target", [None, (0, 3)])
def test_a_controller_that_dies_as_it_cancels_leaves_no_replica_behind(
    step: int, target: tuple[int, ...] | None
) -> None:
    world = world_with(0, 1)
    world.move("t", 0, [0, 2])
    world.log.clear()
    world.crash_after = step
    try:
        world.move("t", 0, target)
    except CrashError:
        world.replies.clear()
    world.crash_after = None
    world.elect_controller()
    assert hosts(world) == set(assignment(world).replicas)


def test_a_target_that_is_down_is_waited_for() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [1, 2])
    world.kill(2)
    assert assignment(world).being_reassigned
    world.start(2)
    assert world.brokers[2].replicas[KEY].is_new
    world.in_sync("t", 0, 0, 1, 2)
    assert assignment(world) == ReplicaAssignment((1, 2))


def test_a_leader_that_dies_during_a_move_is_replaced_at_once() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [2, 3])
    world.kill(0)
    assert world.states[KEY].leader == 1
    world.in_sync("t", 0, 1, 2, 3)
    assert assignment(world) == ReplicaAssignment((2, 3))
    assert world.states[KEY].leader == 2


def test_a_topic_is_deleted_after_its_moves() -> None:
    world = world_with(0, 1)
    world.move("t", 0, [1, 2])
    world.delete("t")
    assert "t" in world.topics
    assert world.marked == {"t"}
    assert world.brokers[0].image.has_leaders("t", [0]), "who joins asks its leader by topic id"
    assert world.controller.deletion_settled("t")
    assert error_of(world.move("t", 0, None))[0] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    world.elect_controller()
    assert "t" in world.topics
    assert world.brokers[0].image.has_leaders("t", [0])
    world.in_sync("t", 0, 0, 1, 2)
    assert "t" not in world.topics
    assert "t" not in world.brokers[0].image.topics
    assert world.marked == set()
    assert hosts(world) == set()


def test_moves_of_many_partitions_are_written_together() -> None:
    world = World(0, 1, 2)
    world.create(new_topic("t", *([[0, 1]] * 50)))
    world.log.clear()
    results = world.run(world.controller.moves.alter({("t", n): (1, 2) for n in range(50)}))
    assert set(results.values()) == {None}
    assert len(world.log) == 3  # the assignment, the states, the orders


# -- asked by the znode of older tools


def ask(world: World, **moves: list[int]) -> None:
    world.asked = {(name, 0): tuple(target) for name, target in moves.items()}
    world.run(world.controller.moves.asked_by_znode(world.asked))
    world.deliver()


def test_the_znode_of_older_tools_goes_when_all_it_asks_for_is_done() -> None:
    world = world_with(0, 1)
    world.create(new_topic("u", [0]))
    ask(world, t=[1, 2], u=[3])
    assert set(world.asked) == {("t", 0), ("u", 0)}
    world.in_sync("u", 0, 0, 3)
    assert set(world.asked) == {("t", 0)}
    world.elect_controller()
    assert set(world.asked) == {("t", 0)}
    world.in_sync("t", 0, 0, 1, 2)
    assert world.asked == {}
    assert assignment(world) == ReplicaAssignment((1, 2))


def test_nonsense_in_the_znode_is_taken_out_and_reported() -> None:
    world = world_with(0, 1)
    ask(world, x=[1], t=[2, 2])
    assert world.asked == {}
    notices = "\n".join(world.controller.take_notices())
    assert "the reassignment of x-0 to [1] was refused: The partition does not exist." in notices
    assert "the reassignment of t-0 to [2, 2] was refused: Duplicate" in notices
    assert assignment(world) == ReplicaAssignment((0, 1))


def test_a_client_supersedes_the_znode() -> None:
    world = world_with(0, 1)
    ask(world, t=[1, 2])
    world.move("t", 0, [0, 3])
    assert world.asked == {}
    assert assignment(world).target == (0, 3)


def test_the_znode_may_name_a_broker_that_is_down() -> None:
    world = world_with(0, 1)
    world.kill(3)
    ask(world, t=[1, 3])
    assert assignment(world).adding == (3,)
    world.start(3)
    world.in_sync("t", 0, 0, 1, 3)
    assert world.asked == {}
