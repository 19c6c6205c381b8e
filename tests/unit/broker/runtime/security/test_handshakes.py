"""So many handshakes at a time, so many of one address, each for so long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any

import pytest

from pykafka_ops.broker.runtime.security.handshakes import HandshakeLimits, Handshakes
from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.runtime.security.tls_layer import TlsLayer
from pykafka_ops.broker.storage.clocks import monotonic_clock
from tests.support.wire.server import until


class Listener:
    """Clients come by pairs of sockets; nothing is ever said by either end."""

    name = "X"

    def __init__(self, limits: HandshakeLimits) -> None:
        self.now = 0.0
        loop = asyncio.get_running_loop()
        self.handshakes = Handshakes(loop, lambda: self.now, RareLines(monotonic_clock), limits)
        self.begun: list[tuple[str, TlsLayer]] = []
        self.away: list[str] = []
        self.ends: list[socket.socket] = []

    def begin(self, address: str) -> TlsLayer:
        layer = TlsLayer(self, self.handshakes, address)
        self.begun.append((address, layer))
        return layer

    def turned_away(self, address: str) -> None:
        self.away.append(address)

    def gone(self, layer: TlsLayer) -> None:
        self.away.append(layer.address)

    def expired(self, layer: TlsLayer) -> None:
        layer.abort()

    def come(self, *addresses: str) -> None:
        for address in addresses:
            ours, theirs = socket.socketpair()
            ours.setblocking(False)
            self.ends.append(theirs)
            self.handshakes.come(self, address, ours)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"nobody says anything: {name}")

    def close(self) -> None:
        self.handshakes.close()
        for each in self.ends:
            each.close()

    @property
    def who(self) -> list[str]:
        return [address for address, _ in self.begun]


def run(body: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(body, 120))


def test_no_more_than_allowed_begin_and_addresses_take_turns() -> None:
    async def work() -> None:
        listener = Listener(HandshakeLimits(at_once=4, per_address=2))
        listener.come("a", "a", "a", "a", "b", "c", "c")
        await until(lambda: len(listener.begun) == 4)
        await asyncio.sleep(0)
        assert listener.handshakes.count == 4
        assert sorted(listener.who) == ["a", "a", "b", "c"]
        listener.begun[0][1].abort()  # one of a's
        await until(lambda: len(listener.begun) == 5)
        assert listener.who[4] in ("a", "c")
        listener.close()
        await until(lambda: sorted(listener.away) == ["a", "a", "a", "a", "b", "c", "c"])

    run(work())


def test_an_address_that_has_all_it_may_does_not_hold_up_others() -> None:
    async def work() -> None:
        listener = Listener(HandshakeLimits(at_once=100, per_address=3))
        listener.come(*["a"] * 50, "b")
        await until(lambda: "b" in listener.who)
        assert listener.who.count("a") == 3
        listener.close()

    run(work())


def test_too_many_that_wait_are_turned_away(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        listener = Listener(HandshakeLimits(at_once=1, per_address=1, waiting=2))
        listener.come(*["a"] * 10)
        assert len(listener.away) == 8
        listener.close()

    run(work())
    assert [m for m in caplog.messages if "turned away" in m] == [
        "listener X: too many TLS handshakes wait: a is turned away"
    ]


def test_who_takes_too_long_is_cut_off() -> None:
    async def work() -> None:
        limits = HandshakeLimits(at_once=2, most_ms=1000, silent_ms=100)
        listener = Listener(limits)
        listener.come("a", "b")
        await until(lambda: len(listener.begun) == 2)
        listener.now = 1001.0
        await until(lambda: sorted(listener.away) == ["a", "b"])
        listener.close()

    run(work())


def test_who_is_silent_makes_room_for_those_that_wait() -> None:
    async def work() -> None:
        listener = Listener(HandshakeLimits(at_once=1, most_ms=1000, silent_ms=100))
        listener.come("a", "b")
        await until(lambda: listener.who == ["a"])
        listener.now = 101.0
        await until(lambda: listener.who == ["a", "b"])
        assert listener.away == ["a"]
        listener.close()

    run(work())


def test_who_waits_too_long_is_turned_away() -> None:
    async def work() -> None:
        listener = Listener(HandshakeLimits(at_once=1, most_ms=1000, silent_ms=10_000))
        listener.come("a", "b")
        await until(lambda: listener.who == ["a"])
        listener.now = 1001.0
        await until(lambda: sorted(listener.away) == ["a", "b"])
        listener.close()

    run(work())
