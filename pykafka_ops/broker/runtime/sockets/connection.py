"""One client connection: cuts frames, serves them in turn, keeps answers in order.

Counterpart of ``SocketServer.Processor`` with Kafka's muting: the next request of a
connection is looked at when the one before has been answered, and as long as its client is over
a quota none is. Whatever can be answered now is answered inside
:meth:`Connection.buffer_updated`, without a task.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from struct import Struct
from typing import TYPE_CHECKING, cast

from pykafka_ops.broker.handlers.meter import Meter, throttled
from pykafka_ops.broker.runtime.sockets.writes import WRITE_HIGH, write_lines
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.errors import WireError

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Context, Shape
    from pykafka_ops.broker.runtime.sockets.buffers import FrameBuffer
    from pykafka_ops.broker.runtime.sockets.server import Request, Server

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
MOST_SHAPES = 4
"""Shapes of requests remembered for a connection: a producer writes to few topics."""


class Connection(asyncio.BufferedProtocol):
    """Protocol object of one socket; ``server`` holds what all connections share."""

    __slots__ = (
        "_busy",
        "_closing",
        "_frame",
        "_frame_mark",
        "_muted",
        "_paused_reading",
        "_received_bytes",
        "_served",
        "_server",
        "_shapes",
        "_tail",
        "_transport",
        "_waiting",
        "_writable",
        "client_host",
        "identity",
        "listener",
    )

    def __init__(self, server: Server, listener: str) -> None:
        self._server = server
        self.listener = listener
        self._shapes: tuple[Shape, ...] = ()
        self._transport: asyncio.Transport | None = None
        self._tail = bytearray()
        self._frame: FrameBuffer | None = None
        self._frame_mark = 0
        self._busy = False
        self._waiting: Deferred | None = None
        self._muted: asyncio.TimerHandle | None = None
        self._writable = True
        self._paused_reading = False
        self._closing = False
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
        self._closing = True
        self._transport = None
        self._drop_input()
        if self._waiting is not None:
            self._waiting.abandon()
            self._waiting = None
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
            self._refuse(error)

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
        self._resume()

    # -- frames --------------------------------------------------------------------------------

    def _received(self, nbytes: int) -> None:
        frame = self._frame
        if frame is not None:
            frame.filled += nbytes
            if frame.complete:
                self._frame_arrived(frame)
            elif frame.full and not self._server.pool.grow(frame, self._resume):
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
            if self._busy or not self._writable:
                self._hold(LENGTH.pack(frame.size))
                self._hold(whole)
            else:
                self._serve(whole)
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
            if self._busy or self._closing or not self._writable:
                break
            if served == BURST:
                self._busy = True
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
            self._serve(data[start:position])
        if position < end and not self._closing:
            self._hold(data[position:end])

    def _next_turn(self) -> None:
        """Go on after a burst, while others were served, or after a break."""
        self._muted = None
        self._busy = False
        self._resume()

    def _hold(self, data: bytes | memoryview) -> None:
        self._tail += data
        if self._busy or not self._writable:
            self._pause_reading()

    def _pause_reading(self) -> None:
        if self._transport is not None and not self._paused_reading:
            self._paused_reading = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        """Serve what is held and read on, unless something else stands in the way."""
        if self._busy or self._closing or not self._writable:
            return
        if self._tail:
            try:
                self._cut_tail()
            except Exception as error:
                self._refuse(error)
                return
        if self._busy or self._closing or not self._writable or self._transport is None:
            return
        if self._paused_reading and not (self._frame is not None and self._frame.parked):
            self._paused_reading = False
            self._transport.resume_reading()

    # -- requests ------------------------------------------------------------------------------

    def _serve(self, frame: memoryview) -> None:
        self._served = True
        server = self._server
        started = server.timer() if server.quotas.version else None
        for shape in self._shapes:
            ready = shape.answer(frame)
            if ready is None:
                continue
            if not isinstance(ready, bytes):
                self._wait(server.read_request(self, frame, started), ready)
            elif started is None:
                self._send(ready, shape.context)
            else:
                self._send_metered(ready, shape.context, frame, started)
            return
        self._handle(server.read_request(self, frame, started))

    def _handle(self, request: Request) -> None:
        """Have a request of no known shape served."""
        learn = len(self._shapes) < MOST_SHAPES
        answer = self._server.call(request, learn=learn)
        if request.shape is not None:
            self._shapes = (*self._shapes, request.shape)
        if type(answer) is Deferred:
            self._wait(request, answer)
        elif isinstance(answer, Coroutine):
            self._busy = True
            if request.context.meter is not None:
                request.context.meter.handled()
            task = self._server.spawn(answer)
            task.add_done_callback(lambda done: self._late_task(request, done))
        else:
            self._respond(request, answer)

    def _send(self, response: bytes, context: Context) -> None:
        """Write what a shape answered."""
        if response:
            self._write([response])
        elif context.close_connection:
            self.close()

    def _send_metered(
        self, response: bytes, context: Context, frame: memoryview, started: float
    ) -> None:
        """Write what a shape answered, where clients have quotas."""
        meter = self._server.meter(context, frame, started)
        throttle_ms = 0 if meter is None else meter.settle(answered=bool(response))
        if throttle_ms and response:
            response = throttled(response, frame, throttle_ms)
        self._send(response, context)
        if meter is not None:
            self._leave_alone(meter, throttle_ms)

    def _respond(self, request: Request, answer: object) -> None:
        """Write an answer; None if there is none."""
        meter = request.context.meter
        throttle_ms = 0 if meter is None else meter.settle(answered=answer is not None)
        if answer is None:
            self._send(b"", request.context)
        else:
            if throttle_ms and hasattr(answer, "throttle_time_ms"):
                answer.throttle_time_ms = throttle_ms
            self._write(self._server.response_parts(request, answer))
        if meter is not None:
            self._leave_alone(meter, throttle_ms)

    def _leave_alone(self, meter: Meter, throttle_ms: int) -> None:
        """The client has its answer; if it is over a quota, serve nothing more for a while."""
        meter.sent()
        if throttle_ms and not self._closing:
            self._busy = True
            self._muted = self._server.call_later(throttle_ms / 1000, self._next_turn)

    def _wait(self, request: Request, answer: Deferred) -> None:
        """The answer comes later; nothing else is served until then."""
        self._busy = True
        self._waiting = answer
        if request.context.meter is not None:
            request.context.meter.handled()
        answer.then(lambda message: self._late(request, message))

    def _late_task(self, request: Request, task: asyncio.Task[object]) -> None:
        """The coroutine of a request is done; it raises only what has no answer."""
        if task.cancelled():
            self.close()
            return
        error = task.exception()
        if error is not None:
            self._refuse(error)
        else:
            self._late(request, task.result())

    def _late(self, request: Request, answer: object) -> None:
        """The answer of a request that had to wait; then the requests behind it.

        Whoever completes the request is at work for somebody else: nothing is raised.
        """
        self._busy = False
        self._waiting = None
        if self._closing or self._transport is None:
            return
        try:
            self._respond(request, answer)
        except Exception as error:
            self._refuse(error)
            return
        self._resume()

    def _write(self, parts: list[bytes | bytearray | memoryview]) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if len(parts) == 1:
            transport.write(parts[0])
        else:
            write_lines(transport, parts)

    # -- the end -------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether it did something since the last :meth:`sweep`."""
        return self._busy or self._served or self._received_bytes >= LEAST_PROGRESS

    def sweep(self) -> None:
        """Called twice in the longest idle time: close what did nothing since the last call.

        One that was closed then, and whose client does not take its last answers, is cut off.
        """
        if self._closing:
            self.abort()
        elif self.is_active:
            self._served = False
            self._received_bytes = 0
        else:
            self.close()

    def sweep_stalled(self) -> None:
        """Called while others wait for memory: close if a large frame does not get on."""
        frame = self._frame
        if frame is None or frame.parked:
            return
        if frame.filled - self._frame_mark < LEAST_PROGRESS:
            log.warning("closing connection from %s: its request stalls", self.client_host)
            self.close()
        self._frame_mark = frame.filled

    def _refuse(self, error: BaseException) -> None:
        unexpected = None if isinstance(error, WireError) else error
        log.warning("closing connection from %s: %s", self.client_host, error, exc_info=unexpected)
        self.close()

    def close(self) -> None:
        """Close after what is written has gone out; nothing more is served."""
        self._closing = True
        self._drop_input()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._closing = True
        if self._transport is not None:
            self._transport.abort()

    def _drop_input(self) -> None:
        self._tail = bytearray()
        if self._frame is not None:
            frame, self._frame = self._frame, None
            self._server.pool.give_back(frame)
