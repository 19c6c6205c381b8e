"""Every address of a host is bound, on one port, and a crowd is accepted at once.

Without descriptors or room the broker waits and goes on.
"""

from __future__ import annotations

import errno
import socket
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.sockets.admission import AT_ONCE, Acceptor, bind


class Loop:
    """The part of a loop that an acceptor uses; ``turn`` is one turn of it."""

    def __init__(self) -> None:
        self.reader: Any = None
        self.later: Any = None
        self.delay = 0.0

    def add_reader(self, _: int, callback: Any) -> None:
        self.reader = callback

    def remove_reader(self, _: int) -> None:
        self.reader = None

    def call_later(self, seconds: float, callback: Any) -> Loop:
        self.delay, self.later = seconds, callback
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


class Gate:
    """Lets in ``room`` clients, each after the next of ``waits`` (seconds)."""

    def __init__(self, room: int, waits: list[float]) -> None:
        self.room = room
        self.waits = waits
        self.taken: list[bool] = []

    def arrival_s(self) -> float:
        return self.waits.pop(0) if self.waits else 0.0

    def has_room(self) -> bool:
        return self.room > 0

    def take(self, client: socket.socket) -> None:
        self.room -= 1
        self.taken.append(client.getblocking())
        client.close()


def accepting(
    crowd: list[int | None], room: int = 1000, waits: list[float] | None = None
) -> tuple[Loop, Listening, Gate, Acceptor]:
    loop, listening, gate = Loop(), Listening(crowd), Gate(room, waits or [])
    acceptor = Acceptor(cast(Any, loop), cast(Any, listening), gate)
    acceptor.listen(9)
    acceptor.start()
    assert listening.backlog == 9
    return loop, listening, gate, acceptor


def accepted(crowd: list[int | None]) -> tuple[Loop, Listening, list[bool], Acceptor]:
    loop, listening, gate, acceptor = accepting(crowd)
    return loop, listening, gate.taken, acceptor


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


def test_who_comes_too_fast_waits_and_all_behind_wait_too() -> None:
    loop, _, gate, _ = accepting([None] * 4, waits=[0.0, 0.25])
    loop.turn()
    assert len(gate.taken) == 1
    assert loop.reader is None
    assert loop.delay == 0.25
    loop.later()
    assert len(gate.taken) == 2
    loop.turn()
    assert len(gate.taken) == 4


def test_without_room_nobody_comes_in_until_somebody_has_gone() -> None:
    loop, _, gate, acceptor = accepting([None] * 3, room=1)
    loop.turn()
    assert len(gate.taken) == 1
    acceptor.room()
    loop.later()
    assert len(gate.taken) == 1
    gate.room = 1
    acceptor.room()
    assert len(gate.taken) == 2
    loop.turn()
    assert (len(gate.taken), loop.reader) == (2, None)


def test_room_does_not_shorten_the_wait_for_the_rate() -> None:
    loop, _, gate, acceptor = accepting([None], waits=[0.5])
    loop.turn()
    acceptor.room()
    assert gate.taken == []
    loop.later()
    assert len(gate.taken) == 1


def test_who_waits_when_it_closes_is_hung_up_on() -> None:
    loop, listening, gate, acceptor = accepting([None], waits=[0.5])
    loop.turn()
    acceptor.close()
    assert (gate.taken, loop.later, listening.open) == ([], None, False)


# -- binding -----------------------------------------------------------------------------------


def close(sockets: list[socket.socket]) -> None:
    for each in sockets:
        each.close()


def test_any_host_means_every_family_on_one_port() -> None:
    bound = bind("", 0)
    ports = {each.getsockname()[1] for each in bound}
    families = [each.family for each in bound]
    close(bound)
    assert len(ports) == 1
    assert 0 not in ports
    assert socket.AF_INET in families
    assert len(set(families)) == len(families)


def test_an_address_is_bound_alone() -> None:
    (bound,) = bind("127.0.0.1", 0)
    assert bound.getsockname()[0] == "127.0.0.1"
    bound.close()


def test_a_port_that_is_taken_is_named() -> None:
    (taken,) = bind("127.0.0.1", 0)
    taken.listen()
    port = taken.getsockname()[1]
    with pytest.raises(OSError, match=f"127.0.0.1:{port}: Address already in use"):
        bind("127.0.0.1", port)
    taken.close()


def test_a_host_that_is_not_known_is_an_error() -> None:
    with pytest.raises(OSError, match=r"not known|failure"):
        bind("nowhere.invalid", 0)
