"""How much of something lately: sums over windows of time, and buckets that fill again.

Counterpart of ``SampledStat``, ``SimpleRate``, ``Rate``, ``TokenBucket`` and ``QuotaUtils``. Times
in ms of a monotonic clock, rates per second.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple


class Windows(NamedTuple):
    """How many windows count, and how long each is, in ms."""

    number: int
    ms: float

    @classmethod
    def of(cls, value: Callable[[str], Any], name: str) -> Windows:
        """As settings have them; ``name`` is what their names begin with (``quota.window``)."""
        return cls(value(f"{name}.num"), value(f"{name}.size.seconds") * 1000)

    @property
    def span_ms(self) -> float:
        """All of them together."""
        return self.number * self.ms


class SampledRate(ABC):
    """What was recorded in the last windows, per second."""

    __slots__ = ("_least_s", "_samples", "_total", "_windows")

    def __init__(self, windows: Windows, least_ms: float) -> None:
        """``least_ms``: what was recorded is spread over no less than that."""
        self._windows = windows
        self._least_s = least_ms / 1000
        self._samples: deque[list[float]] = deque()
        """Start of a window, time of the last record in it, sum; oldest first."""
        self._total = 0.0

    def record(self, amount: float, now: float) -> None:
        """``amount`` more, or less again if it is negative."""
        samples = self._samples
        if not samples or now - samples[-1][0] >= self._windows.ms:
            self._purge(now)
            samples.append([now, now, 0.0])
        sample = samples[-1]
        sample[1] = now
        sample[2] += amount
        self._total += amount

    def at(self, now: float) -> float:
        """The rate at this moment."""
        self._purge(now)
        return self._total * 1000 / self._elapsed_ms(now) if self._samples else 0.0

    def over_ms(self, limit: float, now: float) -> float:
        """How long nothing may be recorded for the rate to be at ``limit`` again; 0 if it is not
        above. For no limit above 0 that is as long as anything counts (``QuotaUtils`` divides by
        it, and its caller then lets everything through)."""
        if self._total <= limit * self._least_s:
            return 0.0  # whatever has passed since: what is purged only makes it less
        rate = self.at(now)
        if rate <= limit:
            return 0.0
        if limit <= 0:
            return self._windows.span_ms
        return (rate - limit) / limit * self._elapsed_ms(now)

    def is_blank(self, now: float) -> bool:
        """Whether it is as good as new: nothing that was recorded counts any more."""
        self._purge(now)
        return not self._samples

    def _purge(self, now: float) -> None:
        """A window counts until everything in it is too long ago, then not at all."""
        samples, span = self._samples, self._windows.span_ms
        while samples and now - samples[0][1] >= span:
            self._total -= samples.popleft()[2]
        if not samples:
            self._total = 0.0

    def _age_ms(self, now: float) -> float:
        return now - self._samples[0][0]

    @abstractmethod
    def _elapsed_ms(self, now: float) -> float:
        """The time that the sum is spread over; there is at least one sample."""


class SimpleRate(SampledRate):
    """Spread over the time since the first window began, that window at least."""

    __slots__ = ()

    def __init__(self, windows: Windows) -> None:
        super().__init__(windows, windows.ms)

    def _elapsed_ms(self, now: float) -> float:
        return max(self._age_ms(now), self._windows.ms)


class Rate(SampledRate):
    """Spread over all windows but one at least, however short the time since the first."""

    __slots__ = ()

    def __init__(self, windows: Windows) -> None:
        super().__init__(windows, (windows.number - 1) * windows.ms)

    def _elapsed_ms(self, now: float) -> float:
        elapsed, (number, window_ms) = self._age_ms(now), self._windows
        missing = number - 1 - int(elapsed / window_ms)
        if missing > 0:
            elapsed += missing * window_ms
        return max(elapsed, 1.0)


class TokenBucket:
    """Fills at the limit's rate, up to what the limit lets through in all windows; below nothing
    the limit is exceeded. It begins full."""

    __slots__ = ("_seconds", "_tokens", "_updated")

    def __init__(self, windows: Windows) -> None:
        self._seconds = windows.span_ms / 1000
        self._tokens: float | None = None
        self._updated = 0.0

    def take(self, amount: float, limit: float, now: float) -> None:
        """``amount`` more, allowed or not."""
        self._tokens = self._at(limit, now) - amount
        self._updated = now

    def over_ms(self, limit: float, now: float) -> float:
        """How long nothing may be taken for the bucket not to be below nothing; 0 if it is not."""
        tokens = self._at(limit, now)
        if tokens >= 0:
            return 0.0
        return -tokens / limit * 1000 if limit > 0 else self._seconds * 1000

    def is_blank(self, limit: float, now: float) -> bool:
        """Whether it is as good as new: full."""
        return self._at(limit, now) >= self._seconds * limit

    def _at(self, limit: float, now: float) -> float:
        full = self._seconds * limit
        if self._tokens is None:
            return full
        return min(full, self._tokens + limit * (now - self._updated) / 1000)
