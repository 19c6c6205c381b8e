"""Large answers: at a client's pace, out of their files, with turns for others in between."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop

from pykafka_ops.broker.runtime.sockets.outgoing import (
    MOST_READY,
    PIECE,
    WRITE_HIGH,
    Outgoing,
)
from pykafka_ops.broker.runtime.sockets.turns import TURN_BYTES, Turns
from pykafka_ops.broker.storage.log.reader import MOST_ROOMS, FileRange
from pykafka_ops.broker.storage.real_files import RealFile
from pykafka_ops.wire.types import Part
from tests.support.wire.server import run, until

MIB = 1024 * 1024
MOST_HELD = PIECE + WRITE_HIGH


class Sender(asyncio.Protocol):
    """The broker's end of a connection; ``aside`` are the reads that a thread has to do."""

    def __init__(self) -> None:
        self.aside: list[Callable[[], bytes]] = []
        self.turns = Turns(asyncio.get_running_loop().call_soon)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.outgoing = Outgoing(
            self.transport, self.turns, read_aside=self.aside.append, go_on=self.resume
        )

    def pause_writing(self) -> None:
        self.outgoing.paused = True

    def resume_writing(self) -> None:
        self.outgoing.paused = False
        self.resume()

    def resume(self) -> None:
        self.outgoing.write_on()

    def send(self, *parts: Part) -> None:
        self.outgoing.add(list(parts), sum(map(len, parts)))


class Lines:
    """Pairs of connected sockets."""

    def __init__(self) -> None:
        self._opened: list[Any] = []

    async def open(self) -> tuple[Sender, asyncio.StreamReader]:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        _, sender = await asyncio.get_running_loop().connect_accepted_socket(Sender, ours)
        await until(lambda: hasattr(sender, "outgoing"))
        reader, writer = await asyncio.open_connection(sock=theirs, limit=4096)
        self._opened += [sender.transport, writer]
        return sender, reader

    def close(self) -> None:
        for each in self._opened:
            each.close()


Body = Callable[[Lines], Coroutine[Any, Any, None]]


