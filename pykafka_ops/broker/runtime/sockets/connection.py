"""One client connection: cuts frames, has them served in turn, keeps answers in order.

Counterpart of ``SocketServer.Processor`` with Kafka's muting: the next request of a
connection is looked at when the one before has been answered, and as long as its client is over
a quota none is. Whatever can be answered now is answered inside
:meth:`Connection.buffer_updated`, without a task.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from struct import Struct
from typing import Protocol, cast

from pykafka_ops.broker.runtime.sockets.buffers import BufferPool, FrameBuffer
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.broker.runtime.sockets.exchange import Exchange
from pykafka_ops.errors import WireError
from pykafka_ops.wire.types import Buffer

log = logging.getLogger("kafka.network.SocketServer")

LENGTH = Struct(">i")
MIN_FRAME = 8
"""A request header without a client id."""
OWN_MEMORY = 32 * 1024
"""A frame above this size gets memory of its own while it arrives."""
BURST = 256
"""Requests of one client served in a row before the others have their turn."""
LEAST_PROGRESS = 4096
"""Bytes of a frame between two sweeps that count as activity: a trickle does not."""
WRITE_HIGH = 1 << 20
"""Bytes that may wait for a client that reads slowly; above, nothing more is served to it."""
FORGETS = (3, 12) <= sys.version_info < (3, 12, 9) or (3, 13) <= sys.version_info < (3, 13, 2)
"""``writelines`` of asyncio's own loop does not pause the protocol when the client does not read
(CVE-2024-12254, gh-127655): we would hold every answer that it asked for. uvloop pauses."""


class Shared(Protocol):
    """What all connections of a broker have in common."""

    pool: BufferPool
    max_request_bytes: int
    dispatch: Dispatch

    def admit(self, connection: Connection) -> None:
        """A connection is made."""

    def forget(self, connection: Connection) -> None:
        """It is closed."""

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back when others have had their turn."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after a while."""


