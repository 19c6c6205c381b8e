"""Plain sockets over real connections, compiled and not, on asyncio's loop and on uvloop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvloop

from pykafka_ops.broker.runtime.sockets.buffers import BufferPool
from pykafka_ops.broker.state.memory import Memory
from tests.support.fuzz.forms import plain, running

FORMS = {"running": running, "plain": plain}
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
PART = "broker.runtime.sockets.plain.poller"
MIB = 1024 * 1024
Body = Callable[["Place"], Awaitable[None]]


def protocol_of(form: Callable[[str], Any]) -> type:
    head: type = form("broker.hot.frames").FramesHead

    class Protocol(head):
        """Keeps what comes, and says what it was told."""

        def __init__(self, place: Place) -> None:
            self.pool, self.large, self.tail = place.pool, None, bytearray(b"all is kept")
            self.received_bytes = 0
            self.writable = True
            self.transport: Any = None
            self.came = bytearray()
            self.told: list[object] = []
            self.on_data: Callable[[bytes], None] | None = None

        def connection_made(self, transport: Any) -> None:
            self.transport = transport
            self.told.append("made")

        def received(self, nbytes: int) -> None:
            data = bytes(self.pool.shared_view[:nbytes])
            self.came += data
            if self.on_data is not None:
                self.on_data(data)

        def refuse(self, error: BaseException) -> None:
            raise error

        def pause_writing(self) -> None:
            self.told.append("pause")

        def resume_writing(self) -> None:
            self.told.append("resume")

        def eof_received(self) -> bool:
            self.told.append("eof")
            return False

        def connection_lost(self, error: Exception | None) -> None:
            self.told.append(("lost", type(error).__name__))

    return Protocol


class Place:
    """A poller, and what connects to it; every step of the loop is made by the test."""

    def __init__(self, form: Callable[[str], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.pool = BufferPool(Memory())
        self.poller = form(PART).SocketPoller(loop, self.pool)
        self.protocol = protocol_of(form)
        self.listening = socket.create_server(("127.0.0.1", 0))

    def connect(self, room: int = 0) -> tuple[socket.socket, Any]:
        """A client, and the protocol that serves it; ``room`` bounds what the system keeps."""
        client = socket.socket()
        if room:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        client.connect(self.listening.getsockname())
        served, _ = self.listening.accept()
        if room:
            served.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, room)
        served.setblocking(False)
        client.settimeout(20)
        protocol = self.protocol(self)
        self.poller.add(served, "127.0.0.1", protocol)
        return client, protocol

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.001)

    async def read(self, client: socket.socket, size: int) -> bytes:
        """So many bytes of what a client is sent; fewer at the end."""
        client.setblocking(False)
        found = bytearray()
        async with asyncio.timeout(20):
            while len(found) < size:
                data = await self.loop.sock_recv(client, size - len(found))
                if not data:
                    break
                found += data
        return bytes(found)


def epolls() -> list[int]:
    """Descriptors of this process that stand for many."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that lists them
            if "eventpoll" in os.readlink(f"/proc/self/fd/{name}"):
                found.append(int(name))
    return found


def ready_of(descriptors: list[int]) -> int:
    """How many of them have something to say."""
    with select.epoll() as asked:
        for fd in descriptors:
            asked.register(fd, select.EPOLLIN)
        return len(asked.poll(0))


@pytest.fixture(params=[(f, lp) for f in FORMS for lp in LOOPS], ids="-".join)
def play(request: pytest.FixtureRequest) -> Callable[[Body], None]:
    """Runs a test on one loop, in one form."""
    form, loop = request.param

    @asynccontextmanager
    async def place() -> AsyncIterator[Place]:
        made = Place(FORMS[form], asyncio.get_running_loop())
        try:
            yield made
        finally:
            made.listening.close()
            made.poller.close()

    def run(body: Body) -> None:
        async def main() -> None:
            async with place() as made:
                await body(made)

        with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
            runner.run(main())

    return run


