"""A connection to another broker: requests go out at once, answers come in the same order.

Counterpart of ``NetworkClient`` with ``discoverBrokerVersions`` off: which versions are spoken
follows from ``inter.broker.protocol.version``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from pykafka_ops.broker.state.image import BrokerEndpoint
from pykafka_ops.errors import ConnectError, WireError
from pykafka_ops.wire import frame

if TYPE_CHECKING:  # few brokers have TLS
    import ssl

T = TypeVar("T")


class AskInTurn(Protocol):
    """Asks one request on a connection, in a version, and awaits its answer."""

    def __call__(self, request: object, version: int, answer: type[T]) -> Awaitable[T]: ...


LogIn = Callable[[AskInTurn, str], Awaitable[int]]
"""Logs in on a connection to a host; for how many ms that holds, 0 for ever. Raises
ConnectError."""

EARLY: Final = 0.85
"""The share of a login's time after which it is renewed, as Kafka's clients do."""

LIMIT: Final = 256 * 1024 * 1024
"""Bytes of the largest answer that is taken."""
EAGER: Final = 16 * 1024 * 1024
"""An answer up to this long gets its memory at once, a longer one as it arrives."""


def _reason(error: OSError) -> str:
    """Why there is no connection."""
    name = type(error).__name__
    if name == "SSLCertVerificationError":
        why = getattr(error, "verify_message", "")
        return f"its certificate is not trusted: {why} (ssl.truststore.location?)"
    if name.startswith("SSL"):
        return f"the TLS handshake failed: {getattr(error, 'reason', None) or error}"
    return error.strerror or str(error) or name


class _Wire(asyncio.BufferedProtocol):
    """Cuts answers out of the stream; each has memory of its own, which views may keep."""

    def __init__(self, peer: str) -> None:
        self._peer = peer
        self._head = bytearray(4)
        self._body: bytearray | None = None
        self._size = 0
        self._filled = 0
        self.transport: asyncio.Transport | None = None
        self.waiting: deque[tuple[int, asyncio.Future[bytearray]]] = deque()
        """Correlation ids under way, the oldest first."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self.transport = transport  # type: ignore[assignment] # uvloop's is no subclass

    def get_buffer(self, sizehint: int) -> memoryview:
        if self._body is None:
            return memoryview(self._head)[self._filled :]
        if self._filled == len(self._body):
            # New memory: the transport may still hold a view of the old.
            self._body = self._body + bytes(min(self._size - self._filled, self._filled))
        return memoryview(self._body)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        if self._body is None:
            if self._filled < 4:
                return
            self._size = int.from_bytes(self._head, "big", signed=True)
            if not 4 <= self._size <= LIMIT:
                self._fail(WireError(f"{self._peer} answers with a frame of {self._size} bytes"))
                return
            self._body, self._filled = bytearray(min(self._size, EAGER)), 0
        elif self._filled == self._size:
            body, self._body, self._filled = self._body, None, 0
            self._answered(body)

    def _answered(self, body: bytearray) -> None:
        correlation = int.from_bytes(body[:4], "big", signed=True)
        if not self.waiting or self.waiting[0][0] != correlation:
            self._fail(WireError(f"{self._peer} answers what it was not asked"))
            return
        _, future = self.waiting.popleft()
        if not future.done():  # its request was given up
            future.set_result(body)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(ConnectError(f"{self._peer} hung up{f': {exc}' if exc else ''}"))

    def _fail(self, error: Exception) -> None:
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.abort()
        waiting, self.waiting = self.waiting, deque()
        for _, future in waiting:
            if not future.done():
                future.set_exception(error)


def _now() -> float:
    return asyncio.get_running_loop().time()


class Peer:
    """One connection to one broker, opened at first use and anew after it broke.

    ``timeout_s`` bounds connecting and each answer (``request.timeout.ms`` and its kin); ``log_in``
    comes first where the other broker asks for a login.
    """

    def __init__(
        self,
        broker: int,
        endpoint: BrokerEndpoint,
        client_id: str,
        timeout_s: float,
        log_in: LogIn | None = None,
        *,
        tls: Callable[[], ssl.SSLContext | None] | None = None,
    ) -> None:
        self._tls = tls
        self.broker = broker
        self.endpoint = endpoint
        self._client_id = client_id
        self._timeout_s = timeout_s
        self._wire: _Wire | None = None
        self._opening: asyncio.Lock = asyncio.Lock()
        self._asked = 0
        self._log_in = log_in
        self._renew_at: float | None = None
        """When the login has to be renewed, by the loop's clock."""

    async def ask(
        self, request: object, version: int, answer: type[T], *, timeout_s: float | None = None
    ) -> T:
        """The answer to one request. Raises ConnectError if none comes.

        Bytes in the answer are views of memory that belongs to it.
        """
        seconds = self._timeout_s if timeout_s is None else timeout_s
        try:
            async with asyncio.timeout(seconds):
                return await self._ask_on(await self._open(), request, version, answer)
        except TimeoutError:
            self.close()
            name = type(request).__name__
            raise ConnectError(f"{self}: no answer to {name} within {seconds:g} s") from None
        except WireError as error:
            self.close()
            raise ConnectError(str(error)) from error

    async def _ask_on(self, wire: _Wire, request: object, version: int, answer: type[T]) -> T:
        if wire.transport is None:
            raise ConnectError(f"{self} hung up")
        future: asyncio.Future[bytearray] = asyncio.get_running_loop().create_future()
        self._asked += 1
        data = frame.encode_request(request, version, self._asked, self._client_id)
        wire.waiting.append((self._asked, future))
        wire.transport.write(data)
        return frame.decode_response(answer, version, await future)[1]

    async def _open(self) -> _Wire:
        async with self._opening:
            wire = self._wire
            if wire is not None and wire.transport is not None:
                if self._renew_at is not None and self._renew_at <= _now():
                    await self._prove_ourselves(wire)
                return wire
            host, port = self.endpoint.host, self.endpoint.port
            loop = asyncio.get_running_loop()
            context = None if self._tls is None else self._tls()
            try:
                _, wire = await loop.create_connection(
                    lambda: _Wire(str(self)), host, port, ssl=context
                )
            except OSError as error:
                raise ConnectError(f"{self}: {_reason(error)}") from None
            self._wire = wire
            await self._prove_ourselves(wire)
            return wire

    async def _prove_ourselves(self, wire: _Wire) -> None:
        """Log in where that is asked for; what is under way goes on meanwhile."""
        if self._log_in is None:
            return

        def ask(request: object, version: int, answer: type[T]) -> Awaitable[T]:
            return self._ask_on(wire, request, version, answer)

        try:
            lifetime_ms = await self._log_in(ask, self.endpoint.host)
        except ConnectError as error:
            self.close()
            raise ConnectError(f"{self}: {error}") from None
        self._renew_at = _now() + EARLY * lifetime_ms / 1000 if lifetime_ms else None

    def close(self) -> None:
        """Hang up; who waits for an answer gets a ConnectError."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.connection_lost(None)

    def __str__(self) -> str:
        return f"broker {self.broker} at {self.endpoint.host}:{self.endpoint.port}"
