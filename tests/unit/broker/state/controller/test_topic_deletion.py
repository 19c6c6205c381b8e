"""Topics go, from brokers and from the tree, whoever is down meanwhile."""

from __future__ import annotations

from pykafka_ops.broker.state.controller.cluster import Snapshot
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from pykafka_ops.broker.state.controller.orders import (
    StopReplicaOrder,
)
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.controller_world import World, new_topic


def test_deleted_topics_go_from_brokers_and_znodes() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1], [1]), new_topic("stay", [0]))
    world.sends()
    world.delete("t", "nope")
    assert set(world.topics) == {"stay"}
    assert set(world.states) == {("stay", 0)}
    assert world.marked == set()
    for broker in world.brokers.values():
        assert set(broker.image.topics) == {"stay"}
        assert ("t", 0) not in broker.replicas
    stops = [order for _, order in world.sends() if isinstance(order, StopReplicaOrder)]
    assert all(stop.delete and stop.leader_epoch == -2 for order in stops for stop in order.stops)
    assert world.create(new_topic("t", [0])) == {"t": None}


def test_a_deletion_waits_for_a_broker_that_is_down() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    world.kill(1)
    world.delete("t")
    assert world.marked == {"t"}
    assert world.states["t", 0] == LeaderAndIsr(-1, 2, (0,), 1, partition_epoch=2)
    assert world.controller.deletion_settled("t")
    assert "t" not in world.brokers[0].image.topics
    assert ("t", 0) not in world.brokers[0].replicas
    world.elect_controller()
    assert world.marked == {"t"}
    world.start(1)
    assert world.topics == {}
    assert world.marked == set()


def test_a_broker_that_dies_during_a_deletion_is_waited_for() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    world.run(world.controller.topics.delete(["t"]))
    assert not world.controller.deletion_settled("t")
    world.replies = [reply for reply in world.replies if reply[0] != 1]
    world.kill(1)
    assert world.marked == {"t"}
    world.start(1)
    assert world.topics == {}


def test_a_replica_that_cannot_be_deleted_is_reported_and_retried() -> None:
    world = World(0)
    world.create(new_topic("t", [0]))
    world.run(world.controller.topics.delete(["t"]))
    broker, order, _ = world.replies.pop()
    world.replies.append((broker, order, {("t", 0): ErrorCode.KAFKA_STORAGE_ERROR}))
    world.deliver()
    assert world.controller.take_notices() == ["broker 0 could not delete t-0"]
    assert world.marked == {"t"}
    world.start(0)
    assert world.topics == {}


def test_marks_of_unknown_topics_are_removed() -> None:
    world = World(0)
    world.create(new_topic("t", [0]))
    world.marked.update({"t", "nope"})
    world.run(world.controller.topics.deletions_found(set(world.marked)))
    world.deliver()
    assert world.marked == set()
    assert world.topics == {}


def test_with_deletion_disabled_marks_are_removed_and_topics_stay() -> None:
    world = World(0)
    world.create(new_topic("t", [0]))
    world.marked.add("t")
    controller = Controller(0, 2, new_topic_id=lambda: b"n" * 16, delete_enabled=False)
    snapshot = Snapshot(
        brokers=world.live, topics=world.topics, states=world.states, deletions={"t"}
    )
    world.run(controller.elected(snapshot))
    assert world.marked == set()
    world.marked.add("t")
    world.run(controller.topics.deletions_found({"t"}))
    assert world.marked == set()
    assert "t" in world.topics
