"""Whoever is controller is asked, and blocks of producer ids come from there."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pykafka_ops.broker.metadata.znodes.cluster import ProducerIdBlock
from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.broker.runtime.cluster.producer_blocks import ProducerBlocks
from pykafka_ops.broker.state.image import MetadataDelta, MetadataImage
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from pykafka_ops.wire.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse

ME = 0
LAST = 2**63 - 1


class Controllers:
    """This broker, which may be controller, and others; each answers with its own block."""

    def __init__(self) -> None:
        self.is_controller = False
        self.image = MetadataImage()
        self.asked: list[tuple[int, object, int]] = []
        self.answer_with: AllocateProducerIdsResponse | Exception | None = None
        self.link = ControllerLink(ME, self.image, cast(Any, self), cast(Any, self._peer))

    def elect(self, broker: int) -> None:
        self.image.apply(MetadataDelta(controller_id=broker, controller_epoch=1, brokers=[]))

    async def answer(self, request: object, version: int) -> object:
        return await self._answer(ME, request, version)

    async def _answer(self, broker: int, request: object, version: int) -> Any:
        self.asked.append((broker, request, version))
        if isinstance(self.answer_with, Exception):
            raise self.answer_with
        return self.answer_with or AllocateProducerIdsResponse(
            producer_id_start=broker * 1000, producer_id_len=1000
        )

    def _peer(self, broker: int) -> Any:
        outer = self

        class Peer:
            async def ask(self, request: object, version: int, answer: type[Any], **_: Any) -> Any:
                return await outer._answer(broker, request, version)

        return Peer()

    def claim(self) -> ProducerIdBlock:
        return asyncio.run(ProducerBlocks(ME, self.link, lambda: 7).claim())


@pytest.fixture
def controllers() -> Controllers:
    return Controllers()


def test_the_controller_of_the_day_is_asked(controllers: Controllers) -> None:
    controllers.elect(2)
    assert controllers.claim() == ProducerIdBlock(ME, 2000, 2999)
    controllers.elect(1)
    assert controllers.claim() == ProducerIdBlock(ME, 1000, 1999)
    controllers.is_controller = True
    assert controllers.claim() == ProducerIdBlock(ME, 0, 999)
    assert [broker for broker, _, _ in controllers.asked] == [2, 1, ME]
    _, request, version = controllers.asked[0]
    assert isinstance(request, AllocateProducerIdsRequest)
    assert (request.broker_id, request.broker_epoch, version) == (ME, 7, 0)


@pytest.mark.parametrize("known", [-1, ME])
def test_while_nobody_is_known_to_be_controller_nobody_is_asked(
    controllers: Controllers, known: int
) -> None:
    controllers.elect(known)
    with pytest.raises(ConnectError, match="no controller is known yet"):
        asyncio.run(controllers.link.ask(CreateTopicsRequest(), 6, CreateTopicsResponse))
    assert controllers.asked == []


@pytest.mark.parametrize(
    "trouble",
    [
        ConnectError("broker 2 hung up"),
        AllocateProducerIdsResponse(error_code=ErrorCode.NOT_CONTROLLER),
        AllocateProducerIdsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH),
        AllocateProducerIdsResponse(producer_id_start=-1, producer_id_len=1000),
        AllocateProducerIdsResponse(producer_id_start=5, producer_id_len=0),
        AllocateProducerIdsResponse(producer_id_start=LAST - 5, producer_id_len=1000),
    ],
)
def test_clients_are_told_to_try_again_where_no_block_is_to_be_had(
    controllers: Controllers, trouble: Any
) -> None:
    controllers.elect(2)
    controllers.answer_with = trouble
    with pytest.raises(KafkaError) as caught:
        controllers.claim()
    assert caught.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
