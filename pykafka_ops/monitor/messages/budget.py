"""What a search may cost: time, bytes read, records looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

Ended = Literal["", "limit", "end", "time", "bytes", "records", "memory", "cancelled"]
"""Why a search stopped; "" while it goes on."""


class Allowance(NamedTuple):
    """The most of each: seconds, bytes from brokers, records, bytes that are kept to be shown."""

    seconds: float = 10.0
    read_bytes: int = 128 << 20
    records: int = 200_000
    kept_bytes: int = 48 << 20


ALLOWANCE: Final = Allowance()


class Budget:
    """What is spent of an allowance; ``clock`` gives seconds, ``cancelled`` whether nobody waits
    for the answer any more."""

    def __init__(
        self,
        allowance: Allowance,
        clock: Callable[[], float],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.allowance = allowance
        self.read_bytes = self.records = self.kept_bytes = 0
        self._clock, self._cancelled = clock, cancelled
        self._began = clock()

    @property
    def seconds(self) -> float:
        """Since the search began."""
        return self._clock() - self._began

    @property
    def seconds_left(self) -> float:
        """Until it has to end, 0 when it is over."""
        return max(0.0, self.allowance.seconds - self.seconds)

    def spent(self) -> Ended:
        """Which of all is used up, "" where none is."""
        if self._cancelled():
            return "cancelled"
        if self.seconds >= self.allowance.seconds:
            return "time"
        if self.read_bytes >= self.allowance.read_bytes:
            return "bytes"
        if self.records >= self.allowance.records:
            return "records"
        return "memory" if self.kept_bytes >= self.allowance.kept_bytes else ""
