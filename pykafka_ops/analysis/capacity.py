"""When a disk is full: from what its logs will hold of what is there, and of what is written.

Times in days from now, sizes in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from pykafka_ops.analysis.forecast import FittedLine, Interval, crossing, fit

#: Days ahead that are forecast; a disk that is full only after the last counts as not full.
GRID: Final = (0, 1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365)
HIGH: Final = 0.8
"""A disk filled to this share needs attention."""
#: Least number of earlier runs, and of days they span, to forecast from them rather than from logs.
LEAST_RUNS: Final = 3
LEAST_DAYS: Final = 0.25


class Seen(NamedTuple):
    """Bytes of all logs of a directory at an earlier run; ``days`` is below 0."""

    days: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Disk:
    """A directory. ``held``: bytes of its logs; ``old`` and ``new``: for each day of ``GRID`` what
    is left of them by then, and what is there of what is written until then; ``total``, ``usable``:
    of the volume (None: unknown); ``writes``: bytes written in each of the last stretches of
    ``step`` days, the oldest first; ``seen``: earlier runs.
    """

    held: int
    old: Sequence[float]
    new: Sequence[float]
    total: int | None = None
    usable: int | None = None
    writes: Sequence[float] = ()
    step: float = 1.0
    seen: Sequence[Seen] = ()


class Days(NamedTuple):
    """After how many days something happens, and the interval; None: not in a year."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(slots=True)
class Outlook:
    """What becomes of a directory: growth in bytes per day, days until the volume is at 80 % and
    full, bytes of the logs at each day of ``GRID``; ``by_history``: from earlier runs."""

    per_day: Interval
    to_high: Days
    to_full: Days
    curve: list[Interval]
    by_history: bool


def outlook(disk: Disk) -> Outlook:
    """The outlook of a directory.

    With enough earlier runs, the line through them with its prediction interval. Else it follows
    from the logs: retention deletes what is there, and writes go on as before, give or take the
    prediction interval of the line through the bytes written so far.
    """
    line = _observed(disk)
    if line is None:
        curve = _from_logs(disk)
    else:
        shift = disk.held - line.value(0)
        curve = [Interval(*(max(0.0, v + shift) for v in line.predict(day))) for day in GRID]
    curve[0] = Interval(disk.held, disk.held, disk.held)
    ahead = GRID.index(7)
    per_day = Interval(*(
        (later - disk.held) / GRID[ahead] for later in curve[ahead]
    ))  # fmt: skip
    return Outlook(
        per_day, _reaches(disk, curve, HIGH), _reaches(disk, curve, 1.0), curve, line is not None
    )


def _observed(disk: Disk) -> FittedLine | None:
    runs = [s for s in disk.seen if s.days < 0]
    if len(runs) < LEAST_RUNS or -min(s.days for s in runs) < LEAST_DAYS:
        return None
    return fit([*((s.days, s.bytes) for s in runs), (0.0, disk.held)])


def _from_logs(disk: Disk) -> list[Interval]:
    low, high = write_factors(disk.writes)
    return [
        Interval(old + new, old + low * new, old + high * new)
        for old, new in zip(disk.old, disk.new, strict=True)
    ]


def write_factors(writes: Sequence[float]) -> tuple[float, float]:
    """How much less and more than their mean may be written, as factors: 1 where it is unknown.

    From the line through the bytes written so far, one step ahead.
    """
    total, count = sum(writes), len(writes)
    line = fit([(float(i), y) for i, y in enumerate(accumulate(writes, initial=0.0))])
    if line is None or total <= 0 or line.slope <= 0:
        return 1.0, 1.0
    said = line.predict(count + 1)
    reach = (said.high - said.value) / (line.slope * (count + 1))
    return max(0.0, 1 - reach), 1 + reach


def _reaches(disk: Disk, curve: Sequence[Interval], share: float) -> Days:
    """When the volume is filled to this share; other files on it stay as they are."""
    if disk.total is None or disk.usable is None:
        return Days(None, None, None)
    others = disk.total - disk.usable - disk.held
    level = share * disk.total - others

    def first(values: Sequence[float]) -> float | None:
        return crossing([(float(d), v) for d, v in zip(GRID, values, strict=True)], level)

    return Days(
        first([r.value for r in curve]),
        first([r.high for r in curve]),
        first([r.low for r in curve]),
    )
