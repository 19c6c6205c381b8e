"""One socket: an asyncio transport of which a client's connection needs nothing else.

It is read by the :class:`~.poller.SocketPoller`, which also ends what was begun here: what the
socket did not take goes out when there is room.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any

import pykafka_ops.broker.runtime.sockets.plain.raw as at
from pykafka_ops.broker.hot.serving import SocketHead

HIGH = 64 * 1024
"""Bytes that may wait before the protocol is asked to pause, unless it says another number."""


class PoolHead:
    """The memory that all clients are read into, ``next_size`` bytes at a time."""

    __slots__ = ("next_size",)

    next_size: int


class PlainTransport(SocketHead):
    """``sock`` is connected and does not block; ``epoll`` waits for it. ``forget`` is called with
    the descriptor when it is about to be closed.

    ``reads`` while what comes is wanted, ``behind`` while something waits to be sent.
    """

    __slots__ = (
        "_epoll",
        "_forget",
        "_high",
        "_left",
        "_loop",
        "_paused",
        "_peer",
        "_socket",
        "_watched",
        "behind",
        "ended",
        "fd",
        "protocol",
        "reads",
    )

    def __init__(
        self,
        sock: socket.socket,
        peer: tuple[str, int],
        loop: asyncio.AbstractEventLoop,
        epoll: Any,
        forget: Callable[[int], None],
    ) -> None:
        self.closing = self.corked = self.behind = self.ended = False
        self.held = None
        self.reads = True
        self.fd = sock.fileno()
        self.protocol: Any = None
        self._socket = sock
        self._peer = peer
        self._loop = loop
        self._epoll = epoll
        self._forget = forget
        self._left = bytearray()
        """What the socket did not take yet."""
        self._high = HIGH
        self._paused = False
        self._watched = 0
        with contextlib.suppress(OSError):  # gone already: reading finds out
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    # -- asyncio.Transport -------------------------------------------------------------------------

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """``peername``, ``sockname`` or ``socket``."""
        if name == "peername":
            return self._peer
        if name == "socket":
            return self._socket
        return self._socket.getsockname() if name == "sockname" else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The protocol pauses when more than ``high`` bytes wait, and goes on below a quarter."""
        self._high = HIGH if high is None else high

    def get_write_buffer_size(self) -> int:
        """Bytes that wait to be sent."""
        return len(self._left) + (0 if self.held is None else len(self.held))

    def is_closing(self) -> bool:
        """Whether nothing more is read or taken."""
        return self.closing

    def write(self, data: bytes) -> None:
        """Send ``data``, or as much as the socket takes now and the rest later."""
        if self.closing:
            return
        if self.corked:
            self.held = data if self.held is None else self.held + data
            if len(self.held) > self._high:
                self._let_out()
        else:
            self._send(data)

    def pause_reading(self) -> None:
        """Read nothing more for now."""
        self.reads = False

    def resume_reading(self) -> None:
        """Read on."""
        if not self.closing:
            self.reads = True
            self.watch()

    def close(self) -> None:
        """Close when all is sent that was written."""
        self.reads = False
        if not self.closing:
            self.closing = True
            if self.held is None and not self.behind:
                self.end(None)

    def abort(self) -> None:
        """Close at once."""
        self.end(None)

    # -- what the poller asks for ------------------------------------------------------------------

    def watch(self) -> None:
        """Have the socket waited for, for what it is good for now."""
        wanted = 0 if self.ended else self.reads * at.IN + self.behind * at.OUT
        watched = self._watched
        if wanted == watched:
            return
        self._watched = wanted
        if not watched:
            self._epoll.register(self.fd, wanted)
        elif wanted:
            self._epoll.modify(self.fd, wanted)
        else:  # with no flag it would still report that the client has gone
            self._epoll.unregister(self.fd)

    def uncork(self) -> None:
        """Send what was held back."""
        self.corked = False
        if self.held is not None:
            self._let_out()

    def _let_out(self) -> None:
        held, self.held = self.held, None
        assert held is not None
        self._send(held)
        if self.closing and not self.behind:
            self.end(None)

    def _send(self, data: bytes) -> None:
        if not self.behind:
            try:
                done = at.send(self.fd, data)
            except OSError as error:
                self.end(error)
                return
            if done == len(data):
                return
            data = data[done:]
        self._left += data
        self.behind = True
        self.watch()
        if not self._paused and len(self._left) > self._high:
            self._paused = True
            self.protocol.pause_writing()

    def send_on(self) -> None:
        """There is room: send what waits for it."""
        left = self._left
        try:
            del left[: at.send(self.fd, bytes(left[: at.PIECE]))]
        except OSError as error:
            self.end(error)
            return
        self.behind = len(left) > 0
        if self._paused and 4 * len(left) <= self._high:
            self._paused = False
            self.protocol.resume_writing()
        if self.closing and not self.behind:
            self.end(None)
        self.watch()

    def end_of_input(self) -> None:
        """The client sends nothing more."""
        self.reads = False
        if self.protocol.eof_received():
            self.watch()
        else:
            self.close()

    def end(self, error: Exception | None) -> None:
        """Close at once, because of an error if there is one; the protocol is told in the loop's
        next turn."""
        self.closing = True
        self.reads = self.behind = False
        self.held = None
        self._left.clear()
        if not self.ended:
            self.ended = True
            self.watch()
            self._loop.call_soon(self._leave, error)

    def _leave(self, error: Exception | None) -> None:
        protocol, self.protocol = self.protocol, None
        self._forget(self.fd)
        try:
            protocol.connection_lost(error)
        finally:
            self._socket.close()
