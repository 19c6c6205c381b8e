"""How fast moves go: when they will be done, and a throttle that finds its own limit.

The throttle grows while the cluster is well and the moves use what they may; it is halved as soon
as partitions that do not move fall behind, or brokers answer late. So a cluster with little to do
moves fast, and one under load slowly.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

FIRST: Final = 10 << 20
"""Bytes a second that it begins with."""
LEAST: Final = 1 << 20
MOST: Final = 10 << 30
GROWTH: Final = 1.5
USED: Final = 0.7
"""Share of the limit that moves must use for it to grow."""
LATE_TIMES: Final = 4.0
LATE_SECONDS: Final = 0.1
_SPAN: Final = 30.0
"""Seconds over which the rate of copying is taken."""


class Signs(NamedTuple):
    """How the cluster is: partitions behind that do not move and were not behind before, the time
    that brokers take to answer (seconds) and took before the moves, bytes a second that the
    busiest broker copies."""

    behind: int
    answer: float
    answer_before: float
    rate: float


def next_limit(limit: int, signs: Signs, most: int = MOST) -> tuple[int, str]:
    """The limit (bytes a second) to go on with, and why it changed ("" if it did not)."""
    if signs.behind:
        return max(LEAST, limit // 2), f"{signs.behind} other partitions are behind"
    late = max(signs.answer_before * LATE_TIMES, signs.answer_before + LATE_SECONDS)
    if signs.answer > late:
        return max(LEAST, limit // 2), f"brokers take {signs.answer * 1000:.0f} ms to answer"
    if limit < most and signs.rate >= limit * USED:
        return min(most, int(limit * GROWTH)), "the cluster is well"
    return limit, ""


class Speed:
    """The rate of copying over the last half minute, and the time that is left."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, now: float, done: int) -> None:
        """``done`` bytes are copied by now (seconds of any clock that only goes on)."""
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _SPAN:
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """Bytes a second."""
        if len(self._seen) < 2:
            return 0.0
        (then, before), (now, done) = self._seen[0], self._seen[-1]
        return max(0.0, (done - before) / (now - then)) if now > then else 0.0

    def left(self, total: int) -> float | None:
        """Seconds until ``total`` bytes are copied; None while no rate is known."""
        rate = self.rate
        return (total - self._seen[-1][1]) / rate if rate else None

    def stands(self, now: float, seconds: float) -> bool:
        """Whether nothing was copied for so long."""
        old = [done for at, done in self._seen if now - at >= min(seconds, _SPAN) * 0.9]
        return bool(old) and self._seen[-1][1] <= old[-1]


def time_text(seconds: float | None) -> str:
    """``1h05m``, ``2m03s``, ``4s``; ``?`` where it is not known."""
    if seconds is None:
        return "?"
    whole = int(seconds + 0.5)
    if whole >= 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 60}m{whole % 60:02}s" if whole >= 60 else f"{whole}s"
