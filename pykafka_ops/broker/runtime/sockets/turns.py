"""Shares the turns of the loop between those who have much to write, or to ask.

Between two turns small requests are read and answered, however many clients want large answers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from pykafka_ops.broker.hot.raw import LOOK

TURN_BYTES = 2 * 1024 * 1024
"""Bytes written in one turn, to all clients together: some ms of work."""
BURST = 256
BURST_S = 0.003
"""Requests of one client served in a row before the others have their turn, and how long that may
take."""


class Turns:
    """One per broker; ``call_soon`` is the loop's."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], None]) -> None:
        self._call_soon = call_soon
        self._left = TURN_BYTES
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_next_called = False
        self._burst_until = 0.0

    def look_again(self, served: int) -> int:
        """A client had so many requests served in a row: with how many to ask again, 0 if it is the
        turn of others."""
        now = time.monotonic()
        if served == LOOK:
            self._burst_until = now + BURST_S
        return served + LOOK if served < BURST and now <= self._burst_until else 0

    @property
    def over(self) -> bool:
        """Whether enough was written in this turn."""
        return self._left <= 0

    def spend(self, size: int) -> None:
        """So many bytes were written. What a turn does not write is left to the next one."""
        self._left -= size
        if self._left <= 0:
            self._call_next()

    def wait(self, go_on: Callable[[], None]) -> int:
        """Have ``go_on`` called in a later turn, the first first; how many wait."""
        self._waiting.append(go_on)
        self._call_next()
        return len(self._waiting)

    def _call_next(self) -> None:
        if not self._is_next_called:
            self._is_next_called = True
            self._call_soon(self._next)

    def _next(self) -> None:
        self._is_next_called = False
        self._left = TURN_BYTES
        for _ in range(len(self._waiting)):
            if self.over:
                break
            self._waiting.popleft()()
        if self._waiting:
            self._call_next()
