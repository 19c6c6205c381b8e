"""AllocateProducerIds: each broker gets blocks of ids that nobody else gets."""

from __future__ import annotations

from pathlib import Path

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.allocate_producer_ids import AllocateProducerIdsRequest
from tests.support.memory.topic_desk import TopicDesk, at_desk


def test_every_block_is_given_once(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        taken: list[int] = []
        for broker in (0, 1, 0):
            request = AllocateProducerIdsRequest(broker_id=broker, broker_epoch=desk.epoch(broker))
            answer = await desk.ask(request, 0)
            assert (answer.error_code, answer.producer_id_len) == (0, 1000)
            taken += range(answer.producer_id_start, answer.producer_id_start + 1000)
        assert len(set(taken)) == 3000

    at_desk(tmp_path, body, brokers=2)


def test_who_may_not_ask_gets_none(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        async def code(broker: int, epoch: int, on: int = 0) -> int:
            request = AllocateProducerIdsRequest(broker_id=broker, broker_epoch=epoch)
            return int((await desk.ask(request, 0, on=on)).error_code)

        epoch = desk.epoch(1)
        assert await code(1, epoch, on=1) == ErrorCode.NOT_CONTROLLER
        assert await code(1, epoch - 1) == ErrorCode.STALE_BROKER_EPOCH
        assert await code(7, epoch) == ErrorCode.BROKER_ID_NOT_REGISTERED

    at_desk(tmp_path, body, brokers=2)