@pytest.fixture(params=["asyncio", "uvloop"])
def on_lines(request: pytest.FixtureRequest) -> Callable[[Body], None]:
    make = asyncio.new_event_loop if request.param == "asyncio" else uvloop.new_event_loop

    def go(body: Body) -> None:
        async def main() -> None:
            lines = Lines()
            await body(lines)
            lines.close()
            await asyncio.sleep(0)

        run(main(), make)

    return go


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file of 8 MiB; no range of it may leave a descriptor behind."""
    made = tmp_path / "log"
    made.write_bytes(os.urandom(8 * MIB))
    yield made
    opened = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            opened.append(os.readlink(fd))
    assert str(made) not in opened


def part_of(path: Path, size: int, position: int = 0) -> FileRange:
    file = RealFile(str(path), None, os.open(path, os.O_RDWR))
    found = FileRange(file, size, position)
    assert found.fill()
    return found


def test_records_wait_in_their_file_for_a_client_that_does_not_read(
    on_lines: Callable[[Body], None], path: Path
) -> None:
    async def body(lines: Lines) -> None:
        sender, reader = await lines.open()
        records = part_of(path, 5 * MIB, 3)
        sender.send(b"head", records, b"middle", part_of(path, 2 * MIB), b"end")
        await until(lambda: sender.outgoing.paused)
        assert sender.outgoing.held <= MOST_HELD + len(b"middle" + b"end")
        assert not records._first
        data = path.read_bytes()
        expected = b"head" + data[3 : 5 * MIB + 3] + b"middle" + data[: 2 * MIB] + b"end"
        del records
        assert await reader.readexactly(len(expected)) == expected
        assert sender.outgoing.is_done

    on_lines(body)


def test_answers_in_memory_go_out_whole_and_in_order(on_lines: Callable[[Body], None]) -> None:
    async def body(lines: Lines) -> None:
        sender, reader = await lines.open()
        parts = [os.urandom(n * 7 % 5000) for n in range(3000)] + [os.urandom(3 * MIB)]
        sender.send(*parts)
        await until(lambda: sender.outgoing.paused)
        assert sender.outgoing.held > 3 * MIB
        expected = b"".join(parts)
        assert await reader.readexactly(len(expected)) == expected
        assert sender.outgoing.is_done
        assert sender.outgoing.held == 0

    on_lines(body)


class Cold(FileRange):
    """Records that are never in memory."""

    def cached(self, start: int, room: memoryview) -> memoryview:
        return room[:0]


def test_records_on_the_disk_are_read_elsewhere_a_piece_at_a_time(
    on_lines: Callable[[Body], None], path: Path
) -> None:
    async def body(lines: Lines) -> None:
        sender, reader = await lines.open()
        file = RealFile(str(path), None, os.open(path, os.O_RDWR))
        sender.send(b"head", Cold(file, 2 * PIECE + 5, 7), b"end")
        sizes = []
        while sender.aside:
            data = sender.aside.pop()()
            sizes.append(len(data))
            sender.outgoing.was_read(data)
        assert sizes == [PIECE, PIECE, 5]
        expected = b"head" + path.read_bytes()[7 : 2 * PIECE + 12] + b"end"
        assert await reader.readexactly(len(expected)) == expected

    on_lines(body)


def test_more_ranges_than_have_room_in_memory_go_out_of_their_file(
    on_lines: Callable[[Body], None], path: Path
) -> None:
    async def body(lines: Lines) -> None:
        sender, reader = await lines.open()
        parts = [part_of(path, MIB - 1, n) for n in range(2 * MOST_ROOMS)]
        assert [bool(part._first) for part in parts] == [True] * MOST_ROOMS + [False] * MOST_ROOMS
        sender.send(*parts)
        del parts
        data = path.read_bytes()
        for n in range(2 * MOST_ROOMS):
            assert await reader.readexactly(MIB - 1) == data[n : n + MIB - 1]
        again = [part_of(path, MIB) for _ in range(MOST_ROOMS)]
        assert all(part._first == data[:MIB] for part in again)

    on_lines(body)


def test_records_that_were_cut_off_meanwhile_are_an_error(path: Path) -> None:
    records = part_of(path, 4 * MIB)
    os.truncate(path, MIB)
    with pytest.raises(OSError, match="the log was cut while it was sent"):
        records.read(MIB - 1, 10)


def test_who_comes_when_a_turn_is_over_waits_for_a_later_one(
    on_lines: Callable[[Body], None], path: Path
) -> None:
    async def body(lines: Lines) -> None:
        sender, reader = await lines.open()
        crowded, other = await lines.open()
        crowded.outgoing._turns = sender.turns
        sender.turns.spend(TURN_BYTES)
        kept, dropped = part_of(path, MIB), part_of(path, MIB)
        sender.send(kept)
        assert (sender.outgoing.is_empty, bool(kept._first)) == (False, True)
        for _ in range(MOST_READY):
            sender.turns.wait(lambda: None)
        crowded.send(dropped)
        assert (crowded.outgoing.is_empty, bool(dropped._first)) == (False, False)
        del kept, dropped
        data = path.read_bytes()[:MIB]
        assert await reader.readexactly(MIB) == data
        assert await other.readexactly(MIB) == data

    on_lines(body)


def test_a_turn_ends_when_enough_is_written_and_the_next_begins_with_who_waits() -> None:
    soon: list[Callable[[], None]] = []
    turns = Turns(soon.append)
    order: list[int] = []

    def work(number: int) -> None:
        order.append(number)
        turns.spend(TURN_BYTES // 2)

    turns.spend(TURN_BYTES)
    assert turns.over
    for number in range(5):
        assert turns.wait(lambda number=number: work(number)) == number + 1  # type: ignore[misc]
    rounds = []
    while soon:
        assert len(soon) == 1
        soon.pop()()
        rounds.append(len(order))
    assert rounds == [2, 4, 5]
    assert order == [0, 1, 2, 3, 4]
    assert not turns.over
