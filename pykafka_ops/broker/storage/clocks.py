"""The clocks of a running broker."""

from __future__ import annotations

from pykafka_ops.broker.hot.raw import monotonic_clock, wall_clock

__all__ = ["monotonic_clock", "wall_clock"]
