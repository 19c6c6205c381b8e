import socket
import time

import pytest

from pykafka_ops.client.poller import READ, Steps, pause, run, run_all
from pykafka_ops.errors import ConnectError, PkoError


def waiter(sock: socket.socket, seconds: float) -> Steps[bytes]:
    yield sock.fileno(), READ, time.monotonic() + seconds
    return sock.recv(10)


def test_conversations_run_side_by_side() -> None:
    pairs = [socket.socketpair() for _ in range(3)]

    def answers_last_first() -> Steps[bytes]:
        for _, other in reversed(pairs):
            other.send(b"x")
            yield from pause(0.001)
        return b"done"

    mine = [waiter(a, 5) for a, _ in pairs]
    assert run_all([*mine, answers_last_first()]) == [b"x", b"x", b"x", b"done"]
    for a, b in pairs:
        a.close()
        b.close()


def test_a_late_socket_gets_a_timeout_thrown_in() -> None:
    a, b = socket.socketpair()

    def patient() -> Steps[str]:
        try:
            yield from waiter(a, 0.01)
        except TimeoutError:
            return "late"
        return "early"

    assert run(patient()) == "late"
    a.close()
    b.close()


def test_an_error_of_one_leaves_the_others_alone() -> None:
    def fails() -> Steps[int]:
        yield from pause(0)
        raise ConnectError("no")

    def works() -> Steps[int]:
        yield from pause(0.01)
        return 7

    first, second = run_all([fails(), works()])
    assert isinstance(first, PkoError)
    assert second == 7
    with pytest.raises(ConnectError, match="no"):
        run(fails())


def test_a_bug_ends_all_and_closes_them() -> None:
    closed = []

    def bug() -> Steps[int]:
        yield from pause(0)
        raise ZeroDivisionError

    def other() -> Steps[int]:
        try:
            yield from pause(60)
        finally:
            closed.append(True)
        return 1

    with pytest.raises(ZeroDivisionError):
        run_all([bug(), other()])
    assert closed == [True]
