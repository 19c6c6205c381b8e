"""The state of a consumer by its last commits: Burrow's rules, with three changes.

Source: Burrow, core/internal/evaluator/caching.go. Changed: too few commits give UNKNOWN instead
of STOP, silence counts as STOP only beyond three times the usual gap between commits and ten
seconds, and commits from a clock far ahead are never OK.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple, TypeVar

from pykafka_ops.analysis.clocks import age_of

OK: Final = "OK"
WARN: Final = "WARN"
"""It commits and advances, but falls further behind each time."""
STALL: Final = "STALL"
"""It commits, always the same offset, while there is more to read."""
STOP: Final = "STOP"
"""It no longer commits though there is more to read."""
REWIND: Final = "REWIND"
"""It went back to an earlier offset and has not caught up with itself."""
UNKNOWN: Final = "UNKNOWN"
"""There are too few commits to judge, or a clock that is wrong gave their times."""
ORDER: Final = (OK, UNKNOWN, WARN, REWIND, STALL, STOP)
"""From good to bad; a group is as bad as its worst partition."""

WINDOW: Final = 10
"""Commits that are looked at."""
SILENCE_MS: Final = 10_000
"""Silence up to this long is never a stop."""
LEAST: Final = 3
"""Fewest commits for any state but OK."""


class Commit(NamedTuple):
    """A commit: when (ms since 1970), which offset (-1: deleted), how far behind it was then
    (None: not known)."""

    timestamp: int
    offset: int
    lag: int | None = None


At = TypeVar("At", Commit, tuple[int, int])
_offset = itemgetter(1)


class Verdict(NamedTuple):
    """The status, and since when (ms; None: not known or no trouble)."""

    status: str
    since: int | None


def judge(commits: Sequence[Commit], lag: int, now: int) -> Verdict:
    """The state of one partition of a group whose lag is now ``lag``.

    ``commits`` in order of time, of which the last ``WINDOW`` count, ``now`` in ms. Commits with
    times ahead of now do not show that all is well: whether they stopped, nobody knows.
    """
    recent = _since_deletion(commits[-WINDOW:])
    if lag <= 0:
        return Verdict(OK, None)
    if len(recent) < LEAST:
        return Verdict(UNKNOWN, None)
    if _is_silent(recent, now):
        return Verdict(STOP, recent[-1].timestamp)
    dropped = rewound(recent)
    if dropped is not None:
        return Verdict(REWIND, dropped)
    well = OK if age_of(recent[-1].timestamp, now) is not None else UNKNOWN
    if any(c.lag is not None and c.lag <= 0 for c in recent):
        return Verdict(well, None)
    if recent[0].offset == recent[-1].offset:
        return Verdict(STALL, stalled_since(commits))
    lags = [(c.timestamp, c.lag) for c in recent if c.lag is not None]
    pairs = list(pairwise(lags))
    if pairs and all(before[1] <= after[1] for before, after in pairs):
        return Verdict(WARN, lags[0][0])
    return Verdict(well, None)


def worst(statuses: Sequence[str]) -> str:
    """The status of a group with these partitions; OK if it has none."""
    return max(statuses, key=ORDER.index, default=OK)


def rate(commits: Sequence[At]) -> float | None:
    """Records per second between the first and the last commit, each a time (ms) and an offset;
    None for less than two times."""
    recent = _since_deletion(commits)
    if len(recent) < 2 or recent[-1][0] <= recent[0][0]:
        return None
    return (recent[-1][1] - recent[0][1]) / ((recent[-1][0] - recent[0][0]) / 1000)


def step(before: int, after: int) -> int:
    """How far the group got between two commits; 0 if it went back or the offset was deleted."""
    return after - before if 0 <= before < after else 0


def catch_up_seconds(lag: int, rate_in: float | None, rate_out: float | None) -> float | None:
    """Seconds until the lag is gone at these rates (records/s); None: never, or not known."""
    if lag <= 0:
        return 0.0
    if rate_in is None or rate_out is None or rate_out <= rate_in:
        return None
    return lag / (rate_out - rate_in)


def _since_deletion(commits: Sequence[At]) -> Sequence[At]:
    """The commits after the offsets were last deleted."""
    if not commits or min(map(_offset, commits)) >= 0:  # of very many, too
        return commits
    return commits[max(n for n, commit in enumerate(commits) if commit[1] < 0) + 1 :]


def middle(numbers: Sequence[int]) -> float:
    """The median. Raises IndexError where there is no number.

    That of ``statistics`` has a command load a dozen modules.
    """
    found, half = sorted(numbers), len(numbers) // 2
    return found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2


def _is_silent(recent: Sequence[Commit], now: int) -> bool:
    silence = now - recent[-1].timestamp
    gaps = [b.timestamp - a.timestamp for a, b in pairwise(recent)]
    span = recent[-1].timestamp - recent[0].timestamp
    return silence > max(span, 3 * middle(gaps), SILENCE_MS)


def rewound(recent: Sequence[Commit]) -> int | None:
    """When the offset dropped first, if nothing later came back to where it had been."""
    for i, (before, after) in enumerate(pairwise(recent)):
        if after.offset < before.offset:
            if all(c.offset < before.offset for c in recent[i + 1 :]):
                return after.timestamp
            return None
    return None


def stalled_since(commits: Sequence[Commit]) -> int:
    """The first of the commits in a row, up to the last, with the same offset."""
    last = commits[-1]
    since = last.timestamp
    for commit in reversed(commits):
        if commit.offset != last.offset:
            break
        since = commit.timestamp
    return since
