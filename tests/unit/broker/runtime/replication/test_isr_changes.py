"""New ISRs go to the controller together, one request at a time, until it has spoken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.replication.isr_changes import IsrChanges
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResponsePartitionData,
    AlterPartitionResponseTopicData,
)
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory.handler_site import ME, OTHER, Site, batch
from tests.support.memory.replica_double import eventually
from tests.support.memory.replication import lead


class Controller:
    """Grants what it is asked for, after the errors it is told to give first.

    An error for the whole request, ``AWAY``, or one for each partition.
    """

    AWAY = "away"

    def __init__(self, *troubles: object) -> None:
        self.troubles = list(troubles)
        self.asked: list[tuple[int, AlterPartitionRequest]] = []
        self.under_way = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.silent = False

    async def ask(self, request: Any, version: int, answer: type[Any]) -> AlterPartitionResponse:
        self.asked.append((version, request))
        self.under_way += 1
        assert self.under_way == 1
        await self.gate.wait()
        self.under_way -= 1
        trouble = self.troubles.pop(0) if self.troubles else None
        if trouble is self.AWAY:
            raise ConnectError("broker 2 hung up")
        if isinstance(trouble, tuple):
            return AlterPartitionResponse(error_code=trouble[0])
        return AlterPartitionResponse(
            topics=[
                AlterPartitionResponseTopicData(
                    topic_name=topic.topic_name,
                    topic_id=topic.topic_id,
                    partitions=[
                        AlterPartitionResponsePartitionData(
                            partition_index=each.partition_index,
                            error_code=cast(int, trouble or 0),
                            leader_id=ME,
                            leader_epoch=each.leader_epoch,
                            isr=[s.broker_id for s in each.new_isr_with_epochs] or each.new_isr,
                            partition_epoch=each.partition_epoch + 1,
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def isrs(self) -> list[dict[int, list[int]]]:
        """By request: index of the partition -> ISR."""
        return [
            {
                each.partition_index: [s.broker_id for s in each.new_isr_with_epochs]
                for topic in request.topics
                for each in topic.partitions
            }
            for _, request in self.asked
        ]


class Desk:
    """Partitions of ``t`` led here that broker 1 follows, out of sync."""

    def __init__(self, controller: Controller, partitions: int = 1) -> None:
        self.site = Site()
        self.controller = controller
        self.partitions = self.site.topic("t", partitions, isr=(ME,), replicas=(ME, OTHER))
        self.changes = IsrChanges(ME, cast(Any, controller), self.site.replicas, lambda: 7)
        self.changes.start()

    def follow(self, *partitions: Partition) -> None:
        """Broker 1 fetches, all that there is."""
        for partition in partitions or self.partitions:
            partition.fetched_by(OTHER, partition.log.log_end_offset, 0)

    async def settled(self) -> None:
        await eventually(lambda: all(p.isr == (ME, OTHER) for p in self.partitions))


def run(body: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(body())


def test_followers_that_caught_up_join_in_one_request_after_another() -> None:
    async def body() -> None:
        controller = Controller()
        desk = Desk(controller, 3)
        controller.gate.clear()
        desk.follow(desk.partitions[0])
        await eventually(lambda: controller.under_way == 1)
        desk.follow(*desk.partitions[1:])
        controller.gate.set()
        await desk.settled()
        assert controller.isrs() == [{0: [0, 1]}, {1: [0, 1], 2: [0, 1]}]
        version, request = controller.asked[0]
        assert (version, request.broker_id, request.broker_epoch) == (3, ME, 7)
        assert {p.partition_epoch for p in desk.partitions} == {1}
        await desk.changes.stop()

    run(body)


@pytest.mark.parametrize(
    "trouble",
    [
        Controller.AWAY,
        (ErrorCode.NOT_CONTROLLER,),
        (ErrorCode.STALE_BROKER_EPOCH,),
        ErrorCode.NOT_CONTROLLER,
        ErrorCode.UNKNOWN_SERVER_ERROR,
    ],
)
def test_what_passes_is_asked_again(trouble: object) -> None:
    async def body() -> None:
        controller = Controller(trouble, trouble)
        desk = Desk(controller, 2)
        desk.follow()
        await desk.settled()
        assert controller.isrs() == [{0: [0, 1], 1: [0, 1]}] * 3
        await desk.changes.stop()

    run(body)


def test_what_was_refused_is_asked_again_when_the_follower_fetches() -> None:
    async def body() -> None:
        controller = Controller(ErrorCode.INELIGIBLE_REPLICA)
        desk = Desk(controller)
        (partition,) = desk.partitions
        desk.follow()
        assert partition.in_sync is not None
        await eventually(
            lambda: partition.in_sync is not None and partition.in_sync.pending is None
        )
        assert partition.isr == (ME,)
        desk.follow()
        await desk.settled()
        assert len(controller.asked) == 2
        await desk.changes.stop()

    run(body)


def test_a_new_leader_epoch_overtakes_what_was_wanted() -> None:
    async def body() -> None:
        controller = Controller(Controller.AWAY)
        desk = Desk(controller, 2)
        desk.follow()
        await eventually(lambda: len(controller.asked) == 1)
        lead(desk.partitions[0], (ME, OTHER), epoch=4)
        await desk.settled()
        assert controller.isrs() == [{0: [0, 1], 1: [0, 1]}, {1: [0, 1]}]
        await desk.changes.stop()

    run(body)


def test_topics_without_id_are_named() -> None:
    async def body() -> None:
        controller = Controller()
        desk = Desk(controller)
        desk.partitions[0].topic_id = ZERO_UUID
        desk.follow()
        await desk.settled()
        ((version, request),) = controller.asked
        assert (version, request.topics[0].topic_name) == (1, "t")
        assert request.topics[0].partitions[0].new_isr == [0, 1]
        await desk.changes.stop()

    run(body)


def test_a_follower_that_is_late_is_dropped_and_who_waits_goes_on() -> None:
    async def body() -> None:
        desk = Desk(Controller(), 1)
        site, (partition,) = desk.site, desk.partitions
        desk.follow()
        await desk.settled()
        later = site.produce(batch(b"a"), acks=-1)
        assert not later.done
        site.now += 3_600_000  # somebody sets the clock: nobody is late for that
        partition.drop_late()
        assert partition.isr == (ME, OTHER)
        site.time += 30_001
        site.replicas.max_lag_ms = lambda: 20  # looks every 10 ms from the next time on
        await desk.changes.stop()
        desk.changes.start()
        await eventually(lambda: partition.isr == (ME,))
        site.run_soon()
        assert later.answer.responses[0].partition_responses[0].error_code == 0
        await desk.changes.stop()

    run(body)


def test_records_wait_no_more_for_a_follower_that_may_not_join() -> None:
    async def body() -> None:
        controller = Controller(ErrorCode.INELIGIBLE_REPLICA)
        desk = Desk(controller)
        site = desk.site
        desk.follow()
        later = site.produce(batch(b"a"), acks=-1)
        assert not later.done
        await eventually(lambda: len(controller.asked) == 1)
        await eventually(lambda: desk.partitions[0].log.high_watermark == 1)
        site.run_soon()
        assert later.answer.responses[0].partition_responses[0].error_code == 0
        await desk.changes.stop()

    run(body)
