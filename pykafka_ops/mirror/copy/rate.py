"""So much per second, for what comes in uneven pieces. Pure."""

from __future__ import annotations

from typing import Final

BURST_MS: Final = 1_000


class RateLimit:
    """``per_second`` on the average (0: no limit), up to one second's worth at once.

    What is taken may run into debt, so that a piece larger than the limit passes at all.
    """

    def __init__(self, per_second: int, now_ms: float) -> None:
        self.per_second = per_second
        self._left = float(per_second)
        self._at = now_ms

    def wait_ms(self, now_ms: float) -> float:
        """How long until something may be taken; 0: now."""
        if not self.per_second:
            return 0.0
        gained = max(0.0, now_ms - self._at) * self.per_second / 1000
        self._left = min(self._left + gained, self.per_second * BURST_MS / 1000)
        self._at = now_ms
        return max(0.0, -self._left * 1000 / self.per_second)

    def take(self, amount: int) -> None:
        """Count what was taken."""
        if self.per_second:
            self._left -= amount
