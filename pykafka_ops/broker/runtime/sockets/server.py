"""Listeners and what all their connections share: limits, dispatch, answers.

Counterpart of ``SocketServer`` and of the head of ``KafkaApis.handle``.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.handlers import ROUTES, Route
from pykafka_ops.broker.handlers.api import Answer, Context, Handle, MakeShape, Services, Shape
from pykafka_ops.broker.handlers.meter import Meter
from pykafka_ops.broker.runtime.sockets.buffers import DEFAULT_LIMIT, BufferPool
from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.door import Door
from pykafka_ops.broker.runtime.sockets.listeners import bind
from pykafka_ops.broker.state.quotas.clients import ClientQuotas
from pykafka_ops.broker.state.quotas.connections import ConnectionQuotas
from pykafka_ops.errors import KafkaError, PkoError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode_at
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import read_request_header, response_parts

if TYPE_CHECKING:
    from types import ModuleType

log = logging.getLogger("kafka.network.SocketServer")
STALL_SECONDS = 10.0
"""How often, while memory is short, requests that do not get on are looked for."""


BACKLOG = 1024
"""Kafka's 50 drops connections when a crowd arrives; a value in server.properties counts."""


@dataclass(slots=True)
class Request:
    """A request that was read: what is needed to answer it."""

    api: Api
    version: int
    correlation_id: int
    context: Context
    body: memoryview
    offset: int
    shape: Shape | None = None


class Api:
    """One served API, its handler and classes loaded at first use."""

    __slots__ = ("_module", "handle", "key", "request_class", "route", "shape")

    def __init__(self, key: int, route: Route) -> None:
        self.key = key
        self.route = route
        self._module: ModuleType | None = None
        self.handle: Handle | None = None
        self.request_class: type[Any] | None = None
        self.shape: MakeShape | None = None

    def load(self) -> Handle:
        """Import the handler module and the message classes."""
        self._module = self.route.load()
        self.request_class = APIS[self.key].request
        self.shape = getattr(self._module, "shape", None)
        self.handle = self._module.handle
        return self._module.handle  # type: ignore[no-any-return]  # modules are untyped

    def failed(self, request: object, version: int, error: KafkaError) -> object:
        """The answer that says the whole request failed."""
        shape = getattr(self._module, "failed", None)
        if shape is not None:
            return shape(request, version, error)
        answer = APIS[self.key].response()
        if not hasattr(answer, "error_code"):
            raise WireError(f"{APIS[self.key].name}: {error.message or error.code}")
        answer.error_code = error.code
        if hasattr(answer, "error_message"):
            answer.error_message = error.message or None
        return answer


