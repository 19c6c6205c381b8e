"""Keeps the cleaner's reads and writes below a rate (``Throttler``)."""

from __future__ import annotations

from collections.abc import Callable

_CHECK_SECONDS = 0.3


class Throttler:
    """``rate`` is in bytes per second; ``clock`` and ``sleep`` in seconds."""

    def __init__(
        self, rate: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._sleep = sleep
        self._since = clock()
        self._bytes = 0

    def spent(self, count: int) -> None:
        """``count`` bytes were read or written; sleeps if that was too fast."""
        self._bytes += count
        elapsed = self._clock() - self._since
        early = self._bytes / self._rate - elapsed
        if elapsed < _CHECK_SECONDS and early < _CHECK_SECONDS:
            return
        if early > 0:
            self._sleep(early)
        self._since = self._clock()
        self._bytes = 0
