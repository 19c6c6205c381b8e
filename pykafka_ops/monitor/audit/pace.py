"""How often something may be written down: nobody fills a disk, or keeps it busy, by failing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

AT_ONCE: Final = 50
"""As many may come together."""
EACH_MS: Final = 1_000
"""After that one in so many ms."""


class WritePace:
    """``now`` in ms; any thread."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._left, self._at = float(AT_ONCE), 0
        self._skipped = 0

    def may(self) -> bool:
        """Whether one more may be written; else it is counted."""
        with self._lock:
            now = self._now()
            self._left = min(AT_ONCE, self._left + max(0, now - self._at) / EACH_MS)
            self._at = now
            if self._left < 1:
                self._skipped += 1
                return False
            self._left -= 1
            return True

    def skipped(self) -> int:
        """How many were counted since this was asked last."""
        with self._lock:
            found, self._skipped = self._skipped, 0
        return found
