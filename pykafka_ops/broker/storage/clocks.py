"""The clocks of a running broker."""

from __future__ import annotations

import time


def wall_clock() -> int:
    """ms since 1970."""
    return time.time_ns() // 1_000_000


def monotonic_clock() -> float:
    """Monotonic ms."""
    return time.monotonic_ns() / 1e6
