"""Rules about thousands of partitions: portions in which they are written and told."""

from __future__ import annotations

from pykafka_ops.broker.state.controller.orders import LeaderAndIsrOrder, MetadataOrder
from pykafka_ops.broker.state.controller.steps import AT_ONCE, Pause, Write
from tests.support.memory.controller_world import World, new_topic


def test_a_broker_that_held_thousands_of_replicas_is_dealt_with_in_portions() -> None:
    world = World(0, 1, 2)
    many = 2 * AT_ONCE + 1
    world.create(new_topic("t", *[[0, 1]] * many))
    world.log.clear()
    world.kill(0)
    writes = [len(step.items) for step in world.log if isinstance(step, Write)]
    said = [order for _, order in world.sends() if isinstance(order, MetadataOrder)]
    assert writes == [AT_ONCE, AT_ONCE, 1]
    assert max(len(order.delta.partitions.get("t", ())) for order in said) == AT_ONCE
    assert all({b.id for b in order.delta.brokers} == {1, 2} for order in said)
    for broker in world.brokers.values():
        leaders = {image.leader for image in broker.image.topics["t"].partitions.values()}
        assert leaders == {1}
    assert len(world.brokers[1].replicas) == many
    world.elect_controller()
    assert all(len(s.items) <= AT_ONCE for s in world.log if isinstance(s, Write))
    orders = [order for _, order in world.sends() if isinstance(order, LeaderAndIsrOrder)]
    assert max(len(order.changes) for order in orders) == AT_ONCE
    assert sum(len(order.changes) for order in orders) == many


def test_a_broker_that_comes_hears_of_all_partitions_in_one_order() -> None:
    world = World(0, 1)
    world.create(new_topic("t", *[[0]] * (AT_ONCE + 1)))
    world.log.clear()
    world.start(2)
    first = next(order for id_, order in world.sends() if id_ == 2)
    assert isinstance(first, MetadataOrder)
    assert len(first.delta.partitions["t"]) == AT_ONCE + 1


def test_a_topic_of_thousands_of_partitions_comes_and_goes_with_pauses() -> None:
    world = World(0)
    few, many = [[0]] * (AT_ONCE - 1), [[0]] * 3 * AT_ONCE
    world.create(new_topic("few", *few))
    world.run(world.controller.topics.delete(["few"]))
    assert not any(isinstance(step, Pause) for step in world.log)
    world.create(new_topic("many", *many))
    assert sum(isinstance(step, Pause) for step in world.log) >= 6
    world.log.clear()
    world.run(world.controller.topics.delete(["many"]))
    assert sum(isinstance(step, Pause) for step in world.log) >= 6
