"""Times that clocks of several machines gave, held against each other. Pure; times in ms."""

from __future__ import annotations

from typing import Final

CLOCK_MS: Final = 300_000
"""A time further ahead of now is of a clock that is wrong; up to there a report, which takes its
time, or clocks that differ a little, explain it."""
SLACK_MS: Final = 1000
"""Records next to each other may have times that go back so far: producers' clocks differ."""


def age_of(at: int, now: int) -> int | None:
    """How long ago a moment is, never negative; None where it lies too far ahead of now: no one
    knows how old that is, and it is not new."""
    return None if at > now + CLOCK_MS else max(0, now - at)


def difference(later: int, earlier: int) -> int | None:
    """How much later a time is, never negative; None where it is clearly the earlier one."""
    return None if later < earlier - SLACK_MS else max(0, later - earlier)
