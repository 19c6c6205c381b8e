"""One client connection: cuts frames, has them served in turn, keeps answers in order.

Counterpart of ``SocketServer.Processor`` with Kafka's muting: the next request of a
connection is looked at when the one before has been answered, and as long as its client is over
a quota none is. Whatever can be answered now is answered inside
:meth:`Connection.buffer_updated`, without a task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from struct import Struct
from typing import Any, Protocol, cast

from pykafka_ops.broker.hot.frames import FramesHead
from pykafka_ops.broker.hot.serving import SocketHead
from pykafka_ops.broker.runtime.sockets.buffers import BufferPool, FrameBuffer
from pykafka_ops.broker.runtime.sockets.channel import FrameServer
from pykafka_ops.broker.runtime.sockets.dispatch import Dispatch
from pykafka_ops.broker.runtime.sockets.outgoing import WHOLE, Behind, Outgoing
from pykafka_ops.broker.runtime.sockets.turns import Turns
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.wire.types import Part

log = logging.getLogger("kafka.network.SocketServer")

LENGTH = Struct(">i")
MIN_FRAME = 8
"""A request header without a client id."""
OWN_MEMORY = 32 * 1024
"""A frame above this size gets memory of its own while it arrives."""
LEAST_PROGRESS = 4096
"""Bytes of a frame between two sweeps that count as activity: a trickle does not."""


class Shared(Protocol):
    """What all connections of a broker have in common."""

    pool: BufferPool
    turns: Turns
    memory: Memory
    max_request_bytes: int
    dispatch: Dispatch

    def exchange(self, connection: Connection) -> FrameServer:
        """What serves the requests of one."""

    def admit(self, connection: Connection) -> None:
        """A connection is made."""

    def forget(self, connection: Connection) -> None:
        """It is closed."""

    def relieve(self) -> None:
        """Answers that wait hold too much memory: close connections."""

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call back when others have had their turn."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back after a while."""

    def spawn(self, work: Coroutine[Any, Any, object]) -> object:
        """Have a coroutine run."""


