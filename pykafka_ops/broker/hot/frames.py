"""From received bytes to frames: cuts off what is whole, and has it served where it stands.

It leaves to the connection what is unusual: the rest of a frame that is not whole, a large frame
that is arriving, bytes kept from before, a client that has had its turn.
"""

from __future__ import annotations

from typing import Any

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.serving import ChannelHead, Serving
from pykafka_ops.errors import FrameSizeError


class FramesHead(ChannelHead):
    """The input of a connection. What is left over stands in ``tail`` (None: nothing), of which
    ``charged`` bytes are counted; ``large`` is a large frame that is arriving. ``serving`` is the
    last ``exchange`` that could be."""

    __slots__ = (
        "charged", "exchange", "large", "least_frame", "most_frame", "pool", "received_bytes",
        "served", "serving", "turns", "writable",
    )  # fmt: skip

    charged: int
    exchange: Any
    large: Any
    least_frame: int
    most_frame: int
    pool: Any
    received_bytes: int
    served: bool
    serving: Serving | None
    turns: Any
    writable: bool

    def get_buffer(self, sizehint: int) -> memoryview:
        """Some of the shared buffer, or the rest of the large frame that is arriving."""
        found: memoryview = self.pool.next_view if self.large is None else self.large.room()
        return found

    def buffer_updated(self, nbytes: int) -> None:
        """Serve every frame that is whole now."""
        data = self.pool.shared_view
        self.take(nbytes, data, data)

    def take(self, nbytes: int, data: memoryview, room: memoryview) -> None:
        """The same; ``room`` and ``data`` are the shared buffer."""
        self.received_bytes += nbytes
        try:
            if self.large is None and self.tail is None:
                self.cut_in(data, room[:nbytes])
            else:
                self.received(nbytes)
        except Exception as error:
            self.refuse(error)

    def cut(self, data: memoryview) -> None:
        """Serve whole frames of ``data`` in place and keep what is left over."""
        self.cut_in(data, data)

    def cut_in(self, data: memoryview, room: memoryview) -> None:
        """The same for what is compiled: ``room`` is what ``data`` begins with, and as much as
        there is."""
        position, end, served, look = 0, len(room), 0, at.LOOK
        while end - position >= 4:
            if self.busy or self.closing or not self.writable:
                break
            if served == look:
                look = self.turns.look_again(served)
                if not look:
                    self.let_others()
                    break
            served += 1
            size = at.length(room, position)
            if size < self.least_frame or size > self.most_frame:
                raise FrameSizeError(f"frame of {size} bytes")
            start = position + 4
            if end - start < size:
                position = self.begin(size, data[:end], start)
                break
            position = start + size
            self.served = True
            if at.COMPILED:
                self.serve_in(data, start, room[start:position])
            else:
                self.exchange.serve(data[start:position])
        if position < end or self.charged:
            self.left_over(data[:end], position)

    def serve_in(self, data: memoryview, start: int, room: memoryview) -> None:
        """Serve the frame ``room``, which begins at ``start`` of ``data``."""
        exchange = self.exchange  # a login changes it
        if exchange is not self.serving:
            if not isinstance(exchange, Serving):
                exchange.serve(data[start : start + len(room)])
                return
            self.serving = exchange
        answer = self.serving.serve_in(data, start, room)
        if answer is not None:
            sock = self.socket
            if sock is not None and sock.corked and sock.held is None and not sock.closing:
                sock.held = answer
            else:
                self.serving.channel.write(answer)

    def received(self, nbytes: int) -> None:
        """Bytes came that do not begin a frame. Raises what :meth:`refuse` takes."""
        raise NotImplementedError

    def let_others(self) -> None:
        """The client has had its turn: go on when others have had theirs."""
        raise NotImplementedError

    def begin(self, size: int, data: memoryview, start: int) -> int:
        """A frame of ``size`` bytes begins at ``start`` that is not whole; from where on ``data``
        has to be kept."""
        raise NotImplementedError

    def left_over(self, data: memoryview, position: int) -> None:
        """What is behind ``position`` was not served."""
        raise NotImplementedError

    def refuse(self, error: BaseException) -> None:
        """Hang up because of what the client sent."""
        raise NotImplementedError
