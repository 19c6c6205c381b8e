"""Requests sent ahead of their answers, on a connection that is open: brokers answer in order.

Nothing here waits: ``handle`` does what the socket allows now, ``turn`` waits for the first of many
sockets. Long answers are received into one buffer, long parts of requests are sent uncopied.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final, NamedTuple

from pykafka_ops.client.connection import (
    LIMIT,
    BrokerConnection,
    DisconnectedError,
    RequestTimeoutError,
    WrongProtocolError,
)
from pykafka_ops.errors import PkoError
from pykafka_ops.wire import frame
from pykafka_ops.wire.types import Buffer

FIRST_ROOM: Final = 1 << 20
"""Bytes that a long answer is given at first; the rest as it comes."""
_PARTS: Final = 512
"""Buffers given to one system call; systems take 1024."""


class PipeAnswer(NamedTuple):
    """A decoded answer, with what the sender noted about its request."""

    about: Any
    message: Any


class _Asked(NamedTuple):
    correlation: int
    answer: type[Any]
    version: int
    about: Any
    until: float


class Pipe:
    """One connection; ``close`` when done. ``answers`` holds what has come, the oldest first."""

    def __init__(self, connection: BrokerConnection) -> None:
        self.connection = connection
        self.answers: deque[PipeAnswer] = deque()
        self._asked: deque[_Asked] = deque()
        self._out: deque[memoryview] = deque()
        self._head = bytearray()
        self._body: bytearray | None = None
        self._have = self._size = 0
        self._tls = connection.config.tls

    @property
    def pending(self) -> int:
        """Requests that are not answered yet."""
        return len(self._asked)

    @property
    def sending(self) -> bool:
        """Whether a request waits for the socket to take it."""
        return bool(self._out)

    @property
    def notes(self) -> list[Any]:
        """What was noted about each request that is not answered yet, the oldest first."""
        return [asked.about for asked in self._asked]

    def fileno(self) -> int:
        """Of its socket; -1 once it is closed."""
        try:
            return self.connection.sock.fileno()
        except DisconnectedError:
            return -1

    def close(self) -> None:
        """Close the connection; what is pending will not be answered."""
        self.connection.close()

    def send(
        self,
        request: Any,
        answer: type[Any],
        about: Any = None,
        *,
        lowest: int = 0,
        highest: int = 0x7FFF,
        patience: float = 0.0,
    ) -> None:
        """Ask, without waiting; ``patience``: seconds until an answer must have come, beyond
        request.timeout.ms. Raises ConnectError, UnsupportedVersionError."""
        connection = self.connection
        version = connection.version_for(type(request), lowest, highest)
        connection.asked += 1
        name = connection.config.client_id
        parts = frame.request_parts(request, version, connection.asked, name)
        until = time.monotonic() + connection.config.request_timeout + patience
        self._asked.append(_Asked(connection.asked, answer, version, about, until))
        self._out.extend(memoryview(part) for part in parts if isinstance(part, Buffer) and part)
        self._write()

    def handle(self) -> None:
        """Send and receive what can be without waiting.

        Raises DisconnectedError, and WireError for an answer that cannot be read.
        """
        self._write()
        self._read()

    def overdue(self) -> None:
        """Raise RequestTimeoutError where an answer should have come by now."""
        if self._asked and time.monotonic() > self._asked[0].until:
            raise RequestTimeoutError(f"{self.connection.address}: no answer in time")

    def _write(self) -> None:
        sock, out = self.connection.sock, self._out
        try:
            while out:
                sent = sock.send(out[0]) if self._tls else sock.sendmsg(islice(out, _PARTS))
                while sent:
                    if sent < len(out[0]):
                        out[0] = out[0][sent:]
                        break
                    sent -= len(out.popleft())
        except OSError as error:
            self._waits_or_raises(error)

    def _read(self) -> None:
        sock = self.connection.sock
        try:
            while True:
                if self._body is None:
                    got = sock.recv(4 - len(self._head))
                    if not got:
                        raise DisconnectedError(f"{self.connection.address}: the broker hung up")
                    self._head += got
                    if len(self._head) == 4:
                        self._begin()
                    continue
                with memoryview(self._body) as view, view[self._have :] as room:
                    count = sock.recv_into(room)
                if not count:
                    raise DisconnectedError(f"{self.connection.address}: the broker hung up")
                self._have += count
                if self._have == self._size:
                    self._end(self._body)
                elif self._have == len(self._body):  # grows by what came, not by what was said
                    self._body.extend(bytes(min(self._have, self._size - self._have)))
        except OSError as error:
            self._waits_or_raises(error)

    def _begin(self) -> None:
        size = int.from_bytes(self._head, "big", signed=True)
        if not 4 <= size <= LIMIT or not self._asked:
            raise WrongProtocolError(f"{self.connection.address}: an answer of {size} bytes")
        self._size, self._have = size, 0
        self._body = bytearray(min(size, FIRST_ROOM))

    def _end(self, body: bytearray) -> None:
        self._head.clear()
        self._body = None
        asked = self._asked.popleft()
        got, message = frame.decode_response(asked.answer, asked.version, body)
        if got != asked.correlation:
            raise WrongProtocolError(
                f"{self.connection.address}: an answer to a question that was not asked"
            )
        self.answers.append(PipeAnswer(asked.about, message))

    def _waits_or_raises(self, error: OSError) -> None:
        if isinstance(error, BlockingIOError):
            return
        if type(error).__name__ in ("SSLWantReadError", "SSLWantWriteError"):
            return
        text = error.strerror or str(error)
        raise DisconnectedError(f"{self.connection.address}: {text}") from None


def turn(pipes: Iterable[Pipe], seconds: float) -> list[tuple[Pipe, PkoError]]:
    """Wait until a pipe can go on, at most so long, and let those go on that can.

    Those that broke, and why; anything that is no PkoError is raised.
    """
    poll = select.poll()
    by_fd: dict[int, Pipe] = {}
    for pipe in pipes:
        fd = pipe.fileno()
        if fd >= 0:
            by_fd[fd] = pipe
            poll.register(fd, select.POLLIN | (select.POLLOUT if pipe.sending else 0))
    broken: list[tuple[Pipe, PkoError]] = []
    ready = {fd for fd, _ in poll.poll(max(0.0, seconds) * 1000)}
    for fd, pipe in by_fd.items():
        if fd in ready or pipe.pending:
            try:
                if fd in ready:
                    pipe.handle()
                pipe.overdue()
            except PkoError as error:
                pipe.close()
                broken.append((pipe, error))
    return broken
