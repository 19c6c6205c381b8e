"""One loop timer for the requests that wait with a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pykafka_ops.broker.storage.clocks import monotonic_clock


class Expiry:
    """Calls ``expire(now)``, which completes what is overdue and gives the next deadline."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._armed: tuple[float, asyncio.TimerHandle] | None = None
        self.expire: Callable[[float], float | None] = lambda now: None

    def arm(self, deadline: float) -> None:
        """Have waiting requests expire at ``deadline`` (monotonic ms) at the latest."""
        if self._armed is not None:
            if self._armed[0] <= deadline:
                return
            self._armed[1].cancel()
        delay = max(0.0, deadline - monotonic_clock()) / 1000
        self._armed = (deadline, self._loop.call_later(delay, self._fire))

    def _fire(self) -> None:
        self._armed = None
        following = self.expire(monotonic_clock())
        if following is not None:
            self.arm(following)

    def stop(self) -> None:
        """No more calls."""
        if self._armed is not None:
            self._armed[1].cancel()
            self._armed = None
