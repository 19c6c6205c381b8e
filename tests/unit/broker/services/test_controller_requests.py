"""What brokers ask of the controller, over every version of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.steps import Steps
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    AlterPartitionResponse,
    BrokerState,
)
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest
from tests.support.memory.controller_world import World, new_topic


class Gate:
    """The controller of a world, or none."""

    def __init__(self, world: World, *, active: bool = True) -> None:
        self.world = world
        self.is_active = active

    async def perform(self, rule: Callable[[Controller], Steps[Any]]) -> Any:
        if not self.is_active:
            raise KafkaError(ErrorCode.NOT_CONTROLLER)
        return self.world.run(rule(self.world.controller))


@pytest.fixture
def world() -> World:
    made = World(0, 1, 2)
    made.create(new_topic("t", [0, 1, 2], [1, 2]), new_topic("alone", [0]))
    return made


def requests(world: World, store: object = None, *, active: bool = True) -> ControllerRequests:
    return ControllerRequests(cast(Any, Gate(world, active=active)), cast(Any, store))


def wish(
    world: World, version: int, isr: list[int], *, topic_id: bytes | None = None
) -> AlterPartitionRequest:
    """Broker 0 wants this ISR of t-0, as it arrives from the wire."""
    data = AlterPartitionRequestPartitionData()
    if version < 3:
        data.new_isr = isr
    else:
        data.new_isr_with_epochs = [BrokerState(broker_id=id_) for id_ in isr]
    topic = AlterPartitionRequestTopicData(
        topic_name="t", topic_id=topic_id or world.topics["t"].topic_id, partitions=[data]
    )
    request = AlterPartitionRequest(broker_epoch=world.live[0].epoch, topics=[topic])
    sent = memoryview(encode(request, version))
    return decode(AlterPartitionRequest, version, sent)


def ask(
    world: World, request: AlterPartitionRequest, version: int, *, active: bool = True
) -> AlterPartitionResponse:
    desk = requests(world, active=active)
    answer = asyncio.run(desk.alter_partitions(request, version))
    return decode(AlterPartitionResponse, version, memoryview(encode(answer, version)))


@pytest.mark.parametrize("version", range(4))
def test_an_isr_changes_in_every_version(world: World, version: int) -> None:
    answer = ask(world, wish(world, version, [0, 2]), version)
    (topic,) = answer.topics
    named = topic.topic_name if version < 2 else topic.topic_id
    assert named == ("t" if version < 2 else world.topics["t"].topic_id)
    (found,) = topic.partitions
    assert (found.error_code, found.leader_id, found.isr) == (0, 0, [0, 2])
    assert (found.leader_epoch, found.partition_epoch) == (0, 1)
    assert world.states["t", 0].isr == (0, 2)


@pytest.mark.parametrize(
    ("version", "code"),
    [(1, ErrorCode.OPERATION_NOT_ATTEMPTED), (2, ErrorCode.INELIGIBLE_REPLICA)],
)
def test_old_leaders_are_told_in_words_they_know(
    world: World, version: int, code: ErrorCode
) -> None:
    world.controller.cluster.shutting_down.add(2)
    answer = ask(world, wish(world, version, [0, 2]), version)
    assert answer.topics[0].partitions[0].error_code == code


def test_an_unknown_topic_id_is_said_at_the_partition(world: World) -> None:
    answer = ask(world, wish(world, 3, [0], topic_id=b"?" * 16), 3)
    assert answer.error_code == 0
    assert answer.topics[0].topic_id == b"?" * 16
    assert answer.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_who_is_not_controller_says_so(world: World) -> None:
    answer = ask(world, wish(world, 3, [0]), 3, active=False)
    assert (answer.error_code, answer.topics) == (ErrorCode.NOT_CONTROLLER, [])
    desk = requests(world, active=False)
    ids = asyncio.run(desk.allocate_producer_ids(AllocateProducerIdsRequest(broker_id=0)))
    assert ids.error_code == ErrorCode.NOT_CONTROLLER
    left = asyncio.run(desk.controlled_shutdown(ControlledShutdownRequest(broker_id=0)))
    assert left.error_code == ErrorCode.STALE_CONTROLLER_EPOCH


def test_a_broker_of_the_past_changes_nothing(world: World) -> None:
    request = wish(world, 3, [0])
    request.broker_epoch = 99
    assert ask(world, request, 3).error_code == ErrorCode.STALE_BROKER_EPOCH
    assert world.states["t", 0].isr == (0, 1, 2)


def test_blocks_of_producer_ids_never_meet(world: World, tmp_path: Path) -> None:
    async def body() -> None:
        store = EmbeddedStore(tmp_path / "m.db", durable=False)
        desk = requests(world, store)
        for first, broker in enumerate((0, 2, 0)):
            epoch = world.live[broker].epoch
            request = AllocateProducerIdsRequest(broker_id=broker, broker_epoch=epoch)
            answer = await desk.allocate_producer_ids(request)
            assert (answer.error_code, answer.producer_id_len) == (0, 1000)
            assert answer.producer_id_start == first * 1000
        old = await desk.allocate_producer_ids(AllocateProducerIdsRequest(broker_id=0))
        assert old.error_code == ErrorCode.STALE_BROKER_EPOCH
        unknown = await desk.allocate_producer_ids(AllocateProducerIdsRequest(broker_id=9))
        assert unknown.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
        await store.close()

    asyncio.run(body())


def test_a_broker_that_stops_hands_over_what_others_have(world: World) -> None:
    desk = requests(world)
    request = ControlledShutdownRequest(broker_id=1, broker_epoch=world.live[1].epoch)
    answer = asyncio.run(desk.controlled_shutdown(request))
    assert (answer.error_code, answer.remaining_partitions) == (0, [])
    assert world.states["t", 1].leader == 2
    assert world.states["t", 0].isr == (0, 2)
    world.controller.cluster.shutting_down.clear()
    world.kill(2)
    request = ControlledShutdownRequest(broker_id=0, broker_epoch=world.live[0].epoch)
    world.states["t", 0] = world.states["t", 0]._replace(isr=(0,))
    answer = asyncio.run(desk.controlled_shutdown(request))
    assert [(p.topic_name, p.partition_index) for p in answer.remaining_partitions] == [("t", 0)]
    stale = ControlledShutdownRequest(broker_id=0, broker_epoch=0)
    assert asyncio.run(desk.controlled_shutdown(stale)).error_code == ErrorCode.STALE_BROKER_EPOCH


def test_what_is_not_for_it_is_asked_again_elsewhere(world: World) -> None:
    with pytest.raises(KafkaError) as caught:
        asyncio.run(requests(world).answer(object(), 0))
    assert caught.value.code == ErrorCode.NOT_CONTROLLER
