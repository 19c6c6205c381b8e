"""What the history keeps, and its bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError

SECOND: Final = 1000
HOUR: Final = 3600 * SECOND
DAY: Final = 24 * HOUR
MOST_MS: Final = 1 << 48
"""Times from here on are wrong."""

RAW, MINUTES, HOURS = 0, 1, 2
"""Levels: as recorded, by five minutes, by the hour."""
STEPS: Final = (1, 300 * SECOND, HOUR)
"""Milliseconds between the times of a level."""
PERIODS: Final = (HOUR, DAY, 32 * DAY)
"""Milliseconds that one row of a series holds, by level."""

Number = int | float


class SeriesKey(NamedTuple):
    """What is measured: ("group", "billing", "lag"), ("topic", "orders", "messages")."""

    kind: str
    name: str
    fact: str


class HistoryPoint(NamedTuple):
    """The values of one step, which begins at ``at_ms``."""

    at_ms: int
    last: Number
    min: Number
    max: Number


class HistoryRow(NamedTuple):
    """One point of one series, for an export."""

    cluster: str
    key: SeriesKey
    point: HistoryPoint


class HistoryEvent(NamedTuple):
    """Something that happened: one line of the timeline."""

    id: int
    cluster: str
    at_ms: int
    kind: str
    subject: str
    text: str
    details: object
    """Any JSON value."""


@dataclass(frozen=True)
class HistoryLimits:
    """How much to keep. Ages count recorded time only, so that a clock that jumps drops
    nothing: an hour without records counts as one hour at most.

    Raises SettingError for what cannot be kept.
    """

    raw_ms: int = DAY
    minutes_ms: int = 14 * DAY
    hours_ms: int = 400 * DAY
    max_bytes: int = 1 << 30
    """Of the file and those of SQLite beside it."""
    max_series: int = 100_000
    """Beyond it, those without new values for longest are dropped, with all their points."""
    flush_ms: int = SECOND
    """Values recorded longer ago than this survive ``kill -9``."""
    memory_bytes: int = 32 << 20
    """Of points in memory, without some hundred bytes a series; with more, hours go to the disk
    before they end."""

    def __post_init__(self) -> None:
        for name, least in (
            ("raw_ms", HOUR),
            ("minutes_ms", DAY),
            ("hours_ms", DAY),
            ("max_bytes", 1 << 20),
            ("max_series", 1),
            ("flush_ms", 1),
            ("memory_bytes", 1 << 10),
        ):
            if getattr(self, name) < least:
                raise SettingError(f"history: {name} is {getattr(self, name)}, at least {least}")

    def ages(self) -> tuple[int, int, int]:
        """Milliseconds that each level is kept."""
        return self.raw_ms, self.minutes_ms, self.hours_ms


def fold(points: Iterable[HistoryPoint], step_ms: int) -> Iterator[HistoryPoint]:
    """One point for every step that has any; ``points`` come in the order of time."""
    start = -1
    last: Number = 0
    least: Number = 0
    most: Number = 0
    for at_ms, value, low, high in points:
        begins = at_ms - at_ms % step_ms
        if begins != start:
            if start >= 0:
                yield HistoryPoint(start, last, least, most)
            start, least, most = begins, low, high
        last = value
        least = min(least, low)
        most = max(most, high)
    if start >= 0:
        yield HistoryPoint(start, last, least, most)
