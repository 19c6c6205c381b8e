"""One line in the log for each thing that goes wrong with clients, however many they are."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger("kafka.network.SocketServer")

EVERY_MS = 10_000
"""Between two lines about the same thing."""


class RareLines:
    """``timer()`` is a monotonic clock in ms. Things are few: what the broker's code names."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._said: dict[tuple[str, ...], tuple[float, int]] = {}

    def say(self, text: str, *thing: str) -> None:
        """Write a line about ``thing``, unless there was one a moment ago; then only count."""
        now = self._timer()
        at, more = self._said.get(thing, (now - EVERY_MS, 0))
        if now - at < EVERY_MS:
            self._said[thing] = at, more + 1
            return
        self._said[thing] = now, 0
        log.warning("%s%s", text, f" ({more} more like this meanwhile)" if more else "")
