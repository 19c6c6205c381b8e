"""Elections that the clock and older tools ask for."""

from __future__ import annotations

from tests.support.memory.controller_world import World, new_topic


def astray() -> World:
    """Broker 1 prefers to lead four partitions of t, and leads none; it is in sync in two."""
    world = World(0, 1)
    world.create(new_topic("t", *([[1, 0]] * 4)), new_topic("u", [0, 1]))
    world.kill(1)
    world.start(1)
    for index in (0, 1):
        world.in_sync("t", index, 0, 1)
    return world


def rebalance(world: World, percentage: int) -> list[tuple[str, int]]:
    moved = world.run(world.controller.elections.rebalance(percentage))
    world.deliver()
    return moved


def ask(world: World, partitions: list[tuple[str, int]]) -> None:
    world.elections = partitions


def not_asked(world: World) -> bool:
    return world.elections is None


def leaders(world: World) -> list[int]:
    return [world.states["t", index].leader for index in range(4)]


def test_what_can_move_back_does() -> None:
    world = astray()
    assert rebalance(world, 10) == [("t", 0), ("t", 1)]
    assert leaders(world) == [1, 1, 0, 0]
    for broker in world.brokers.values():
        image = broker.image.partition("t", 0)
        assert image is not None
        assert image.leader == 1


def test_it_takes_more_than_the_percentage() -> None:
    world = astray()
    rebalance(world, 10)
    for index in (2, 3):
        world.in_sync("t", index, 0, 1)
    assert rebalance(world, 50) == []
    assert rebalance(world, 49) == [("t", 2), ("t", 3)]
    assert rebalance(world, 0) == []


def test_a_broker_about_to_stop_gets_nothing_back() -> None:
    world = astray()
    world.run(world.controller.brokers.controlled_shutdown(1, -1))
    world.deliver()
    assert rebalance(world, 10) == []


def test_an_older_tools_elections_are_held_and_forgotten() -> None:
    world = astray()
    asked = [("t", 0), ("t", 3), ("t", 9), ("u", 0)]
    ask(world, asked)
    world.run(world.controller.elections.asked_by_znode(asked))
    assert not_asked(world)
    assert leaders(world) == [1, 0, 0, 0]
    notices = "\n".join(world.controller.take_notices())
    assert "preferred election of t-3: Failed to elect leader" in notices
    assert "preferred election of t-9: The partition does not exist." in notices
    assert "u-0" not in notices


def test_a_new_controller_holds_them_too() -> None:
    world = astray()
    ask(world, [("t", 1)])
    world.elect_controller()
    assert not_asked(world)
    assert leaders(world) == [0, 1, 0, 0]


def test_isrs_that_old_brokers_wrote_are_taken_over_and_finish_moves() -> None:
    world = astray()
    world.move("u", 0, [1])
    state = world.states["u", 0]
    assert state.isr == (0,)
    world.states["u", 0] = state._replace(isr=(0, 1), partition_epoch=state.partition_epoch + 1)
    world.run(world.controller.isr.written([("u", 0), ("x", 7)]))
    world.deliver()
    assert world.topics["u"].partitions[0].replicas == (1,)
    assert world.states["u", 0].leader == 1
