"""A broker's network side with handlers made by the test, over a fake transport or real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.broker.handlers.api import Services
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.storage.clocks import monotonic_clock
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.frame import decode_response, encode_request

BETWEEN_BROKERS = "inter.broker.listener.name"


@dataclass
class Served:
    """A route and its handler module in one."""

    handle: Callable[[Any, Any], Any]
    failed: Callable[[Any, int, Any], Any] | None = None
    min_version: int = 0
    max_version: int = 99

    def load(self) -> Served:
        return self


def make_server(
    loop: asyncio.AbstractEventLoop,
    served: Mapping[int, Served] | None = None,
    **settings: object,
) -> Server:
    """A server that answers ApiVersions, and what ``served`` says.

    Settings with underscores for dots: ``max_connections=1``.
    """
    configs = BrokerConfigs({k.replace("_", "."): str(v) for k, v in settings.items()})
    services = cast(
        Services,
        SimpleNamespace(
            configs=configs,
            groups=SimpleNamespace(protocols=None),
            quotas=QuotaEntities(),
            timer=monotonic_clock,
            levels_changed=[],
            acls=None,
            memory=Memory(),
        ),
    )
    routes: Any = {ApiKey.API_VERSIONS: ROUTES[ApiKey.API_VERSIONS], **(served or {})}
    return Server(services, loop, routes, inter_broker=configs.text(BETWEEN_BROKERS) or "")


class FakeTransport(asyncio.Transport):
    """What a connection does to its transport; ``feed`` is the client sending."""

    def __init__(self, connection: Connection, host: str = "1.2.3.4") -> None:
        super().__init__({"peername": (host, 999)})
        self.connection = connection
        self.written: list[bytes] = []
        self.reading = True
        self.closed = self.aborted = False
        self._unread = b""
        quotas = connection._server.admission.quotas
        quotas.add_listener(connection.listener)
        assert quotas.enter(connection.listener, host)
        connection.connection_made(self)

    def feed(self, data: bytes, piece: int = 1 << 30) -> None:
        """Let ``data`` arrive, at most ``piece`` bytes at a time, while the connection reads."""
        self._unread += data
        while self._unread and self.reading and not self.is_closing():
            room = self.connection.get_buffer(-1)
            count = min(len(room), len(self._unread), piece)
            assert count > 0
            room[:count] = self._unread[:count]
            self._unread = self._unread[count:]
            self.connection.buffer_updated(count)

    def lose(self) -> None:
        """The client goes away."""
        self.closed = True
        self.connection.connection_lost(None)

    def frames(self) -> list[bytes]:
        """The answers written so far, without their lengths."""
        data, found = b"".join(self.written), []
        while data:
            size = int.from_bytes(data[:4], "big")
            found.append(data[4 : 4 + size])
            assert len(found[-1]) == size
            data = data[4 + size :]
        return found

    def correlation_ids(self) -> list[int]:
        return [int.from_bytes(frame[:4], "big") for frame in self.frames()]

    # -- asyncio.Transport ---------------------------------------------------------------------

    def write(self, data: Any) -> None:
        assert not self.is_closing()
        self.written.append(bytes(data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        return None

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.reading
        self.reading = True
        self.connection._server._loop.call_soon(self.feed, b"")

    def is_closing(self) -> bool:
        return self.closed or self.aborted

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True


@dataclass
class Client:
    """A connection on real sockets, used from the server's own loop."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    ids: int = field(default=0)

    @classmethod
    async def connect(cls, port: int, **options: Any) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port, **options))

    def send(self, request: object, version: int) -> int:
        self.ids += 1
        self.writer.write(encode_request(request, version, self.ids, "test"))
        return self.ids

    async def answer(self) -> bytes:
        """The next answer frame; IncompleteReadError when the server closed instead."""
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        return await self.reader.readexactly(size)

    async def ask(self, request: Any, version: int) -> Any:
        identity = self.send(request, version)
        response = APIS[type(request).__wire__.api].response
        found, message = decode_response(response, version, await self.answer())
        assert found == identity
        return message

    async def closed(self) -> bool:
        """Whether the server closes the connection without another byte."""
        try:
            return await self.reader.read(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self.writer.close()


async def until(condition: Callable[[], Any], *, seconds: float = 120.0) -> None:
    """Let the loop run until ``condition`` holds; AssertionError after ``seconds``."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        assert loop.time() < end, "the condition did not come true"
        await asyncio.sleep(0.001)


def run(body: Coroutine[Any, Any, None], make_loop: Callable[[], Any] | None = None) -> None:
    """Run a test's coroutine on a loop of its own; callbacks that raise fail the test."""
    raised: list[dict[str, Any]] = []

    async def guarded() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: raised.append(about))
        async with asyncio.timeout(240):
            await body

    with asyncio.Runner(loop_factory=make_loop) as runner:
        runner.run(guarded())
    assert raised == []
