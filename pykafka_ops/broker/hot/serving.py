"""From a frame to its answer, for requests that look like one before.

:class:`Serving` asks each shape that it knows; one of them has the answer in bytes for most
requests, which are counted where the broker serves metrics. Where that comes later, it waits for
it. It leaves to the exchange what is unusual: requests of no known shape, answers that are not
bytes, and every request while somebody measures: a client has a quota, an observer is there, a
request is to be timed, or was not answered at once and is to be counted.
"""

from __future__ import annotations

from typing import Any

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.deferred import Deferred

DECLINED = object()
"""The answer of a shape to a request that has it, but is to be read field by field."""


class CountHead:
    """Requests of one API in one version; ``sure`` counts answers without an error."""

    __slots__ = ("requests", "sure")

    requests: int
    sure: int


class QuotasHead:
    """Whether there are quotas: ``version`` is not 0."""

    __slots__ = ("version",)

    version: int


class SocketHead:
    """A transport. While it is ``corked`` answers go out together in the end: ``held`` has them."""

    __slots__ = ("closing", "corked", "held")

    closing: bool
    corked: bool
    held: bytes | None


class ChannelHead:
    """A connection, as far as answers need it: it is ``busy`` while its request waits; ``tail`` is
    what it has sent behind that. ``socket`` is its transport, None where it is none of those."""

    __slots__ = ("busy", "closing", "paused_reading", "socket", "tail")

    busy: bool
    closing: bool
    paused_reading: bool
    socket: SocketHead | None
    tail: bytearray | None


class Shape:
    """What the requests of one client have in common. ``context`` is that of the first: who asks,
    in which version; ``key`` the number that API and version are; ``held`` the bytes of memory that
    it takes, about; ``codes`` how many error codes, all of them NONE, an answer has that is bytes;
    ``count`` what counts its requests, if something does; ``after`` the shape to ask next."""

    __slots__ = ("after", "codes", "context", "count", "held", "key")

    after: Shape | None
    codes: int
    context: Any
    count: CountHead | None
    held: int
    key: int

    def answer(self, frame: memoryview) -> object:
        """The answer to a request of this shape; None, and nothing is done, if it has another.

        Bytes are a whole response without tagged fields (empty: there is none); else a message or
        a Deferred, as of a handler, or DECLINED, and nothing is done.
        """
        raise NotImplementedError

    def answer_in(self, data: memoryview, start: int, room: memoryview) -> object:
        """The same for what is compiled: ``room`` is the frame, which begins at ``start`` of
        ``data``. To have it as an object costs as much as to read it."""
        return self.answer(data[start : start + len(room)])


class Serving:
    """The requests of a connection. ``first`` is the shape to ask first; ``due`` has for each API
    which of the next requests is to be timed (1: this one; 0: none), None where none ever is.
    ``waiting`` is what the request that it is at waits for, ``asked`` its shape and
    ``correlation_id`` its own, if it was served by :meth:`wait`."""

    __slots__ = (
        "asked", "channel", "correlation_id", "due", "first", "observers", "quotas", "waiting",
    )  # fmt: skip

    asked: Shape | None
    channel: Any
    correlation_id: int
    due: bytearray | None
    first: Shape | None
    observers: list[Any]
    quotas: QuotasHead
    waiting: Any

    def serve(self, frame: memoryview) -> None:
        """Answer a request, or begin to. Raises WireError for what is none, or has no answer."""
        answer = self.serve_in(frame, 0, frame)
        if answer is not None:
            self.channel.write(answer)

    def serve_in(self, data: memoryview, start: int, room: memoryview) -> bytes | None:
        """The answer, if it is left to send; ``room`` is the frame, which begins at ``start`` of
        ``data``. Raises WireError."""
        quotas: QuotasHead = self.quotas
        if quotas.version or self.observers or (self.due is not None and self.is_timed(room)):
            self.serve_measured(data[start : start + len(room)])
            return None
        key, shape = at.length(room, 0), self.first
        while shape is not None:
            answer: object = None
            if shape.key == key:  # a consumer's connection knows requests of some APIs
                answer = shape.answer_in(data, start, room) if at.COMPILED else shape.answer(room)
            if answer is None:
                shape = shape.after
                continue
            if type(answer) is not bytes or not answer:
                if self.due is None and isinstance(answer, Deferred) and self.wait(answer):
                    self.asked, self.correlation_id = shape, at.length(room, 4)
                else:
                    self.go_on(shape, answer, data[start : start + len(room)])
                return None
            count = shape.count
            if count is not None:
                count.requests += 1
                count.sure += shape.codes
            return answer
        self.read(data[start : start + len(room)])
        return None

    def wait(self, promise: Deferred) -> bool:
        """Send the answer when it comes, and serve nothing before; False, and nothing is done, if
        it is there, or the connection is none that can."""
        if promise.done or not isinstance(self.channel, ChannelHead):
            return False
        channel: ChannelHead = self.channel
        channel.busy = True
        self.waiting = promise
        promise.then(self.late)
        return True

    def late(self, answer: object) -> None:
        """The answer that was waited for; then the requests behind it.

        The caller is at work for another client: nothing is raised.
        """
        channel: ChannelHead = self.channel
        if type(answer) is not bytes or not answer or channel.closing:
            self.go_on_late(answer)
            return
        channel.busy = False
        self.asked = self.waiting = None
        sock = channel.socket
        if sock is not None and sock.corked and sock.held is None and not sock.closing:
            sock.held = answer
        else:
            try:
                self.channel.write(answer)
            except Exception as error:
                self.channel.refuse(error)
        if channel.tail is not None or channel.paused_reading:
            self.channel.resume()

    def is_timed(self, room: memoryview) -> bool:
        """Whether the request is to be timed; if not yet, one of the next is, one sooner."""
        due, key = self.due, at.api(room)
        assert due is not None
        left = due[key]
        if left > 1:
            due[key] = left - 1
        return left == 1

    def serve_measured(self, frame: memoryview) -> None:
        """As :meth:`serve`, while somebody measures."""
        raise NotImplementedError

    def go_on(self, shape: Shape, answer: object, frame: memoryview) -> None:
        """The answer of a shape is none that can just be sent."""
        raise NotImplementedError

    def go_on_late(self, answer: object) -> None:
        """The answer that was waited for is none that can just be sent. Raises nothing."""
        raise NotImplementedError

    def read(self, frame: memoryview) -> None:
        """Serve a request of no known shape. Raises WireError."""
        raise NotImplementedError
