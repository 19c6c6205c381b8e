"""The network of the simulation: streams that are late, cut, reset, held; nothing else than TCP.

What one end writes arrives in order or not at all; different connections overtake each other. A
request that was held may arrive after the client has given up, connected anew and asked again.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any

from tests.support.simulated.loop import Life, SimLoop, this_life

Address = tuple[str, int]
NOBODY = Context()
"""What belongs to no process."""


class Listener:
    """A listening socket of the process that makes it."""

    def __init__(self, network: Network, address: Address) -> None:
        self._network = network
        self._address = address
        self._number = network.number()
        self._waiting: deque[End] = deque()
        self._reader: Callable[[], None] | None = None
        self.life = this_life()

    def getsockname(self) -> Address:
        return self._address

    def fileno(self) -> int:
        return self._number

    def listen(self, backlog: int) -> None:
        self._network.listeners[self._address] = self

    def accept(self) -> tuple[End, Address]:
        if not self._waiting:
            raise BlockingIOError
        end = self._waiting.popleft()
        return end, end.getpeername()

    def close(self) -> None:
        self._number = -1
        if self._network.listeners.get(self._address) is self:
            del self._network.listeners[self._address]

    def arrived(self, end: End) -> None:
        """Somebody connects."""
        self._waiting.append(end)
        self._ready()

    def watch(self, reader: Callable[[], None] | None) -> None:
        """Whom to call while somebody waits."""
        self._reader = reader
        self._ready()

    def _ready(self) -> None:
        if self._reader is not None and self._waiting:
            self._reader()
            self._network.loop.call_soon(self._ready, context=self.life.context)


class End(asyncio.Transport):
    """One end of a connection, for the process ``life``."""

    def __init__(self, network: Network, life: Life, peer: str) -> None:
        super().__init__()
        self._network = network
        self.life = life
        self.peer = peer
        self.number = network.number()
        self.other: End | None = None
        self._protocol: Any = None
        self._closing = False
        self._paused = False
        self._inbox: deque[bytes | None] = deque()
        self._under_way: deque[bytes | None] = deque()
        self._arrives_at = 0.0

    # -- a connected socket

    def setblocking(self, flag: bool) -> None:
        """Nothing here blocks."""

    def getpeername(self) -> Address:
        return self.peer, 1

    # -- asyncio.Transport

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.getpeername() if name == "peername" else default

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The network takes everything."""

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._closing

    def write(self, data: Any) -> None:
        if not self._closing:
            self._send(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        if not self._closing:
            self._send(None)
            self._lose(None)

    abort = close

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._network.loop.call_soon(self._read, context=self.life.context)

    # -- the way to the other end

    def _send(self, data: bytes | None) -> None:
        """Bytes, or that the connection is over (None), go to the other end."""
        self._under_way.append(data)
        loop = self._network.loop
        self._arrives_at = max(self._arrives_at, loop.time() + self._network.delay())
        loop.call_at(self._arrives_at, self.pass_on, context=NOBODY)

    def pass_on(self) -> None:
        """The next piece arrives, unless the way is cut: then all wait for its being mended."""
        if not self._under_way or self._network.is_cut(self.life.host, self.peer):
            return
        other, data = self.other, self._under_way.popleft()
        if other is None:
            return
        if other.life.alive:
            self._network.loop.call_soon(other.receive, data, context=other.life.context)
        elif data is not None and self._network.is_up(other.life.host):
            other._send(None)  # nobody is there: a reset comes back

    def flush(self) -> None:
        """The way is mended: what waits arrives, a little later."""
        loop = self._network.loop
        self._arrives_at = max(self._arrives_at, loop.time() + self._network.delay())
        for _ in range(len(self._under_way)):
            loop.call_at(self._arrives_at, self.pass_on, context=NOBODY)

    # -- what arrives

    def attach(self, protocol: Any) -> None:
        """The process has a protocol for it."""
        self._protocol = protocol
        protocol.connection_made(self)
        self._network.loop.call_soon(self._read, context=self.life.context)

    def receive(self, data: bytes | None) -> None:
        """Bytes have arrived, or the other end is gone."""
        if data is not None and len(data) > 1 and self._network.draw.random() < 0.05:
            at = self._network.draw.randrange(1, len(data))
            self._inbox.extend((data[:at], data[at:]))
        else:
            self._inbox.append(data)
        self._read()

    def _read(self) -> None:
        while self._inbox and not self._paused and not self._closing and self._protocol:
            data = self._inbox.popleft()
            if data is None:
                self._lose(ConnectionResetError("reset by peer"))
                return
            view = memoryview(data)
            while view and not self._closing:
                buffer = self._protocol.get_buffer(-1)
                count = min(len(buffer), len(view))
                buffer[:count] = view[:count]
                self._protocol.buffer_updated(count)
                view = view[count:]

    def _lose(self, error: Exception | None) -> None:
        self._closing = True
        self._network.ends.discard(self)
        if self._protocol is not None:
            lost = self._protocol.connection_lost
            self._network.loop.call_soon(lost, error, context=self.life.context)

    def die(self, *, silently: bool) -> None:
        """The process is killed; the system resets its connections, unless that is gone too."""
        self._closing = True
        self._network.ends.discard(self)
        if silently:
            self._under_way.clear()
        else:
            self._send(None)


class Network:
    """All connections. ``slow`` (s) is what is added to most delays."""

    def __init__(self, loop: SimLoop, draw: random.Random) -> None:
        self.loop = loop
        self.draw = draw
        self.slow = 0.0
        self.listeners: dict[Address, Listener] = {}
        self.sockets: dict[int, Listener] = {}
        self.ends: set[End] = set()
        self.cuts: set[tuple[str, str]] = set()
        self._down: set[str] = set()
        self._numbers = itertools.count()
        loop.network = self

    def number(self) -> int:
        """Of the next end."""
        return next(self._numbers)

    def delay(self) -> float:
        """How long the next piece takes (s)."""
        usual = 0.0002 + self.draw.random() * 0.001
        return usual + (self.draw.random() * self.slow if self.slow else 0.0)

    def is_cut(self, sender: str, receiver: str) -> bool:
        """Whether nothing gets from one host to another."""
        return bool(self.cuts) and (sender, receiver) in self.cuts

    def is_up(self, host: str) -> bool:
        """Whether the machine runs."""
        return host not in self._down

    def cut(self, one: str, other: str, *, both: bool = True) -> None:
        """Nothing gets from one to the other, and back, until mended."""
        self.cuts.add((one, other))
        if both:
            self.cuts.add((other, one))

    def mend(self) -> None:
        """All ways are open again."""
        self.cuts.clear()
        for end in self.in_order():
            end.flush()

    def in_order(self) -> list[End]:
        """All ends, the same way in every run."""
        return sorted(self.ends, key=lambda end: end.number)

    def bind(self, host: str, port: int) -> list[Listener]:
        """See ``listeners.bind``."""
        made = Listener(self, (host, port))
        self.sockets[made.fileno()] = made
        return [made]

    def kill(self, life: Life, *, silently: bool = False) -> None:
        """Nothing of a process is left."""
        if silently:
            self._down.add(life.host)
        for end in self.in_order():
            if end.life is life:
                end.die(silently=silently)
        for address, listener in list(self.listeners.items()):
            if listener.life is life:
                del self.listeners[address]

    def start(self, host: str) -> None:
        """The machine runs again."""
        self._down.discard(host)

    def reset(self, end: End) -> None:
        """A connection breaks on the way."""
        other = end.other
        for one in (end, other):
            if one is not None and not one.is_closing() and one.life.alive:
                self.loop.call_soon(one.receive, None, context=one.life.context)

    async def connect(
        self, life: Life, factory: Callable[[], Any], host: str, port: int
    ) -> tuple[End, Any]:
        """Connect from a process to an address; waits while the way is cut."""
        await asyncio.sleep(self.delay())
        while self.is_cut(life.host, host) or self.is_cut(host, life.host) or not self.is_up(host):
            await asyncio.sleep(0.2)
        listener = self.listeners.get((host, port))
        if listener is None:
            raise ConnectionRefusedError(111, "Connection refused")
        near, far = End(self, life, host), End(self, listener.life, life.host)
        near.other, far.other = far, near
        self.ends |= {near, far}
        protocol = factory()
        near.attach(protocol)
        self.loop.call_soon(listener.arrived, far, context=NOBODY)
        return near, protocol