class Connection(asyncio.BufferedProtocol):
    """Protocol object of one socket; ``server`` holds what all connections share.

    ``busy`` while the request it is at waits for its answer, or its client for its turn.
    """

    __slots__ = (
        "_exchange",
        "_frame",
        "_frame_mark",
        "_muted",
        "_paused_reading",
        "_received_bytes",
        "_served",
        "_server",
        "_tail",
        "_transport",
        "_writable",
        "busy",
        "client_host",
        "closing",
        "identity",
        "listener",
    )

    def __init__(self, server: Shared, listener: str) -> None:
        self._server = server
        self.listener = listener
        self._exchange = Exchange(self, server.dispatch)
        self._transport: asyncio.Transport | None = None
        self._tail = bytearray()
        self._frame: FrameBuffer | None = None
        self._frame_mark = 0
        self.busy = False
        self._muted: asyncio.TimerHandle | None = None
        self._writable = True
        self._paused_reading = False
        self.closing = False
        self._served = True
        self._received_bytes = 0
        self.client_host = ""
        self.identity = 0

    # -- asyncio.BufferedProtocol ------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.client_host = peer[0] if isinstance(peer, tuple) else ""
        self._server.admit(self)
        self._transport.set_write_buffer_limits(high=WRITE_HIGH)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything about this client."""
        self.closing = True
        self._transport = None
        self._drop_input()
        self._exchange.drop("abandoned")
        if self._muted is not None:
            self._muted.cancel()
        self._server.forget(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        """The shared buffer, or the rest of the large frame that is arriving."""
        if self._frame is not None:
            return self._frame.room()
        return self._server.pool.shared_view

    def buffer_updated(self, nbytes: int) -> None:
        """Serve every frame that is whole now."""
        self._received_bytes += nbytes
        try:
            self._received(nbytes)
        except Exception as error:
            self.refuse(error)

    def eof_received(self) -> bool:
        """Half-closed sockets are closed, as Kafka does."""
        return False

    def pause_writing(self) -> None:
        """The client reads too slowly: serve nothing more until it has caught up."""
        self._writable = False

    def resume_writing(self) -> None:
        """Go on with what was left waiting."""
        self._writable = True
        self._served = True
        self.resume()

    # -- frames --------------------------------------------------------------------------------

    def _received(self, nbytes: int) -> None:
        frame = self._frame
        if frame is not None:
            frame.filled += nbytes
            if frame.complete:
                self._frame_arrived(frame)
            elif frame.full and not self._server.pool.grow(frame, self.resume):
                self._pause_reading()
            return
        data = self._server.pool.shared_view[:nbytes]
        if self._tail:
            self._tail += data
            self._cut_tail()
        else:
            self._cut(data)

    def _frame_arrived(self, frame: FrameBuffer) -> None:
        self._frame = None
        whole = memoryview(frame.data)[: frame.size]
        try:
            if self.busy or not self._writable:
                self._hold(LENGTH.pack(frame.size))
                self._hold(whole)
            else:
                self._served = True
                self._exchange.serve(whole)
        finally:
            self._server.pool.give_back(frame)

    def _cut_tail(self) -> None:
        """Serve from bytes kept earlier; they are swapped out so that nothing pins them."""
        data = self._tail
        self._tail = bytearray()
        self._cut(memoryview(data))

    def _cut(self, data: memoryview) -> None:
        """Serve whole frames of ``data`` in place and keep what is left over."""
        position, end, served = 0, len(data), 0
        while end - position >= 4:
            if self.busy or self.closing or not self._writable:
                break
            if served == BURST:
                self.busy = True
                self._server.call_soon(self._next_turn)
                break
            served += 1
            (size,) = LENGTH.unpack_from(data, position)
            if size < MIN_FRAME or size > self._server.max_request_bytes:
                raise WireError(f"frame of {size} bytes")
            start = position + 4
            if end - start < size:
                if size > OWN_MEMORY:
                    self._frame = self._server.pool.take(size, data[start:end])
                    self._frame_mark = self._frame.filled
                    return
                break
            position = start + size
            self._served = True
            self._exchange.serve(data[start:position])
        if position < end and not self.closing:
            self._hold(data[position:end])

    def _next_turn(self) -> None:
        """Go on after a burst, while others were served, or after a break."""
        self._muted = None
        self.busy = False
        self.resume()

    def _hold(self, data: bytes | memoryview) -> None:
        self._tail += data
        if self.busy or not self._writable:
            self._pause_reading()

    def _pause_reading(self) -> None:
        if self._transport is not None and not self._paused_reading:
            self._paused_reading = True
            self._transport.pause_reading()

    def resume(self) -> None:
        """Serve what is held and read on, unless something else stands in the way."""
        if self.busy or self.closing or not self._writable:
            return
        if self._tail:
            try:
                self._cut_tail()
            except Exception as error:
                self.refuse(error)
                return
        if self.busy or self.closing or not self._writable or self._transport is None:
            return
        if self._paused_reading and not (self._frame is not None and self._frame.parked):
            self._paused_reading = False
            self._transport.resume_reading()

    # -- what the exchange asks for ------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send the bytes of an answer, unless the client has hung up."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(data)

    def writelines(self, parts: list[Buffer]) -> None:
        """Send an answer that consists of several buffers, likewise."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if len(parts) == 1:
            transport.write(parts[0])
        else:
            transport.writelines(parts)
            if FORGETS:
                transport.set_write_buffer_limits(high=WRITE_HIGH)  # compares what waits with it

    def leave_alone(self, ms: int) -> None:
        """The client is over a quota: serve nothing more for so long."""
        self.busy = True
        self._muted = self._server.call_later(ms / 1000, self._next_turn)

    # -- the end -------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether it did something since the last :meth:`sweep`."""
        return self.busy or self._served or self._received_bytes >= LEAST_PROGRESS

    def sweep(self) -> None:
        """Called twice in the longest idle time: close what did nothing since the last call.

        One that was closed then, and whose client does not take its last answers, is cut off.
        """
        if self.closing:
            self.abort()
        elif self.is_active:
            self._served = False
            self._received_bytes = 0
        else:
            self.close()

    def sweep_stalled(self) -> None:
        """Called while others wait for memory: close if a large frame makes no progress."""
        frame = self._frame
        if frame is None or frame.parked:
            return
        if frame.filled - self._frame_mark < LEAST_PROGRESS:
            log.warning("closing connection from %s: its request stalls", self.client_host)
            self.close()
        self._frame_mark = frame.filled

    def refuse(self, error: BaseException) -> None:
        """Close because of what the client sent, or because there is no answer to it."""
        unexpected = None if isinstance(error, WireError) else error
        log.warning("closing connection from %s: %s", self.client_host, error, exc_info=unexpected)
        self._exchange.drop("refused")
        self.close()

    def close(self) -> None:
        """Close after what is written has gone out; nothing more is served."""
        self.closing = True
        self._drop_input()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self.closing = True
        if self._transport is not None:
            self._transport.abort()

    def _drop_input(self) -> None:
        self._tail = bytearray()
        if self._frame is not None:
            frame, self._frame = self._frame, None
            self._server.pool.give_back(frame)
