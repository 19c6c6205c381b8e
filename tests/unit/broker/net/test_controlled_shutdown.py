"""A broker that stops asks for its leaderships to be moved, but not for ever."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.net.controlled_shutdown import ControlledShutdown
from pykafka_ops.broker.state.configs import BrokerConfigs
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)

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


def run(link: Link, *, brokers: tuple[int, ...] = (0, 1), **settings: str) -> bool:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    configs = BrokerConfigs({"controlled.shutdown.retry.backoff.ms": "1", **named})
    image = cast(Any, SimpleNamespace(brokers=dict.fromkeys(brokers)))
    return asyncio.run(ControlledShutdown(0, cast(Any, link), image, configs, lambda: 7).run())


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