class Server:
    """All listeners of one broker; ``inter_broker`` names the one for brokers."""

    def __init__(
        self,
        services: Services,
        loop: asyncio.AbstractEventLoop,
        routes: Mapping[int, Route] = ROUTES,
        *,
        inter_broker: str = "",
    ) -> None:
        self.services = services
        self.quotas = services.quotas
        self.timer = services.timer
        self._client_quotas = ClientQuotas(services.quotas, services.configs.value)
        self.pool = BufferPool()
        self._loop = loop
        self._apis = {int(key): Api(key, route) for key, route in routes.items()}
        self._connections: dict[int, Connection] = {}
        self._next_id = 0
        self.door = Door(
            loop,
            ConnectionQuotas(self._client_quotas.windows, services.quotas, inter_broker),
            self.timer,
            welcome=self._welcome,
            make_room=self._make_room,
        )
        self._tasks: set[asyncio.Task[object]] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self.reconfigure()

    def reconfigure(self) -> None:
        """Take over the limits from the settings, at start and when they change."""
        get = self.services.configs.value
        self.max_request_bytes: int = get("socket.request.max.bytes")
        self._idle_ms: int = get("connections.max.idle.ms")
        limit: int = get("queued.max.request.bytes")
        self.pool.limit = limit if limit > 0 else DEFAULT_LIMIT
        self.door.quotas.configure(get, self.services.configs.text)
        self.door.look()

    # -- listeners -----------------------------------------------------------------------------

    async def listen(self, name: str, host: str, port: int) -> int:
        """Open one listener; the port it got (``port`` 0 takes a free one).

        Raises OSError when the address is taken.
        """
        configs = self.services.configs
        asked: int = configs.value("socket.listen.backlog.size")
        backlog = asked if "socket.listen.backlog.size" in configs.static else BACKLOG
        sockets = bind(host, port)
        self.door.add(name, sockets, backlog)
        self.door.quotas.configure(configs.value, configs.text)
        bound: int = sockets[0].getsockname()[1]
        return bound

    def _welcome(self, listener: str, ip: str, client: socket.socket) -> None:
        self.spawn(self._connect(listener, ip, client))

    async def _connect(self, listener: str, ip: str, client: socket.socket) -> None:
        connection = Connection(self, listener)
        try:
            await self._loop.connect_accepted_socket(lambda: connection, client)
        finally:
            if not connection.identity:  # it was never made
                self.door.left(listener, ip)

    def queue_clients(self) -> None:
        """Let clients connect; they wait until :meth:`accept`. Raises OSError."""
        self.door.queue()

    async def accept(self) -> None:
        """Serve those who connect on any listener; to be called after :meth:`queue_clients`."""
        self.door.open()
        self._sweep_idle()
        self._sweep_stalled()

    def stop_accepting(self) -> None:
        """Close the listening sockets; connections stay."""
        self.door.close()

    async def close(self, grace: float = 1.0) -> None:
        """Close every connection; work in progress has ``grace`` seconds to end by itself."""
        self.stop_accepting()
        for timer in self._timers.values():
            timer.cancel()
        for connection in list(self._connections.values()):
            connection.close()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for connection in list(self._connections.values()):
            connection.abort()

    def _sweep_idle(self) -> None:
        """Close connections that did nothing since the sweep before the last."""
        idle = self._idle_ms
        if idle > 0:
            for connection in list(self._connections.values()):
                connection.sweep()
        again = idle / 2000 if idle > 0 else 60.0
        self._timers["idle"] = self._loop.call_later(again, self._sweep_idle)

    def _sweep_stalled(self) -> None:
        """While frames wait for memory, close those that hold some and do not get on."""
        if self.pool.waiting:
            for connection in list(self._connections.values()):
                connection.sweep_stalled()
        self._timers["stalled"] = self._loop.call_later(STALL_SECONDS, self._sweep_stalled)

    def preload(self, key: int) -> None:
        """Import the handler and the messages of an API before its first request."""
        api = self._apis.get(key)
        if api is not None and api.handle is None:
            api.load()

    # -- connections ---------------------------------------------------------------------------

    def admit(self, connection: Connection) -> None:
        """A connection is made, to a client that the door has let in."""
        self._next_id += 1
        connection.identity = self._next_id
        self._connections[self._next_id] = connection

    def forget(self, connection: Connection) -> None:
        """Count a closed connection out."""
        if self._connections.pop(connection.identity, None) is not None:
            self.door.left(connection.listener, connection.client_host)

    def _make_room(self) -> None:
        """Close the connection to a client that has been idle, or open, for the longest time."""
        is_protected = self.door.quotas.is_protected
        others = [c for c in self._connections.values() if not is_protected(c.listener)]
        if others:
            victim = min(others, key=lambda c: (c.is_active, c.identity))
            victim.abort()
            self.forget(victim)  # the next broker needs the room of another one

    @property
    def connection_count(self) -> int:
        """Open connections on all listeners."""
        return len(self._connections)

    # -- requests ------------------------------------------------------------------------------

    def read_request(
        self, connection: Connection, frame: memoryview, started: float | None = None
    ) -> Request:
        """Read the header and find the API; measure it from ``started`` on if that is given.

        Raises WireError for an unknown key or version, which closes the connection; an
        unknown version of ApiVersions is served in version 0 with UNSUPPORTED_VERSION.
        """
        header = read_request_header(frame)
        api = self._apis.get(header.api_key)
        if api is None:
            raise WireError(f"API key {header.api_key} is not served")
        version = header.api_version
        context = Context(
            self.services,
            version,
            header.client_id,
            header.correlation_id,
            connection.listener,
            connection.client_host,
            connection.identity,
        )
        if started is not None:
            context.meter = self.meter(context, frame, started)
        if not api.route.min_version <= version <= api.route.max_version:
            if header.api_key != ApiKey.API_VERSIONS:
                raise WireError(f"version {version} of {APIS[api.key].name} is not served")
            context.version = -1
            version = 0
        return Request(api, version, header.correlation_id, context, frame, header.body)

    def meter(self, context: Context, frame: memoryview, started: float) -> Meter | None:
        """What measures a request that began to be served at ``started``; None if its client has
        no quota."""
        key = int.from_bytes(frame[:2], "big")
        quotas, user = self._client_quotas, context.user
        if not quotas.concern(user, context.client_id or ""):
            return None
        return Meter(quotas, context, key, len(frame), started)

    def call(self, request: Request, *, learn: bool = False) -> Answer:
        """Decode and hand over to the handler; the answer as the handler contract says.

        ``learn``: find the shape of the request, too.
        """
        api = request.api
        handle = api.handle or api.load()
        message: Any = None
        try:
            if request.context.version >= 0:
                assert api.request_class is not None
                # Bytes behind the request are ignored, as by Kafka: librdkafka sends some.
                message, _ = decode_at(
                    api.request_class, request.version, request.body, request.offset
                )
                if learn and api.shape is not None:
                    request.shape = api.shape(request.context, message, request.body)
            answer = handle(request.context, message)
        except WireError:
            raise
        except Exception as error:
            return self.failure(request, error, message)
        finally:
            request.body = memoryview(b"")
        if isinstance(answer, Coroutine):
            return self._guard(request, message, answer)
        return answer

    async def _guard(
        self, request: Request, message: object, work: Coroutine[Any, Any, object]
    ) -> object:
        try:
            return await work
        except Exception as error:
            return self.failure(request, error, message)

    def failure(
        self, request: Request, error: BaseException, message: object | None = None
    ) -> object:
        """The answer for a request whose handler raised; WireError if it has no such shape."""
        name = APIS[request.api.key].name
        if not isinstance(error, KafkaError):
            fault = None if isinstance(error, PkoError) else error  # the others are bugs
            log.error("%s v%s failed: %s", name, request.version, error, exc_info=fault)
            error = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
        return request.api.failed(message, request.version, error)

    def response_parts(
        self, request: Request, answer: object
    ) -> list[bytes | bytearray | memoryview]:
        """The frame of an answer, big record fields as parts of their own."""
        return response_parts(answer, request.version, request.correlation_id)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after a while."""
        return self._loop.call_later(seconds, callback)

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back in the loop's next turn."""
        self._loop.call_soon(callback)

    def spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        """Run a handler's coroutine; the server keeps it alive."""
        task: asyncio.Task[object] = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