def test_what_a_client_sends_comes_whole_and_in_order(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        data = os.urandom(3 * MIB)
        client, protocol = place.connect()
        client.setblocking(False)
        await asyncio.gather(
            place.loop.sock_sendall(client, data),
            place.until(lambda: len(protocol.came) == len(data)),
        )
        assert bytes(protocol.came) == data
        assert protocol.received_bytes == len(data)
        client.close()
        await place.until(lambda: len(protocol.told) == 3)
        assert protocol.told == ["made", "eof", ("lost", "NoneType")]

    play(body)


def test_answers_to_what_came_at_once_go_out_at_once(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        client, protocol = place.connect()
        sizes: list[int] = []

        def answer(data: bytes) -> None:
            for number in range(3):
                protocol.transport.write(b"answer %d." % number)
                sizes.append(protocol.transport.get_write_buffer_size())

        protocol.on_data = answer
        client.sendall(b"x")
        assert await place.read(client, 27) == b"answer 0.answer 1.answer 2."
        assert sizes == [9, 18, 27]
        assert protocol.transport.get_write_buffer_size() == 0
        client.close()

    play(body)


def test_who_reads_slowly_is_paused_for_and_gets_every_byte(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        client, protocol = place.connect(room=8192)
        data = os.urandom(MIB)
        transport = protocol.transport
        transport.set_write_buffer_limits(high=4096)
        transport.write(data)
        assert protocol.told == ["made", "pause"]
        assert 0 < transport.get_write_buffer_size() < MIB
        assert transport.behind
        transport.write(b"behind it")
        found = await place.read(client, MIB + 9)
        assert found == data + b"behind it"
        await place.until(lambda: not transport.behind)
        assert protocol.told == ["made", "pause", "resume"]
        client.close()

    play(body)


def test_what_was_written_before_a_close_still_arrives(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        client, protocol = place.connect(room=8192)
        protocol.transport.write(bytes(MIB))
        protocol.transport.close()
        protocol.transport.write(b"too late")
        assert protocol.transport.is_closing()
        assert await place.read(client, 2 * MIB) == bytes(MIB)
        await place.until(lambda: ("lost", "NoneType") in protocol.told)
        client.close()

        client, protocol = place.connect()

        def last(data: bytes) -> None:
            protocol.transport.write(b"last")
            protocol.transport.close()

        protocol.on_data = last
        client.sendall(b"x")
        assert await place.read(client, 100) == b"last"
        client.close()

    play(body)


def test_an_abort_leaves_nothing_behind_and_is_told_once(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        client, protocol = place.connect(room=8192)
        protocol.transport.write(bytes(MIB))
        protocol.transport.abort()
        protocol.transport.abort()
        protocol.transport.close()
        assert protocol.transport.get_write_buffer_size() == 0
        assert protocol.told[-1] == "pause"  # the rest comes in a turn of its own
        await place.until(lambda: "lost" in str(protocol.told))
        await asyncio.sleep(0)
        assert protocol.told == ["made", "pause", ("lost", "NoneType")]
        client.close()

    play(body)


def test_a_client_that_resets_the_connection_is_told_as_an_error(
    play: Callable[[Body], None],
) -> None:
    async def body(place: Place) -> None:
        client, protocol = place.connect()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        await place.until(lambda: len(protocol.told) == 2)
        assert protocol.told[1] == ("lost", "ConnectionResetError")

    play(body)


def test_a_paused_client_that_leaves_costs_nothing_until_it_is_read_again(
    play: Callable[[Body], None],
) -> None:
    async def body(place: Place) -> None:
        turns = 0
        client, protocol = place.connect()
        other, talking = place.connect()

        def count(data: bytes) -> None:
            nonlocal turns
            turns += 1
            talking.transport.write(data)

        talking.on_data = count
        protocol.transport.pause_reading()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        for _ in range(3):  # it is reported once, and not waited for then
            other.sendall(b"x")
            await place.read(other, 1)
            other.setblocking(True)
        assert turns == 3
        assert protocol.told == ["made"]
        assert ready_of(epolls()) == 0
        protocol.transport.resume_reading()
        await place.until(lambda: len(protocol.told) == 2)
        assert protocol.told[1] == ("lost", "ConnectionResetError")
        other.close()

    play(body)


def test_a_client_that_cannot_be_served_takes_no_other_with_it(
    play: Callable[[Body], None], caplog: pytest.LogCaptureFixture
) -> None:
    async def body(place: Place) -> None:
        bad, broken = place.connect()
        good, served = place.connect()

        def fail(data: bytes) -> None:
            raise ZeroDivisionError

        broken.on_data = fail
        served.on_data = lambda data: served.transport.write(data)
        bad.sendall(b"x")
        good.sendall(b"still here")
        assert await place.read(good, 10) == b"still here"
        await place.until(lambda: len(broken.told) == 2)
        assert broken.told[1] == ("lost", "ZeroDivisionError")
        bad.close()
        good.close()

    play(body)
    assert "could not be served" in caplog.text


def test_many_clients_at_once_are_all_served_in_turn(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        pairs = [place.connect() for _ in range(200)]
        for number, (client, protocol) in enumerate(pairs):
            protocol.on_data = protocol.transport.write
            client.sendall(b"%03d" % number)
        for number, (client, _) in enumerate(pairs):
            assert await place.read(client, 3) == b"%03d" % number
        for client, _ in pairs:
            client.close()
        await place.until(lambda: all(len(protocol.told) == 3 for _, protocol in pairs))

    play(body)


def test_clients_behind_one_that_takes_long_wait_for_the_next_turn(
    play: Callable[[Body], None],
) -> None:
    async def body(place: Place) -> None:
        served: list[str] = []

        def take_long(protocol: Any) -> Callable[[bytes], None]:
            def answer(data: bytes) -> None:
                served.append(data.decode())
                protocol.transport.write(b"for " + data)
                end = time.monotonic() + 0.01
                while time.monotonic() < end:
                    pass

            return answer

        clients = []
        for name in "abc":
            client, protocol = place.connect()
            protocol.on_data = take_long(protocol)
            client.sendall(name.encode())
            clients.append(client)
        for turn, client in enumerate(clients, 1):
            place.poller.ready()
            assert served == list("abc")[:turn]
            assert client.recv(5) == b"for " + "abc"[turn - 1].encode()
        for client in clients:
            client.close()

    play(body)


def test_the_descriptor_is_given_back_with_the_last_client(play: Callable[[Body], None]) -> None:
    async def body(place: Place) -> None:
        before = len(epolls())
        client, protocol = place.connect()
        place.poller.close()
        assert len(epolls()) == before
        client.close()
        await place.until(lambda: len(protocol.told) == 3)
        assert len(epolls()) == before - 1
        place.poller.close()

    play(body)
