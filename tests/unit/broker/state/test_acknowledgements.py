"""Requests that wait for replicas with their answers at hand: each is answered once, as its
partition stands."""

from __future__ import annotations

import math

from pykafka_ops.broker.state.acknowledgements import Acknowledgements, Unacknowledged
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.wire.codes import ErrorCode

A, B = ("t", 0), ("t", 1)
NONE, TIMED_OUT, NOT_LEADER = (
    ErrorCode.NONE,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
)


class Waits:
    """Requests called by the offset they need; ``answers`` in the order in which they came."""

    def __init__(self) -> None:
        self.standing: dict[object, tuple[float, ErrorCode]] = {A: (0, NONE), B: (0, NONE)}
        self.failures: list[Exception] = []
        self.all = Acknowledgements(lambda key: self.standing[key], self.failures.append)
        self.answers: list[object] = []
        self.armed: list[float] = []

    def add(self, required: int, key: tuple[str, int] = A, deadline: float = 100) -> Unacknowledged:
        made, is_first = self.all.promise(key, required, deadline, b"%d" % required, self._refuse)
        if is_first:
            self.armed.append(deadline)
        made.then(self.answers.append)
        return made

    @staticmethod
    def _refuse(index: int, code: ErrorCode) -> object:
        if index == 1:
            raise ZeroDivisionError
        return index, code


def test_those_are_answered_whose_records_are_committed() -> None:
    waits = Waits()
    for required in (1, 2, 3):
        waits.add(required)
    waits.add(1, B)
    waits.standing[A] = waits.standing[B] = (2, NONE)
    assert waits.all.wake(A, ("other", 0)) == 2
    assert waits.answers == [b"1", b"2"]
    assert len(waits.all) == 2
    assert waits.all.wake(A) == 0
    assert waits.all.wake(B) == 1
    assert len(waits.all) == 1


def test_a_partition_that_is_not_led_any_more_refuses_all() -> None:
    waits = Waits()
    waits.add(1)
    waits.add(2)
    waits.standing[A] = (math.inf, NOT_LEADER)
    waits.all.wake(A)
    assert waits.answers == [(0, NOT_LEADER)] * 2


def test_what_fails_harms_no_other() -> None:
    waits = Waits()
    waits.add(1, B)
    waits.add(1)
    waits.standing[A] = waits.standing[B] = (math.inf, NOT_LEADER)
    assert waits.all.wake(B, A) == 2
    assert waits.answers == [(0, NOT_LEADER)]
    assert [type(error) for error in waits.failures] == [ZeroDivisionError]
    assert len(waits.all) == 0


def test_time_runs_out_for_each_by_itself() -> None:
    waits = Waits()
    waits.add(1, deadline=100)
    waits.add(2, deadline=50)
    waits.add(3, deadline=200)
    assert waits.armed == [100, 50]
    assert waits.all.next_deadline == 50
    assert waits.all.expire(49) == 0
    assert waits.all.expire(50) == 1
    assert waits.answers == [(0, TIMED_OUT)]
    assert waits.all.next_deadline == 100
    waits.standing[A] = (1, NONE)
    assert waits.all.expire(200) == 2
    assert waits.answers[1:] == [b"1", (0, TIMED_OUT)]
    assert waits.all.next_deadline is None


def test_one_whose_client_has_gone_is_not_answered() -> None:
    waits = Waits()
    gone = waits.add(1)
    waits.add(1)
    gone.abandon()
    gone.abandon()
    assert len(waits.all) == 1
    waits.standing[A] = (1, NONE)
    waits.all.wake(A)
    assert waits.answers == [b"1"]
    assert waits.all.next_deadline is None


def test_who_asks_again_while_it_is_answered_waits_anew() -> None:
    waits = Waits()
    first, _ = waits.all.promise(A, 1, 100, b"first", Waits._refuse)
    first.then(lambda _: waits.add(2))
    waits.standing[A] = (1, NONE)
    waits.all.wake(A)
    assert (len(waits.all), waits.answers) == (1, [])


def test_other_waiters_wait_beside_them() -> None:
    waits, ended = Waits(), list[object]()
    waits.add(1, deadline=100)
    waits.all.add(Waiter([A], 70, lambda: True, ended.append, ended.append))
    assert (len(waits.all), waits.all.next_deadline) == (2, 70)
    waits.standing[A] = (1, NONE)
    assert waits.all.wake(A) == 2
    assert (waits.answers, ended) == ([b"1"], [False])
