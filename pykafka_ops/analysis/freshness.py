"""How much of the time a group kept its objective: every record read within some seconds.

Burn rates and their limits are those of Google's SRE Workbook ("Alerting on SLOs"): 1 uses the
whole error budget up in the whole time. Times are in ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.analysis.moments import UNITS

FRESH, UNKNOWN, LATE = range(3)
"""How a moment is; of several partitions the greatest counts."""
BURNS: Final = (UNITS["h"], 6 * UNITS["h"], 3 * UNITS["d"])
"""Spans that burn rates are over."""
FAST: Final = (14.4, 6.0)
"""Burn rates over the first two spans that want somebody at once; over the last one it is 1."""
_STEPS: Final = ((UNITS["h"], UNITS["m"]), (6 * UNITS["h"], 5 * UNITS["m"]),
                 (3 * UNITS["d"], 30 * UNITS["m"]))  # fmt: skip
"""Up to so long ago one moment in so much time is looked at."""
_LONG_AGO: Final = 3 * UNITS["h"]
OK, SLOW, BURNING, BROKEN, NOT_KNOWN = "ok", "slow", "burning", "broken", "unknown"
STATUSES: Final = (OK, NOT_KNOWN, SLOW, BURNING, BROKEN)
"""From good to bad."""


@dataclass(frozen=True, slots=True)
class FreshnessRules:
    """A record is to be read within ``limit_ms``, for a share ``objective`` of the time."""

    limit_ms: int = 30 * UNITS["s"]
    objective: float = 0.999


def grid(now: int, since: int) -> list[int]:
    """Moments from ``since`` to ``now``, closer the later; each stands for the time since the one
    before it, the first one for none."""
    moments, at = [now], now
    while at > since:
        ago = now - at
        step = next((step for limit, step in _STEPS if ago < limit), _LONG_AGO)
        at = max(since, at - step)
        moments.append(at)
    return moments[::-1]


def states(
    commits: Sequence[tuple[int, int | None]],
    ends: Mapping[int, int],
    bounds: tuple[int | None, int | None],
    moments: Sequence[int],
    limit_ms: int,
) -> list[int]:
    """How a partition of a group was at each of ``moments``: FRESH where the offset in force is no
    less than that of the first record younger than the limit then.

    ``commits`` are the number of the moment by which an offset was committed, and the offset (None:
    deleted), in order; ``ends`` the first offset from each moment less the limit on; ``bounds`` the
    log's start and end now. What retention took meanwhile is not known to have been late.
    """
    start, end = bounds
    by_place = dict(commits)
    committed: int | None = None
    found = []
    for place, moment in enumerate(moments):
        committed = by_place.get(place, committed)
        wanted = ends.get(moment - limit_ms)
        if committed is None or wanted is None or (end is not None and committed > end):
            found.append(UNKNOWN)
        elif committed >= wanted:
            found.append(FRESH)
        else:
            found.append(UNKNOWN if start is None or wanted <= start else LATE)
    return found


class ErrorBudget(NamedTuple):
    """Spans in ms; ``share`` of the known time that was fresh, ``left`` of the error budget (below
    0: more is used than there is), burn rates over BURNS; None: nothing is known."""

    fresh: int
    late: int
    unknown: int
    share: float | None
    left: float | None
    burns: tuple[float | None, ...]
    status: str


def budget(found: Sequence[int], moments: Sequence[int], objective: float) -> ErrorBudget:
    """The budget of a group in a topic, from how each of ``moments`` was."""
    spans = [0, 0, 0]
    for state, (before, at) in zip(found[1:], pairwise(moments), strict=True):
        spans[state] += at - before
    now = moments[-1]
    burns = tuple(_burn(found, moments, now - span, objective) for span in BURNS)
    known = spans[FRESH] + spans[LATE]
    share = spans[FRESH] / known if known else None
    left = None if share is None else 1 - (1 - share) / (1 - objective)
    status = _status(left, burns)
    return ErrorBudget(spans[FRESH], spans[LATE], spans[UNKNOWN], share, left, burns, status)


def _burn(
    found: Sequence[int], moments: Sequence[int], since: int, objective: float
) -> float | None:
    """The share of the known time since then that was late, over the share that may be."""
    late = known = 0
    for state, (before, at) in zip(found[1:], pairwise(moments), strict=True):
        size = max(0, at - max(before, since))
        known += size * (state != UNKNOWN)
        late += size * (state == LATE)
    return late / known / (1 - objective) if known else None


def _status(left: float | None, burns: Sequence[float | None]) -> str:
    if left is None:
        return NOT_KNOWN
    if left <= 0:
        return BROKEN
    if any((burn or 0.0) >= limit for burn, limit in zip(burns, FAST, strict=False)):
        return BURNING
    return SLOW if (burns[-1] or 0.0) >= 1 else OK
