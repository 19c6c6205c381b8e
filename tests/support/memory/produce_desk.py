"""A broker's handlers behind connections, for Produce requests as bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.broker.handlers.produce_several import SeveralShape
from pykafka_ops.broker.handlers.produce_shape import ProduceShape
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.memory.handler_site import OTHER, Site
from tests.support.wire.server import FakeTransport

TIMEOUT_MS = 500


def decline(patch: pytest.MonkeyPatch) -> None:
    """Have the ordinary code append every batch, in brokers that were not asked before."""
    for kind in (ProduceShape, SeveralShape):
        patch.setattr(kind, "look_up", lambda *_: None)


class Broker:
    """Handlers over logs in memory behind connections; ``read`` counts requests read in full,
    ``waited`` those that had no answer until their time was over."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, repeat: bool) -> None:
        self.site = Site()
        self.site.topic("t", 2)
        self.site.topic("topic", config={"message.timestamp.type": "LogAppendTime"})
        self.site.topic("elsewhere", leader=OTHER)
        self.site.topic("__consumer_offsets")
        self.server = Server(self.site.services, loop)
        self._loop = loop
        self.repeat = repeat
        self.read = self.waited = 0
        dispatch = self.server.dispatch
        dispatch.find = self._counting(dispatch.find)  # type: ignore[method-assign]
        self._transport: FakeTransport | None = None

    def _counting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self.read += 1
            return function(*arguments)

        return counted

    def ask(self, frame: bytes) -> tuple[list[bytes], bool]:
        """What is written as the answer, and whether the connection is closed."""
        if self._transport is None or not self.repeat or self._transport.closed:
            self._transport = FakeTransport(Connection(self.server, "PLAINTEXT"))
        transport = self._transport
        transport.written = []
        transport.feed(frame)
        self.site.run_soon()
        while tasks := asyncio.all_tasks(self._loop):  # what takes long
            self._loop.run_until_complete(asyncio.wait(tasks))
        if self.site.replicas.produces.next_deadline is not None:
            self.waited += 1
            self.site.pass_time(TIMEOUT_MS)
        return transport.frames(), transport.closed

    @property
    def state(self) -> Any:
        """Everything that requests leave behind."""
        logs = {
            key: (log.log_end_offset, log.high_watermark, log.log_start_offset)
            for key, log in self.site.logs.logs.items()
        }
        files = self.site.logs.files
        names = [f"/data/{topic}-{index}/{0:020d}.log" for topic, index in self.site.logs.logs]
        return logs, [files.read(name) for name in names if files.exists(name)]


def request(
    records: bytes | None,
    *,
    version: int = 7,
    topic: str = "t",
    index: int = 0,
    acks: int = 1,
    correlation_id: int = 1,
    client_id: str | None = "client",
    transactional_id: str | None = None,
    more: tuple[PartitionProduceData, ...] = (),
) -> bytes:
    data = [PartitionProduceData(index=index, records=records), *more]
    message = ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=TIMEOUT_MS,
        topic_data=[TopicProduceData(name=topic, partition_data=data)],
    )
    return encode_request(message, version, correlation_id, client_id)


def answer_of(frames: list[bytes], version: int) -> tuple[int, Any]:
    (frame,) = frames
    correlation_id, response = decode_response(ProduceResponse, version, frame)
    return correlation_id, response.responses[0].partition_responses[0]
