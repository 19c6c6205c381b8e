"""What retention will take from a group before it reads it, and when.

Times in ms since 1970, spans in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from pykafka_ops.analysis.lag.unread import until


class Departure(NamedTuple):
    """A stretch of a log: its last offset, and when it goes (ms; inf: never)."""

    last: int
    at: float


def loss_in_seconds(
    leaves: Sequence[Departure] | None,
    now: int,
    *,
    committed: int | None,
    lag: int | None,
    lead: int | None,
) -> float | None:
    """When retention takes the record at the committed offset, with its whole segment, if the group
    stays there. ``leaves`` are the stretches of the log in order, None where they are not known.

    0.0 if it goes now or is gone (``lead`` below 0), inf for never, None where that is not known.
    """
    if lead is not None and lead < 0:
        return 0.0
    if lag is None or committed is None:
        return None if lag != 0 else inf
    if not lag:
        return inf
    found = next((stretch for stretch in leaves or () if stretch.last >= committed), None)
    return None if found is None else until(found.at, now)


def retained_share(lag: int | None, start: int | None, end: int | None) -> float | None:
    """How much of what the log holds a group has yet to read: 0 to 1; None if not known.

    1.0 for a group that lost records, 0.0 of an empty log.
    """
    if lag is None or start is None or end is None:
        return None
    return round(min(1.0, lag / (end - start)), 6) if end > start else 0.0


def is_silent(silence_ms: int, window_ms: int, least_ms: int) -> bool:
    """Whether a group whose last commit is so long ago counts as one that stopped committing."""
    return silence_ms > max(window_ms, least_ms)
