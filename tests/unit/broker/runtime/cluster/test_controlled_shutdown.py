"""A broker that stops asks for its leaderships to be moved, but not for ever."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.cluster.controlled_shutdown import ControlledShutdown
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import BrokerInfo, MetadataDelta, MetadataImage
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)
from tests.support.waiting import PATIENCE

DONE = ControlledShutdownResponse()
MORE = ControlledShutdownResponse(
    remaining_partitions=[RemainingPartition(topic_name="t", partition_index=0)]
)
MOVED = ControlledShutdownResponse(error_code=ErrorCode.STALE_CONTROLLER_EPOCH)
AWAY = ConnectError("broker 2 hung up")


class Link:
    """The way to a controller that answers what it is told to."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.asked: list[ControlledShutdownRequest] = []

    async def ask(self, request: Any, version: int, answer: type[Any]) -> Any:
        assert version == 3
        self.asked.append(request)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


def image_of(controller: int, brokers: tuple[int, ...]) -> MetadataImage:
    image = MetadataImage()
    tell(image, controller, brokers)
    return image


def tell(image: MetadataImage, controller: int, brokers: tuple[int, ...]) -> None:
    infos = [BrokerInfo(id=id_, endpoints=()) for id_ in brokers]
    image.apply(MetadataDelta(controller_id=controller, controller_epoch=1, brokers=infos))


def run(link: Link, *, brokers: tuple[int, ...] = (0, 1), **settings: str) -> bool:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    configs = BrokerConfigs({"controlled.shutdown.retry.backoff.ms": "1", **named})
    image = image_of(1, brokers)
    return asyncio.run(
        ControlledShutdown(0, cast(Any, link), image, configs, lambda: 7, lambda: True).run()
    )


@pytest.mark.parametrize("first", [MORE, MOVED, AWAY])
def test_it_asks_again_until_nothing_is_left(first: object) -> None:
    link = Link(first, DONE)
    assert run(link)
    assert [(r.broker_id, r.broker_epoch) for r in link.asked] == [(0, 7), (0, 7)]


def test_it_gives_up_after_so_many_attempts() -> None:
    link = Link(MORE, AWAY, MOVED, DONE)
    assert not run(link)
    assert len(link.asked) == 3
    link = Link(MORE, DONE)
    assert not run(link, controlled_shutdown_max_retries="1")


def test_nobody_is_asked_where_nobody_could_take_over_or_it_is_switched_off() -> None:
    assert run(Link(), brokers=(0,))
    assert not run(Link(), controlled_shutdown_enable="false")


def test_it_asks_a_new_controller_at_once() -> None:
    image = image_of(1, (0, 1, 2))
    link = Link(AWAY, DONE)
    configs = BrokerConfigs({"controlled.shutdown.retry.backoff.ms": "3600000"})

    async def main() -> bool:
        shutdown = ControlledShutdown(0, cast(Any, link), image, configs, lambda: 7, lambda: True)
        stopping = asyncio.create_task(shutdown.run())
        while not link.asked or not image.listeners:
            await asyncio.sleep(0)
        tell(image, 1, (0, 2))
        tell(image, 2, (0, 2))
        async with asyncio.timeout(60):
            return await stopping

    assert asyncio.run(main())
    assert len(link.asked) == 2
    assert not image.listeners


def test_nobody_is_waited_for_while_zookeeper_does_not_answer() -> None:
    """A controller that has lost ZooKeeper, too, takes a request and says nothing for 30 s."""
    stopped: list[bool] = []

    class Silent(Link):
        async def ask(self, request: Any, version: int, answer: type[Any]) -> Any:
            self.asked.append(request)
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append(True)

    link = Silent()
    image, configs = image_of(1, (0, 1)), BrokerConfigs({})
    connected = iter([True, True])

    async def main() -> bool:
        shutdown = ControlledShutdown(
            0, cast(Any, link), image, configs, lambda: 7, lambda: next(connected, False)
        )
        async with asyncio.timeout(PATIENCE):
            return await shutdown.run()

    assert not asyncio.run(main())
    assert len(link.asked) == 1
    assert stopped == [True]


def test_a_short_absence_of_zookeeper_is_waited_out() -> None:
    answered = asyncio.Event()
    image, configs = image_of(1, (0, 1)), BrokerConfigs({})
    looks = iter([False, False, True, False])

    class Slow(Link):
        async def ask(self, request: Any, version: int, answer: type[Any]) -> Any:
            await answered.wait()
            return DONE

    def connected() -> bool:
        found = next(looks, None)
        if found is None:
            answered.set()
        return found is not False

    async def main() -> bool:
        shutdown = ControlledShutdown(0, cast(Any, Slow()), image, configs, lambda: 7, connected)
        async with asyncio.timeout(PATIENCE):
            return await shutdown.run()

    assert asyncio.run(main())
