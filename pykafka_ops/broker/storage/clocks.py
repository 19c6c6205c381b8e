"""The clocks of a running broker."""

from __future__ import annotations

import time

from pykafka_ops.broker.hot.raw import wall_clock


def monotonic_clock() -> float:
    """Monotonic ms."""
    return time.monotonic_ns() / 1e6


__all__ = ["monotonic_clock", "wall_clock"]
