"""Freshness day by day, kept from run to run: what each run still sees of a day is added up once.

Days are those of UTC, by their first ms; spans are in ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.analysis.freshness import FRESH, LATE
from pykafka_ops.analysis.moments import UNITS

MOST_DAYS: Final = 100
"""Days that are kept."""


class DaySpans(NamedTuple):
    """How long a day was in time, late, and not known."""

    fresh: int
    late: int
    unknown: int

    @property
    def known(self) -> int:
        """Time that counts."""
        return self.fresh + self.late


class KeptBudget(NamedTuple):
    """Over kept days: how many are known at all, the share of their known time that was in time,
    what is left of the error budget; None: nothing is known."""

    days: int
    share: float | None
    left: float | None


def by_day(found: Sequence[int], moments: Sequence[int]) -> dict[int, DaySpans]:
    """The spans of each day, from how each of ``moments`` was."""
    spans: dict[int, list[int]] = {}
    for state, (before, at) in zip(found[1:], pairwise(moments), strict=True):
        while before < at:
            day = before - before % UNITS["d"]
            end = min(at, day + UNITS["d"])
            held = spans.setdefault(day, [0, 0, 0])
            held[0 if state == FRESH else 1 if state == LATE else 2] += end - before
            before = end
    return {day: DaySpans(*held) for day, held in sorted(spans.items())}


def merged(runs: Iterable[Mapping[int, DaySpans]], last: int) -> dict[int, DaySpans]:
    """Of each day what the run says that knows most of it, of runs as good the later, which come
    last; the ``MOST_DAYS`` up to the day of ``last`` (ms)."""
    since = last - last % UNITS["d"] - (MOST_DAYS - 1) * UNITS["d"]
    found: dict[int, DaySpans] = {}
    for run in runs:
        for day, spans in run.items():
            kept = found.get(day)
            if day >= since and (kept is None or spans.known >= kept.known):
                found[day] = spans
    return dict(sorted(found.items()))


def budget_of(days: Mapping[int, DaySpans], objective: float) -> KeptBudget:
    """The budget over all of the days."""
    fresh = sum(spans.fresh for spans in days.values())
    known = sum(spans.known for spans in days.values())
    share = fresh / known if known else None
    left = None if share is None else 1 - (1 - share) / (1 - objective)
    return KeptBudget(sum(spans.known > 0 for spans in days.values()), share, left)
