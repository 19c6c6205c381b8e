"""One timer of the event loop for many deadlines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pykafka_ops.broker import jobs

RETRY_MS = 1000


class DeadlineTimer:
    """Calls ``due()`` at the earliest deadline, which does what is due and gives the next one.

    ``clock()`` is monotonic and in ms, as are deadlines.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Callable[[], float]) -> None:
        self._loop = loop
        self._clock = clock
        self._armed: tuple[float, asyncio.TimerHandle] | None = None
        self.due: Callable[[], float | None] = lambda: None

    def arm(self, deadline: float) -> None:
        """Have ``due`` called at ``deadline`` at the latest."""
        if self._armed is not None:
            if self._armed[0] <= deadline:
                return
            self._armed[1].cancel()
        delay = max(0.0, deadline - self._clock()) / 1000
        self._armed = (deadline, self._loop.call_later(delay, self._fire))

    def _fire(self) -> None:
        self._armed = None
        try:
            following = self.due()
        except Exception as error:
            jobs.failed("answers whose time is up", error)
            following = self._clock() + RETRY_MS
        if following is not None:
            self.arm(following)

    def stop(self) -> None:
        """No more calls."""
        if self._armed is not None:
            self._armed[1].cancel()
            self._armed = None
