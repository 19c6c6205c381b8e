"""What the controller makes of a leader's wish for another ISR."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.controller.isr_rules import IsrAnswers, IsrChange
from pykafka_ops.broker.state.controller.leadership import LeaderAndIsr
from pykafka_ops.broker.state.controller.orders import LeaderAndIsrOrder, MetadataOrder
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.controller_world import World, new_topic

KEY = ("t", 0)


@pytest.fixture
def world() -> World:
    made = World(0, 1, 2)
    made.create(new_topic("t", [0, 1, 2]))
    made.sends()
    return made


def ask(world: World, change: IsrChange, broker: int = 0) -> LeaderAndIsr | ErrorCode:
    return answers(world, {KEY: change}, broker)[KEY]


def answers(world: World, changes: dict[tuple[str, int], IsrChange], broker: int = 0) -> IsrAnswers:
    return world.run(world.controller.isr.alter(broker, world.live[broker].epoch, changes))


def test_an_isr_is_written_and_told_to_all_without_a_new_leader_epoch(world: World) -> None:
    state = ask(world, IsrChange((0, 2), 0, 0))
    assert state == world.states[KEY] == LeaderAndIsr(0, 0, (0, 2), 1, partition_epoch=1)
    orders = world.sends()
    assert {broker for broker, order in orders if isinstance(order, MetadataOrder)} == {0, 1, 2}
    assert not [order for _, order in orders if isinstance(order, LeaderAndIsrOrder)]
    image = world.brokers[1].image.partition(*KEY)
    assert image is not None
    assert (image.isr, image.partition_epoch) == ((0, 2), 1)
    assert ask(world, IsrChange((0, 2, 1), 0, 1)) == world.states[KEY]
    assert world.states[KEY].isr == (0, 2, 1)


def test_a_repeated_request_is_answered_with_what_holds(world: World) -> None:
    change = IsrChange((0, 2), 0, 0)
    first = ask(world, change)
    assert ask(world, change) == first
    assert world.states[KEY].partition_epoch == 1


@pytest.mark.parametrize(
    ("change", "broker", "code"),
    [
        (IsrChange((0, 1), 0, 5), 0, ErrorCode.NOT_CONTROLLER),
        (IsrChange((0, 1), 9, 1), 0, ErrorCode.NOT_CONTROLLER),
        (IsrChange((0,), 0, 0), 0, ErrorCode.INVALID_UPDATE_VERSION),
        (IsrChange((0, 1, 2), 0, 1, True), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((0,), 0, 1, True), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((1, 2), 0, 1), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((0, 0), 0, 1), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((0, 9), 0, 1), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((), 0, 1), 0, ErrorCode.INVALID_REQUEST),
        (IsrChange((1, 0), 0, 1), 1, ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_wish_that_does_not_fit_changes_nothing(
    world: World, change: IsrChange, broker: int, code: ErrorCode
) -> None:
    ask(world, IsrChange((0, 1), 0, 0))
    held = world.states[KEY]
    assert ask(world, change, broker) is code
    assert world.states[KEY] == held


def test_a_leader_of_the_past_is_fenced(world: World) -> None:
    world.kill(0)
    world.start(0)
    assert world.states[KEY].leader == 1
    assert ask(world, IsrChange((0,), 0, 0)) is ErrorCode.FENCED_LEADER_EPOCH


def test_who_is_about_to_stop_or_gone_may_not_join(world: World) -> None:
    ask(world, IsrChange((0, 2), 0, 0))
    world.run(world.controller.brokers.controlled_shutdown(1, world.live[1].epoch))
    held = world.states[KEY]
    change = IsrChange((0, 2, 1), held.leader_epoch, held.partition_epoch)
    assert ask(world, change) is ErrorCode.INELIGIBLE_REPLICA
    world.kill(1)
    held = world.states[KEY]
    change = IsrChange((0, 2, 1), held.leader_epoch, held.partition_epoch)
    assert ask(world, change) is ErrorCode.INELIGIBLE_REPLICA


def test_what_nobody_knows_has_its_own_answer_and_others_are_changed(world: World) -> None:
    found = answers(world, {("u", 0): IsrChange((0,), 0, 0), KEY: IsrChange((0,), 0, 0)})
    assert found["u", 0] is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert found[KEY] == world.states[KEY]
    assert world.states[KEY].isr == (0,)


def test_a_broker_of_another_registration_is_refused(world: World) -> None:
    for broker, epoch in ((0, 99), (7, 1)):
        with pytest.raises(KafkaError) as caught:
            world.run(world.controller.isr.alter(broker, epoch, {KEY: IsrChange((0,), 0, 0)}))
        assert caught.value.code == ErrorCode.STALE_BROKER_EPOCH


def test_a_state_that_somebody_else_wrote_is_read_and_told(world: World) -> None:
    world.states[KEY] = LeaderAndIsr(0, 4, (0, 1), 1, partition_epoch=7)
    assert ask(world, IsrChange((0, 2), 0, 0)) is ErrorCode.INVALID_UPDATE_VERSION
    said = world.brokers[2].replicas[KEY].state
    assert (said.leader_epoch, said.partition_epoch) == (4, 7)
    assert ask(world, IsrChange((0,), 4, 7)) == world.states[KEY]


def test_a_leader_recovers_from_an_unclean_election_with_its_first_change() -> None:
    world = World(0, 1, unclean=True)
    world.create(new_topic("t", [0, 1]))
    ask(world, IsrChange((0,), 0, 0))
    world.kill(0)
    held = world.states[KEY]
    assert (held.leader, held.recovering) == (1, True)
    assert ask(world, IsrChange((1,), 1, held.partition_epoch, True), 1) == held
    state = ask(world, IsrChange((1,), held.leader_epoch, held.partition_epoch), 1)
    assert isinstance(state, LeaderAndIsr)
    assert not state.recovering
