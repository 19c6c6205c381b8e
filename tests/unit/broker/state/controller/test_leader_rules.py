"""States that somebody else wrote while the controller was about to."""

from __future__ import annotations

from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from tests.support.memory.controller_world import World, new_topic


def test_a_state_written_by_somebody_else_is_read_again() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    world.states["t", 0] = LeaderAndIsr(0, 4, (0, 1), 1, partition_epoch=7)
    world.kill(0)
    assert world.states["t", 0] == LeaderAndIsr(1, 5, (1,), 1, partition_epoch=8)


def test_a_newer_controllers_state_is_left_alone() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    newer = LeaderAndIsr(0, 4, (0, 1), controller_epoch=9, partition_epoch=7)
    world.states["t", 0] = newer
    world.kill(0)
    assert world.states["t", 0] == newer
    assert "newer controller" in world.controller.take_notices()[0]


def test_a_state_that_vanished_is_reported_and_not_invented() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    del world.states["t", 0]
    world.kill(0)
    assert world.states == {}
    assert world.controller.take_notices() == ["the state of t-0 is gone or cannot be read"]


def test_a_state_that_cannot_be_read_is_reported_and_not_written_over() -> None:
    world = World(0, 1)
    world.create(new_topic("t", [0, 1]))
    written = world.states["t", 0]
    world.unreadable.add(("t", 0))
    world.elect_controller()
    assert world.states["t", 0] == written
    assert set(world.controller.take_notices()) == {
        "gave up writing the state of t-0: its znode is there, but cannot be read"
    }
