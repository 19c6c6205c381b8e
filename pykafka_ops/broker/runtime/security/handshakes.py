"""The TLS handshakes of all listeners: so many at a time, so long, in threads of their own.

What a client costs before it is known is bounded here, and no address gets all of it. A client that
has to wait costs a socket.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, Protocol

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.runtime.security.tls_layer import TlsLayer

NICENESS = 10
IN_A_TURN = 8
"""Handshakes begun before others have their turn."""
LOOK_S = 0.25
"""How often it is looked for those that take too long."""


def _stand_back() -> None:
    """Let the loop's thread go first where both want a core (Linux: a thread has its own
    niceness)."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class HandshakeLimits(NamedTuple):
    """``at_once`` handshakes, of which one address gets ``per_address``; so many ``waiting``.
    Each may take ``most_ms``; who is silent for ``silent_ms`` makes room for those that wait."""

    at_once: int = 256
    per_address: int = 128
    waiting: int = 4096
    most_ms: float = 10_000
    silent_ms: float = 2_000


LIMITS = HandshakeLimits()


class Arrival(Protocol):
    """A listener that clients come to."""

    name: str

    def begin(self, address: str) -> TlsLayer:
        """A handshake with the next client."""

    def turned_away(self, address: str) -> None:
        """A client that was not begun with has gone."""


class _Waiting(NamedTuple):
    arrival: Arrival
    address: str
    client: socket.socket
    since: float


class Handshakes:
    """``timer()`` is a monotonic clock in ms."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        timer: Callable[[], float],
        rare_lines: RareLines,
        limits: HandshakeLimits = LIMITS,
    ) -> None:
        self._loop = loop
        self._timer = timer
        self._rare_lines = rare_lines
        self._limits = limits
        # One core is left to those who are in.
        threads = max(1, min(4, (os.cpu_count() or 1) - 1))
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="tls", initializer=_stand_back)
        self._under_way: dict[TlsLayer, float] = {}
        self._waiting: dict[str, deque[_Waiting]] = {}
        """By address; the one whose turn it is comes first."""
        self._waiting_count = 0
        self._per_address: Counter[str] = Counter()
        self._is_next_called = False
        self._look: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def count(self) -> int:
        """How many are under way."""
        return len(self._under_way)

    def come(self, arrival: Arrival, address: str, client: socket.socket) -> None:
        """A client has connected: begin, or have it wait."""
        if self._waiting_count >= self._limits.waiting:
            text = (
                f"listener {arrival.name}: too many TLS handshakes wait: {address} is turned away"
            )
            self._rare_lines.say(text, arrival.name, "crowd")
            client.close()
            arrival.turned_away(address)
            return
        who = _Waiting(arrival, address, client, self._timer())
        self._waiting.setdefault(address, deque()).append(who)
        self._waiting_count += 1
        self._call_next()
        if self._look is None:
            self._look = self._loop.call_later(LOOK_S, self._look_round)

    def run(self, step: Callable[[], bool], then: Callable[[asyncio.Future[bool]], None]) -> None:
        """Call ``step`` in a thread, then ``then`` on the loop."""
        self._loop.run_in_executor(self._pool, step).add_done_callback(then)

    def heard(self, layer: TlsLayer) -> None:
        """It has sent something."""
        layer.heard_at = self._timer()

    def over(self, layer: TlsLayer) -> None:
        """It has ended, well or not: the next may begin."""
        if self._under_way.pop(layer, None) is None:
            return
        self._per_address[layer.address] -= 1
        if not self._per_address[layer.address]:
            del self._per_address[layer.address]
        self._call_next()

    def close(self) -> None:
        """End all of them."""
        if self._look is not None:
            self._look.cancel()
        for address in list(self._waiting):
            while address in self._waiting:
                self._turn_away(self._take(address))
        for layer in list(self._under_way):
            layer.abort()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _take(self, address: str) -> _Waiting:
        """Who waits longest at an address, which then comes behind the others."""
        waiting = self._waiting.pop(address)
        first = waiting.popleft()
        self._waiting_count -= 1
        if waiting:
            self._waiting[address] = waiting
        return first

    def _next(self) -> None:
        """Begin with those that wait, as many as may be, a few in each turn of the loop, and one of
        each address before the next of the same."""
        self._is_next_called = False
        begun = 0
        for address in list(self._waiting):
            if begun == IN_A_TURN or len(self._under_way) >= self._limits.at_once:
                break
            if self._per_address[address] < self._limits.per_address:
                self._begin(self._take(address))
                begun += 1
        if begun:
            self._call_next()

    def _call_next(self) -> None:
        if self._waiting and not self._is_next_called:
            self._is_next_called = True
            self._loop.call_soon(self._next)

    def _begin(self, first: _Waiting) -> None:
        layer = first.arrival.begin(first.address)
        layer.heard_at = self._timer()
        self._under_way[layer] = layer.heard_at
        self._per_address[first.address] += 1
        task = jobs.start("a TLS handshake", self._connect(first, layer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, first: _Waiting, layer: TlsLayer) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: layer, first.client)
        except OSError:  # gone meanwhile
            self.over(layer)
            first.arrival.turned_away(first.address)

    def _turn_away(self, waiting: _Waiting) -> None:
        waiting.client.close()
        waiting.arrival.turned_away(waiting.address)

    def _look_round(self) -> None:
        """Give up those that take too long."""
        self._look = None
        now, limits = self._timer(), self._limits
        for address in list(self._waiting):
            while now - self._since(address, now) > limits.most_ms:
                first = self._take(address)
                who = f"listener {first.arrival.name}: no room for a TLS handshake with {address}"
                self._rare_lines.say(f"{who} in time", first.arrival.name, "wait")
                self._turn_away(first)
        for layer, since in list(self._under_way.items()):
            silent = self._waiting and now - layer.heard_at > limits.silent_ms
            if (silent or now - since > limits.most_ms) and not layer.is_computing:
                layer.expire()
        if self._waiting or self._under_way:
            self._look = self._loop.call_later(LOOK_S, self._look_round)

    def _since(self, address: str, now: float) -> float:
        """Since when the first of an address waits."""
        waiting = self._waiting.get(address)
        return waiting[0].since if waiting else now
