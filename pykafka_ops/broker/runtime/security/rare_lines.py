"""One line in the log for each thing that goes wrong with clients, however many they are."""

from __future__ import annotations

import logging
from collections.abc import Callable

from pykafka_ops.broker.state.line_limit import LineLimit

log = logging.getLogger("kafka.network.SocketServer")


class RareLines:
    """``timer()`` is a monotonic clock in ms. Things are few: what the broker's code names."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._limits: dict[tuple[str, ...], LineLimit] = {}

    def say(self, text: str, *thing: str) -> None:
        """Write a line about ``thing``, unless there was one a moment ago; then only count."""
        limit = self._limits.setdefault(thing, LineLimit(1))
        if limit.admits(self._timer()):
            more = limit.take_left_out()
            log.warning("%s%s", text, f" ({more} more like this meanwhile)" if more else "")
