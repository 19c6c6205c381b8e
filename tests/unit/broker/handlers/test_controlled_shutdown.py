"""ControlledShutdown: a broker that stops leads nothing any more, where others can."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
)
from pykafka_ops.wire.messages.controlled_shutdown import ControlledShutdownRequest
from tests.support.memory.replica_double import eventually
from tests.support.memory.topic_desk import TopicDesk, at_desk


async def fall_behind(desk: TopicDesk, index: int) -> None:
    """Broker 1, which leads the partition, is in sync alone."""
    partition = AlterPartitionRequestPartitionData(partition_index=index, new_isr=[1])
    topic = AlterPartitionRequestTopicData(topic_name="t", partitions=[partition])
    request = AlterPartitionRequest(broker_id=1, broker_epoch=desk.epoch(1), topics=[topic])
    answer = await desk.ask(request, 0)
    assert [p.error_code for p in answer.topics[0].partitions] == [0]


@pytest.mark.parametrize("version", range(4))
def test_what_others_can_lead_moves_and_the_rest_is_told(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([1, 0], [1, 0])
        await fall_behind(desk, 1)
        request = ControlledShutdownRequest(broker_id=1)
        if version >= 2:
            request.broker_epoch = desk.epoch(1)
        answer = await desk.ask(request, version)
        assert answer.error_code == 0
        left = [(p.topic_name, p.partition_index) for p in answer.remaining_partitions]
        assert left == [("t", 1)]
        await eventually(lambda: desk.image().topics["t"].partitions[0].leader == 0)

    at_desk(tmp_path, body, brokers=2)


def test_who_may_not_ask_is_refused(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        request = ControlledShutdownRequest(broker_id=1, broker_epoch=desk.epoch(1) - 1)
        assert (await desk.ask(request, 3)).error_code == ErrorCode.STALE_BROKER_EPOCH
        assert (await desk.ask(request, 3, on=1)).error_code in (
            ErrorCode.NOT_CONTROLLER,
            ErrorCode.STALE_CONTROLLER_EPOCH,
        )

    at_desk(tmp_path, body, brokers=2)
