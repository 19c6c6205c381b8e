"""Compiled, plain and careful: the same answers to the same bytes, however they are damaged.

What the quick forms take and the careful code refuses is the worst that can be wrong here: so each
byte of small batches is damaged in every way. ``scripts/fuzz hot-raw hot-records hot-batches`` goes
further.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google_crc32c import value as by_library

from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk.batch import HEADER_SIZE, read_header
from tests.support.fuzz.forms import exposed, plain, running
from tests.support.fuzz.hot import batch_alike, records_alike, sent, small_batches
from tests.support.fuzz.mended import mended
from tests.support.fuzz.mutations import ODD, each_damage
from tests.support.fuzz.seeds import golden_batches
from tests.support.raising import raises_nothing

VALUES = sorted({*ODD, 3, 4, 6, 8, 0x10, 0x20, 0x28, 0x40, 0x7E, 0x83, 0xC0, 0xFD})
MOST = 20_000
"""Bytes of the longest input of a checksum."""
BIG = 1 << 17
"""Bytes for which the lock is let go."""


@pytest.fixture(scope="module")
def c() -> Any:
    if not is_compiled():
        pytest.skip("not compiled")
    found = exposed()
    assert found is not None, "compiled, but what the tests need of it cannot be built"
    return found


@pytest.mark.parametrize("values", [VALUES, pytest.param(list(range(256)), marks=pytest.mark.slow)])
def test_no_form_takes_a_damaged_batch_that_the_careful_code_refuses(values: list[int]) -> None:
    taken = tried = 0
    for one in small_batches():
        assert batch_alike(one)
        for bad in each_damage(one, values):
            tried += 2
            taken += batch_alike(bad) + batch_alike(bytes(mended(bad)))
    assert tried > 10_000
    assert 0 < taken < tried / 2  # bytes of values may be any


@pytest.mark.parametrize("values", [VALUES, pytest.param(list(range(256)), marks=pytest.mark.slow)])
def test_no_form_takes_damaged_records_that_the_careful_code_refuses(values: list[int]) -> None:
    taken = tried = 0
    for one in small_batches():
        header = read_header(one)
        promise = header.record_count, header.base_timestamp, header.max_timestamp
        records = one[HEADER_SIZE:]
        assert records_alike(records, 0, *promise)
        for bad in each_damage(records, values):
            for count in {0, 1, promise[0], promise[0] + 1}:
                tried += 1
                taken += records_alike(bad, 0, count, *promise[1:])
    assert 0 < taken < tried / 2


def test_batches_of_other_clients_are_taken() -> None:
    """Or nothing of the above would say much."""
    usual = [one for one in golden_batches() if one[16] == 2 and not one[22] & 0x38]
    assert sum(batch_alike(sent(one)) for one in usual) > len(usual) * 0.9


# -- the checksum ----------------------------------------------------------------------------------


@pytest.mark.parametrize("by_tables", [False, True])
def test_every_way_of_the_checksum_agrees_for_every_length(c: Any, by_tables: bool) -> None:
    dice = random.Random(32)
    data = dice.randbytes(MOST + 64)
    c.checksum_begin(by_tables)
    try:
        for length in range(MOST + 1):
            start = dice.randrange(64)
            part = data[start : start + length]
            view = memoryview(data)[start : start + length]
            assert c.checksum(view) == c.checksum_of(view) == by_library(part), length
        for length in (100_000, 12 * 4096, 3 * 4096 * 5 + 3 * 256 + 7, 1 << 20):
            part = dice.randbytes(length)
            assert c.checksum(part) == c.checksum_of(part) == by_library(part), length
    finally:
        c.checksum_begin(False)
    assert c.checksum(b"123456789") == 0xE3069283  # of RFC 3720


# -- bytes that are not there ----------------------------------------------------------------------


def test_what_is_not_there_is_not_read(c: Any) -> None:
    for size in range(HEADER_SIZE):
        with pytest.raises(IndexError):
            c.header(bytes(size))
    for size in range(16):
        with pytest.raises(IndexError):
            c.stamp(bytearray(size), 1, 2, 3)
    for place in (-(1 << 62), -9, 5, 9, (1 << 62), (1 << 63) - 1):
        for read in (c.pair, c.length):
            with pytest.raises((IndexError, OverflowError)):
                read(bytes(8), place)
    for place in (-(1 << 62), -1, 8, (1 << 62), (1 << 63) - 1):
        assert c.record(bytes(8), place)[0] == -1
        for read in (c.start, c.head):
            with pytest.raises(IndexError):
                read(bytes((12,)) + bytes(6), place, 7)
            with pytest.raises(IndexError):
                read(b"", place, 7)
        for data in (b"", bytes(8)):
            with pytest.raises(IndexError):
                c.sized(data, place)
        with pytest.raises(IndexError):
            c.part(bytes(8), place, 9)
        for size in (1, 9, 1 << 62):
            with pytest.raises(IndexError):
                c.is_ascii(bytes(8), place, size)
            with pytest.raises(IndexError):
                c.line(b"CreateTime", (0, 0, size, 1, 0), b"", bytes(8), max(place, 8), 0)
    assert not c.ends(bytes(9), -3)
    assert not c.holds(b"abc", -1, b"c")
    assert not c.holds(b"abc", (1 << 63) - 1, b"c")


def test_numbers_are_printed_as_by_python(c: Any) -> None:
    python = plain("commands.dump_log.printing.raw")
    edges = sorted({sign * (10**n + d) for n in range(19) for d in (-1, 0, 1) for sign in (1, -1)})
    for number in (*edges, -(2**63), 2**63 - 1):
        shown = (b"CreateTime", (number, -number - 1, 1, 2, number), b"a,b", b"kvv", 0, 1)
        assert c.line(*shown) == python.line(*shown)
        assert c.plus(number, number) == python.plus(number, number)
    for size in range(40):
        for at in range(size):
            data = bytes(at) + b"\x80" + bytes(size - at - 1)
            assert not c.is_ascii(data, 0, size)
            assert c.is_ascii(data, 0, at) and c.is_ascii(data, at + 1, size - at - 1)


def test_an_answer_is_made_within_its_frame(c: Any) -> None:
    for size in range(60):
        for place in range(size + 3):
            for numbers in (0, 1, 2, 3, 4, 1 << 32 | 1):
                reply = running("broker.hot.reply").ProduceReply(bytes(size), 8, 1)
                with raises_nothing():
                    try_reply(c, reply, place, numbers)


def try_reply(c: Any, reply: Any, place: int, numbers: int) -> None:
    size = HEADER_SIZE - 1
    made = type(reply)(bytes(size), place, min(numbers, 3))
    try:
        packed = c.pack(made, 1, 2, 3, 4)
    except IndexError:
        return
    assert len(packed) == size


def test_no_form_takes_another_heartbeat() -> None:
    head, tail = b"\0\x01c\0\x01g", b"\0\x01m"
    frame = b"\0\x0c\0\x03" + b"\1\2\3\4" + head + b"\0\0\0\x07" + tail
    free = {*range(4, 8), *range(8 + len(head), 12 + len(head))}
    more = ((12 << 16 | 3, head, tail), bytes(14), ("g", "m", None), ({}, "t"), time.monotonic, 0)
    for form in (plain, running):
        path = form("broker.coordinators.hot.members").HeartbeatPath(*more)
        assert path.fits(memoryview(bytearray(frame)))
        for at in range(len(frame)):
            for value in VALUES:
                bad = bytearray(frame)
                bad[at] ^= value
                assert path.fits(memoryview(bad)) is (at in free or not value)
        for size in range(len(frame)):
            assert not path.fits(memoryview(bytearray(frame[:size])))
        assert not path.fits(memoryview(bytearray(frame + b"\0")))


def test_no_form_takes_another_commit() -> None:
    frame = b"\0\x08\0\x05" + b"\1\2\3\4" + b"\0\x01g" + b"\0\0\0\x07" + b"m" + bytes(8) + b"t"
    free = {*range(4, 8), *range(11, 15), *range(16, 24)}
    mask = bytes(0 if at in free else 255 for at in range(len(frame)))
    zeros = bytes(byte & one for byte, one in zip(frame, mask, strict=True))
    member = ((8 << 16 | 5, frame[8:11], b""), bytes(14), ("g", "m", None), ({}, "t"))
    for form in (plain, running):
        path = form("broker.coordinators.hot.commits").CommitPath(*member, time.monotonic, 0)
        wake = form("broker.hot.heads").WakeHead()
        batch = bytearray(99), [70], [80]
        path.prepare([("t", 0)], [""], (zeros, mask, [16], False), batch, (int, wake, 0))
        assert path.fits(memoryview(bytearray(frame)))
        for at in range(len(frame)):
            for value in VALUES:
                bad = bytearray(frame)
                bad[at] ^= value
                assert path.fits(memoryview(bad)) is (at in free or not value)
        for size in range(len(frame)):
            assert not path.fits(memoryview(bytearray(frame[:size])))
        assert not path.fits(memoryview(bytearray(frame + b"\0")))


def test_the_wall_clock_is_looked_at_without_a_call(c: Any) -> None:
    for clock, known in ((running("broker.hot.raw").wall_clock, True), (lambda: 5, False)):
        path = running("broker.hot.produce").TopicPath(
            9, 1, False, clock, running("broker.hot.heads").WakeHead()
        )
        assert c.asks_the_system(path) is known


# -- files -----------------------------------------------------------------------------------------


def forms_of_write() -> list[Callable[[int, Any, int], int]]:
    return [plain("broker.hot.raw").write, *([exposed().write] if is_compiled() else [])]


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def fill(writing: int) -> None:
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, bytes(4096))


def test_a_part_may_be_written_and_errors_are_those_of_the_system(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    fill(writing)
    for write in forms_of_write():
        for size in (100, BIG):
            with pytest.raises(BlockingIOError):
                write(writing, bytes(size), 0)
        os.read(reading, 8192)
        assert write(writing, bytes(BIG), 10) == 8192
        assert write(writing, b"", 0) == 0
        with pytest.raises(OSError, match="Bad file descriptor"):
            write(-1, b"x", 0)


@pytest.mark.parametrize("size", [100, BIG])
def test_a_signal_ends_a_write_that_waits_or_lets_it_go_on(
    pipe: tuple[int, int], size: int
) -> None:
    reading, writing = pipe

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    def read(*_: object) -> None:
        os.read(reading, 1 << 16)

    before = signal.getsignal(signal.SIGALRM)
    try:
        for write in forms_of_write():
            fill(writing)
            os.set_blocking(writing, True)
            signal.signal(signal.SIGALRM, stop)
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                write(writing, bytes(size), 0)
            signal.signal(signal.SIGALRM, read)
            # A write of which a part was done goes on waiting: a signal for each part.
            signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
            assert 0 < write(writing, bytes(size), 0) <= size
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_file_that_may_not_grow_has_a_part_and_the_error(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        for n, form in enumerate((running, plain)):
            file = form("broker.hot.file").FileHead()
            path = tmp_path / str(n)
            file.fd = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
            assert file.append(b"x" * 700) == 700
            assert file.used
            with pytest.raises(OSError, match="too large"):
                file.append(memoryview(b"y" * 700))
            os.close(file.fd)
            assert path.read_bytes() == b"x" * 700 + b"y" * 300
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
