"""One timer of the loop stands for many deadlines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pykafka_ops.broker.deadline_timer import DeadlineTimer


class Loop:
    """The timers that were set and not cancelled, by delay in seconds."""

    def __init__(self) -> None:
        self.timers: dict[float, Callable[[], None]] = {}

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Any:
        self.timers[seconds] = callback
        return Handle(self, seconds)


class Handle:
    def __init__(self, loop: Loop, seconds: float) -> None:
        self._loop, self._seconds = loop, seconds

    def cancel(self) -> None:
        del self._loop.timers[self._seconds]


def test_only_the_earliest_deadline_has_a_timer() -> None:
    loop = Loop()
    timer = DeadlineTimer(cast(Any, loop), lambda: 1000.0)
    for deadline in (5000.0, 9000.0, 3000.0, 4000.0):
        timer.arm(deadline)
    assert list(loop.timers) == [2.0]


def test_what_is_overdue_comes_at_once_and_gives_the_next_deadline() -> None:
    loop, following = Loop(), [2500.0, None]
    timer = DeadlineTimer(cast(Any, loop), lambda: 1000.0)
    timer.due = lambda: following.pop(0)
    timer.arm(500.0)
    loop.timers.pop(0.0)()
    assert list(loop.timers) == [1.5]
    loop.timers.pop(1.5)()
    assert (loop.timers, following) == ({}, [])


def test_a_stopped_timer_can_be_armed_again() -> None:
    loop = Loop()
    timer = DeadlineTimer(cast(Any, loop), lambda: 0.0)
    timer.arm(1000.0)
    timer.stop()
    timer.stop()
    assert loop.timers == {}
    timer.arm(2000.0)
    assert list(loop.timers) == [2.0]
