"""AlterPartition: a leader asks for another ISR, by name, by id, with broker epochs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    BrokerState,
)
from tests.support.memory.topic_desk import TopicDesk, at_desk


def asked(desk: TopicDesk, version: int, *isr: int, leader_epoch: int = 0) -> AlterPartitionRequest:
    """Broker 0 asks for that ISR of partition 0, in the state in which it was created."""
    states = [BrokerState(broker_id=id_, broker_epoch=desk.epoch(id_)) for id_ in isr]
    partition = AlterPartitionRequestPartitionData(
        leader_epoch=leader_epoch,
        new_isr=list(isr) if version < 3 else [],
        new_isr_with_epochs=states if version >= 3 else [],
    )
    topic = AlterPartitionRequestTopicData(
        topic_name="t", topic_id=desk.image().topics["t"].topic_id, partitions=[partition]
    )
    return AlterPartitionRequest(broker_id=0, broker_epoch=desk.epoch(0), topics=[topic])


def only(answer: Any) -> Any:
    assert answer.error_code == 0
    ((partition,),) = [topic.partitions for topic in answer.topics]
    return partition


@pytest.mark.parametrize("version", range(4))
def test_the_isr_that_holds_then_is_told(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1])
        partition = only(await desk.ask(asked(desk, version, 0), version))
        assert (partition.error_code, partition.leader_id, partition.isr) == (0, 0, [0])
        assert partition.partition_epoch == 1

    at_desk(tmp_path, body, brokers=2)


@pytest.mark.parametrize("version", range(4))
def test_an_epoch_that_is_over_changes_nothing(tmp_path: Path, version: int) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1])
        request = asked(desk, version, 0, leader_epoch=-1)
        partition = only(await desk.ask(request, version))
        assert partition.error_code == ErrorCode.FENCED_LEADER_EPOCH
        assert desk.image().topics["t"].partitions[0].isr == (0, 1)

    at_desk(tmp_path, body, brokers=2)


def test_brokers_that_may_not_ask_are_refused_as_a_whole(tmp_path: Path) -> None:
    async def body(desk: TopicDesk) -> None:
        await desk.create([0, 1])
        request = asked(desk, 3, 0)
        assert (await desk.ask(request, 3, on=1)).error_code == ErrorCode.NOT_CONTROLLER
        request.broker_epoch -= 1
        assert (await desk.ask(request, 3)).error_code == ErrorCode.STALE_BROKER_EPOCH

    at_desk(tmp_path, body, brokers=2)
