"""So many records a second, about (Kafka's ThroughputThrottler)."""

from __future__ import annotations

import time

_LEAST_SLEEP = 0.002


class Throttle:
    """``wait`` after each record; a ``rate`` below 0 means as fast as it goes, 0 never."""

    def __init__(self, rate: float) -> None:
        self.rate, self._start, self._debt = rate, time.monotonic(), 0.0

    def wait(self, sent: int) -> float:
        """Seconds to stand still now that ``sent`` records are sent."""
        if self.rate < 0:
            return 0.0
        elapsed = time.monotonic() - self._start
        if elapsed <= 0 or (self.rate and sent / elapsed <= self.rate):
            return 0.0
        if self.rate == 0:
            return float("inf")
        self._debt += 1 / self.rate
        if self._debt < _LEAST_SLEEP:
            return 0.0
        wait, self._debt = self._debt, 0.0
        return wait
