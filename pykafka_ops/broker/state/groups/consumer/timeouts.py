"""How long the broker waits for members of consumer groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.timers import Timer, Timers

Action = Callable[[Instant], Outcome | None]


class Wait(Enum):
    """What is waited for."""

    SESSION = "a sign of life"
    REBALANCE = "partitions to be given up"
    JOIN = "a classic member to join again"
    SYNC = "a classic member to ask for its assignment"


@dataclass(slots=True)
class _Watch:
    deadline: float
    timer: Timer
    action: Action


class Timeouts:
    """What is waited for, by member; ``owner`` is what the timers belong to."""

    def __init__(self, timers: Timers, owner: object) -> None:
        self._timers = timers
        self._owner = owner
        self._watched: dict[tuple[Wait, str, str], _Watch] = {}

    def expect(self, wait: Wait, group_id: str, member_id: str, by: float, action: Action) -> None:
        """Have ``action`` done at ``by`` (monotonic ms), in place of what was to be done.

        A timer stays where it is when its deadline moves on, which is what heartbeats do.
        """
        key = wait, group_id, member_id
        known = self._watched.get(key)
        if known is not None and known.timer.deadline <= by:
            known.deadline, known.action = by, action
            return
        if known is not None:
            known.timer.cancel()
        self._watched[key] = _Watch(by, self._at(key, by), action)

    def is_expected(self, wait: Wait, group_id: str, member_id: str) -> bool:
        """Whether that is waited for."""
        return (wait, group_id, member_id) in self._watched

    def cancel(self, wait: Wait, group_id: str, member_id: str) -> None:
        """Wait no more."""
        known = self._watched.pop((wait, group_id, member_id), None)
        if known is not None:
            known.timer.cancel()

    def forget(self, group_id: str, member_id: str) -> None:
        """Wait for nothing of a member any more."""
        for wait in Wait:
            self.cancel(wait, group_id, member_id)

    def soon(self, now: float, action: Action) -> None:
        """Have ``action`` done after everybody else has had a turn."""
        self._timers.at(now + 1, self._owner, action)

    def _at(self, key: tuple[Wait, str, str], by: float) -> Timer:
        return self._timers.at(by, self._owner, partial(self._over, key))

    def _over(self, key: tuple[Wait, str, str], now: Instant) -> Outcome | None:
        known = self._watched.get(key)
        if known is None:
            return None
        if known.deadline > now.timer:
            known.timer = self._at(key, known.deadline)
            return None
        del self._watched[key]
        return known.action(now)