class Connection(FramesHead, asyncio.BufferedProtocol):
    """Protocol object of one socket; ``server`` holds what all connections share.

    ``busy`` while the request it is at waits for its answer, or its client for its turn;
    ``least_frame`` and ``most_frame`` bound the bytes of a frame that ``exchange`` serves.
    """

    __slots__ = (
        "_frame_mark",
        "_muted",
        "_outgoing",
        "_server",
        "behind",
        "client_host",
        "identity",
        "listener",
        "transport",
    )

    def __init__(self, server: Shared, listener: str) -> None:
        self._server = server
        self.pool, self.turns = server.pool, server.turns
        self.listener = listener
        self.least_frame, self.most_frame = MIN_FRAME, server.max_request_bytes
        self.behind = Behind(server.memory.answers)
        self.transport: asyncio.Transport | None = None
        self.socket = self.serving = None
        self._outgoing: Outgoing | None = None
        self.tail: bytearray | None = None
        self.charged = 0  # bytes of ``tail`` that do not count with answers
        self.large: FrameBuffer | None = None
        self._frame_mark = 0
        self.busy = self.closing = self.paused_reading = False
        self._muted: asyncio.TimerHandle | None = None
        self.writable = self.served = True
        self.received_bytes = self.identity = 0
        self.client_host = ""
        self.exchange: FrameServer = server.exchange(self)

    # -- asyncio.BufferedProtocol ------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register."""
        self.transport = cast(asyncio.Transport, transport)
        known: object = transport  # for mypy no SocketHead is a transport of asyncio
        self.socket = known if isinstance(known, SocketHead) else None
        peer = transport.get_extra_info("peername")
        self.client_host = peer[0] if isinstance(peer, tuple) else ""
        self._server.admit(self)
        self._outgoing = Outgoing(
            self.transport,
            self.turns,
            read_aside=self._read_aside,
            go_on=lambda: self._send(Outgoing.write_on),
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget everything about this client."""
        self.closing = True
        self.transport = self.socket = self._outgoing = None
        self._drop_input()
        self.behind.release()
        self.exchange.close()
        if self._muted is not None:
            self._muted.cancel()
        self._server.forget(self)

    def eof_received(self) -> bool:
        """Half-closed sockets are closed, as Kafka does."""
        return False

    def pause_writing(self) -> None:
        """The client reads too slowly: serve nothing more until it has caught up."""
        self.writable = False
        if self._outgoing is not None:
            self._outgoing.paused = True
            self._weigh(self._outgoing)

    def resume_writing(self) -> None:
        """Go on with what was left waiting."""
        if self._outgoing is not None:
            self._outgoing.paused = False
        self._send(Outgoing.write_on)

    # -- frames --------------------------------------------------------------------------------

    def received(self, nbytes: int) -> None:
        """Bytes of a large frame, or behind what is kept from before."""
        frame = self.large
        if frame is not None:
            frame.filled += nbytes
            if frame.complete:
                self._frame_arrived(frame)
            elif frame.full and not self.pool.grow(frame, self.resume):
                self._pause_reading()
            return
        data = self.pool.shared_view[:nbytes]
        if self.tail is None:
            self.cut(data)
        else:
            self.tail += data
            self._cut_tail(self.tail)

    def _frame_arrived(self, frame: FrameBuffer) -> None:
        self.large = None
        whole = memoryview(frame.data)[: frame.size]
        try:
            if self.busy or not self.writable:
                self._hold(LENGTH.pack(frame.size))
                self._hold(whole)
            else:
                self.served = True
                self.exchange.serve(whole)
        finally:
            self.pool.give_back(frame)

    def _cut_tail(self, tail: bytearray) -> None:
        """Serve from bytes kept earlier; they are swapped out so that nothing pins them."""
        self.tail = None
        self.cut(memoryview(tail))

    def let_others(self) -> None:
        """Go on when they were served."""
        self.busy = True
        self._server.call_soon(self._next_turn)

    def begin(self, size: int, data: memoryview, start: int) -> int:
        """A large frame gets memory of its own; of any other what is there is kept."""
        if size <= OWN_MEMORY:
            return start - LENGTH.size
        self.large = self.pool.take(size, data[start:])
        self._frame_mark = self.large.filled
        return len(data)

    def left_over(self, data: memoryview, position: int) -> None:
        """Keep what was not served."""
        if position < len(data) and not self.closing:
            self._hold(data[position:])
        elif self.charged:
            self._charge(0)

    def _next_turn(self) -> None:
        """Go on after a burst, while others were served, or after a break."""
        self._muted = None
        self.busy = False
        self.resume()

    def _hold(self, data: bytes | memoryview) -> None:
        tail = self.tail = bytearray() if self.tail is None else self.tail
        tail += data
        if self.busy or not self.writable:
            self._pause_reading()
        if self.writable or self._outgoing is None:
            self._charge(len(tail))
        else:
            self._weigh(self._outgoing)

    def _charge(self, size: int) -> None:
        self.pool.charge(size - self.charged)
        self.charged = size

    def _pause_reading(self) -> None:
        if self.transport is not None and not self.paused_reading:
            self.paused_reading = True
            self.transport.pause_reading()

    def resume(self) -> None:
        """Serve what is held and read on, unless something else stands in the way."""
        if self.busy or self.closing or not self.writable:
            return
        if self.tail is not None:
            try:
                self._cut_tail(self.tail)
            except Exception as error:
                self.refuse(error)
                return
        if self.busy or self.closing or not self.writable or self.transport is None:
            return
        if self.paused_reading and not (self.large is not None and self.large.parked):
            self.paused_reading = False
            self.transport.resume_reading()

    # -- what the exchange asks for ------------------------------------------------------------

    def write(self, data: bytes) -> None:
        """Send the bytes of an answer, unless the client has hung up."""
        transport = self.transport
        if transport is not None and not transport.is_closing():
            transport.write(data)

    def writelines(self, parts: list[Part], size: int) -> None:
        """Send an answer of ``size`` bytes that consists of several parts, likewise."""
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        if size <= WHOLE:
            transport.write(b"".join(cast(list[bytes], parts)))
        else:
            self._send(Outgoing.add, parts, size)

    def _send(self, write: Callable[..., None], *what: object) -> None:
        """Go on sending; when all is sent, with what the client sent meanwhile."""
        outgoing = self._outgoing
        if outgoing is None:
            return
        waited = not self.writable
        try:
            write(outgoing, *what)
        except OSError as error:
            log.error("closing connection from %s: its records: %s", self.client_host, error)
            self.abort()
            return
        self.writable = outgoing.is_done
        if waited or not self.writable:
            self._weigh(outgoing)
        if waited:
            self.served = True
            if self.writable and self.closing:
                self.close()
            self.resume()

    def _weigh(self, outgoing: Outgoing) -> None:
        """Count what waits for the client, its requests behind that too."""
        tail, done = 0 if self.tail is None else len(self.tail), outgoing.is_done
        self._charge(tail if done else 0)
        held = 0 if done else outgoing.held + tail
        if not self.behind.note(held, self._server.dispatch.timer()):
            self._server.relieve()

    def _read_aside(self, read: Callable[[], bytes]) -> None:
        self._server.spawn(self._read_on(read))

    async def _read_on(self, read: Callable[[], bytes]) -> None:
        """Send records that have to be read from the disk; others are served meanwhile."""
        try:
            data = await self._server.dispatch.services.run_in_thread(read)
        except OSError as error:
            log.error("closing connection from %s: its records: %s", self.client_host, error)
            self.abort()
        else:
            self._send(Outgoing.was_read, data)

    def leave_alone(self, ms: int) -> None:
        """The client is over a quota: serve nothing more for so long."""
        self.busy = True
        self._muted = self._server.call_later(ms / 1000, self._next_turn)

    # -- the end -------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether it did something since the last :meth:`sweep`."""
        return self.busy or self.served or self.received_bytes >= LEAST_PROGRESS

    def sweep(self) -> None:
        """Called twice in the longest idle time: close what did nothing since the last call.

        One that was closed then, and whose client does not take its last answers, is cut off.
        """
        if self.closing:
            self.abort()
        elif self.is_active:
            self.served = False
            self.received_bytes = 0
        else:
            self.close()

    def sweep_stalled(self) -> None:
        """Called while others wait for memory: close if a large frame makes no progress."""
        frame = self.large
        if frame is None or frame.parked:
            return
        if frame.filled - self._frame_mark < LEAST_PROGRESS:
            log.warning("closing connection from %s: its request stalls", self.client_host)
            self.close()
        self._frame_mark = frame.filled

    def refuse(self, error: BaseException) -> None:
        """Close because of what the client sent, or because there is no answer to it."""
        self.exchange.refused(error)

    def close(self) -> None:
        """Close after what is written has gone out; nothing more is served."""
        self.closing = True
        self._drop_input()
        if self.transport is not None and (self._outgoing is None or self._outgoing.is_empty):
            self.transport.close()

    def abort(self) -> None:
        """Close at once."""
        self.closing = True
        self.behind.release()
        if self.transport is not None:
            self.transport.abort()

    def _drop_input(self) -> None:
        self.tail = None
        self._charge(0)
        if self.large is not None:
            frame, self.large = self.large, None
            self.pool.give_back(frame)
