"""One connection over a fake transport, with requests and handlers made by the test."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.frame import encode_request
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.wire.server import FakeTransport, Served, make_server


class Peer:
    """One connection to a server whose Fetch, Produce and ListOffsets the test decides on."""

    def __init__(self, loop: asyncio.AbstractEventLoop, **limits: object) -> None:
        self.loop = loop
        self.seen: list[Any] = []
        self.fetch: Callable[[Any, Any], Any] = lambda context, request: FetchResponse()
        self.produce: Callable[[Any, Any], Any] = lambda context, request: ProduceResponse()
        served = {
            ApiKey.FETCH: Served(lambda c, r: self._serve(self.fetch, c, r)),
            ApiKey.PRODUCE: Served(lambda c, r: self._serve(self.produce, c, r), max_version=8),
            ApiKey.LIST_OFFSETS: Served(lambda c, r: self._fail(r)),
        }
        self.server: Server = make_server(loop, served, **limits)
        self.connection = Connection(self.server, "PLAINTEXT")
        self.transport = FakeTransport(self.connection)

    def _serve(self, handler: Callable[[Any, Any], Any], context: Any, request: Any) -> Any:
        self.seen.append(request)
        return handler(context, request)

    def _fail(self, request: Any) -> Any:
        raise ValueError("a bug in a handler")

    def another(self, host: str = "1.2.3.4") -> FakeTransport:
        return FakeTransport(Connection(self.server, "PLAINTEXT"), host)

    def settle(self) -> None:
        """Run what is scheduled on the loop."""
        for _ in range(3):
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()


@contextmanager
def quiet_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop of its own; a callback that raises fails the test."""
    loop = asyncio.new_event_loop()
    raised: list[Any] = []
    loop.set_exception_handler(lambda _, about: raised.append(about))
    yield loop
    loop.close()
    assert raised == []


def versions(identity: int) -> bytes:
    return encode_request(ApiVersionsRequest(), 0, identity, "c")


def fetch(identity: int) -> bytes:
    return encode_request(FetchRequest(), 4, identity, "c")


def frame(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def produce(identity: int, size: int, acks: int = 1) -> bytes:
    data = [PartitionProduceData(index=0, records=bytes(size))]
    topics = [TopicProduceData(name="t", partition_data=data)]
    return encode_request(ProduceRequest(acks=acks, topic_data=topics), 3, identity, "c")
