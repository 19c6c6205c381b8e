"""A crowd is accepted at once; without descriptors the broker waits and goes on."""

from __future__ import annotations

import errno
import socket
from typing import Any, cast

from pykafka_ops.broker.net.acceptor import AT_ONCE, Acceptor


class Loop:
    """The part of a loop that an acceptor uses; ``turn`` is one turn of it."""

    def __init__(self) -> None:
        self.reader: Any = None
        self.later: Any = None

    def add_reader(self, _: int, callback: Any) -> None:
        self.reader = callback

    def remove_reader(self, _: int) -> None:
        self.reader = None

    def call_later(self, _: float, callback: Any) -> Loop:
        self.later = callback
        return self

    def cancel(self) -> None:
        self.later = None

    def turn(self) -> None:
        if self.reader is not None:
            self.reader()


class Listening:
    """A listening socket with a crowd before it; numbers are errors."""

    def __init__(self, crowd: list[int | None]) -> None:
        self.crowd = crowd
        self.backlog = 0
        self.open = True

    def listen(self, backlog: int) -> None:
        self.backlog = backlog

    def fileno(self) -> int:
        return 7 if self.open else -1

    def close(self) -> None:
        self.open = False

    def accept(self) -> tuple[socket.socket, str]:
        if not self.crowd:
            raise BlockingIOError
        error = self.crowd.pop(0)
        if error is not None:
            raise OSError(error, "no")
        return socket.socket(), "peer"


def accepted(crowd: list[int | None]) -> tuple[Loop, Listening, list[bool], Acceptor]:
    loop, listening = Loop(), Listening(crowd)
    taken: list[bool] = []

    def take(client: socket.socket) -> None:
        taken.append(client.getblocking())
        client.close()

    acceptor = Acceptor(cast(Any, loop), cast(Any, listening), take)
    acceptor.listen(9)
    acceptor.start()
    assert listening.backlog == 9
    return loop, listening, taken, acceptor


def test_many_are_accepted_in_a_turn_but_not_all() -> None:
    loop, _, taken, _ = accepted([None] * (AT_ONCE + 5))
    loop.turn()
    assert taken == [False] * AT_ONCE
    loop.turn()
    assert len(taken) == AT_ONCE + 5


def test_one_that_has_gone_does_not_stop_the_others() -> None:
    loop, _, taken, _ = accepted([None, errno.ECONNABORTED, None])
    loop.turn()
    assert len(taken) == 2


def test_without_descriptors_it_tries_again_later() -> None:
    loop, _, taken, _ = accepted([None, errno.EMFILE, None])
    loop.turn()
    assert len(taken) == 1
    assert loop.reader is None
    loop.later()
    loop.turn()
    assert len(taken) == 2


def test_closed_while_it_waits_it_stays_closed() -> None:
    loop, listening, _, acceptor = accepted([errno.ENFILE])
    loop.turn()
    acceptor.close()
    acceptor.close()
    assert loop.reader is None
    assert loop.later is None
    assert not listening.open
