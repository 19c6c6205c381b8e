"""The loop of raw load generators counts what was answered, and takes no error for an answer."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from scripts.benchmarks.asking import BROKERS, Same, ask_all
from scripts.benchmarks.loads import OneRecord
from tests.support.wire import raw

CODE_AT = 8
FOREVER = 600


@contextmanager
def answered(answers: Callable[[int], bytes]) -> Iterator[tuple[socket.socket, list[bytes]]]:
    """A connection whose n-th request of one byte gets ``answers(n)``, and what was asked."""
    ours, theirs = socket.socketpair()
    asked: list[bytes] = []

    def serve() -> None:
        with suppress(OSError):  # nobody reads the last answer
            while data := theirs.recv(1):
                asked.append(data)
                theirs.sendall(answers(len(asked)))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield ours, asked
    finally:
        ours.shutdown(socket.SHUT_RDWR)
        thread.join()
        ours.close()
        theirs.close()


def answer(code: int) -> bytes:
    body = (7).to_bytes(4, "big") + code.to_bytes(2, "big", signed=True)
    return len(body).to_bytes(4, "big") + body


def test_every_answer_is_counted_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BROKERS, str(os.getpid()))
    with (
        answered(lambda _: answer(0)) as (first, by_first),
        answered(lambda _: answer(0)) as (second, by_second),
    ):
        pairs = [(first, Same(b"a", CODE_AT)), (second, Same(b"b", CODE_AT))]
        found = ask_all(pairs, FOREVER, most=300)
    assert 300 <= found["count"] <= 301
    assert set(by_first) == {b"a"}
    assert set(by_second) == {b"b"}
    # one request of each is under way when the load ends
    assert found["count"] <= len(by_first) + len(by_second) <= found["count"] + 2
    assert found["broker_cpu"] > 0


def test_an_error_ends_the_load() -> None:
    with (
        answered(lambda number: answer(-1 if number == 5 else 0)) as (one, asked),
        pytest.raises(AssertionError, match="error ffff"),
    ):
        ask_all([(one, Same(b"a", CODE_AT))], FOREVER)
    assert len(asked) == 5


def test_the_error_of_a_produce_answer_is_where_it_is_looked_for() -> None:
    record = OneRecord("a-topic", 0, 10, 1, -1)
    body = raw.array([raw.string("a-topic") + raw.array([bytes(4) + b"\0\x03" + bytes(24)])])
    frame = bytes(4) + bytes(4) + body
    assert frame[record.code_at : record.code_at + 2] == b"\0\x03"
    assert raw.produced(body) == (3, 0)
