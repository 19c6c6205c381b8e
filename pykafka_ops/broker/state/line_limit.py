"""How many lines of one kind a log gets, when clients could fill it."""

from __future__ import annotations

MOST = 10
PERIOD_MS = 10_000


class LineLimit:
    """Lets ``most`` lines through in :data:`PERIOD_MS`, and counts the others."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._since = float("-inf")
        self._written = 0
        self.left_out = 0
        """Lines that were not written in this period."""

    def admits(self, now: float) -> bool:
        """Whether a line may be written at ``now`` (ms)."""
        if now - self._since >= PERIOD_MS:
            self._since, self._written = now, 0
        if self._written < self._most:
            self._written += 1
            return True
        self.left_out += 1
        return False

    def take_left_out(self) -> int:
        """How many lines were left out since the last call."""
        count, self.left_out = self.left_out, 0
        return count
