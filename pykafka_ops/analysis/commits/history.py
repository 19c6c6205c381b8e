"""The past of a group from its commits: when it stood still, went back, fell silent.

Times in ms since 1970. A deleted offset is a commit at offset -1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.analysis.commits.burrow import (
    LEAST,
    OK,
    SILENCE_MS,
    UNKNOWN,
    Commit,
    judge,
    middle,
    step,
    worst,
)
from pykafka_ops.analysis.lag.rows import Sample, end_at, with_lags

Key = tuple[str, int]
"""Topic, partition."""

STOOD: Final = "STOOD"
"""It committed the same offset again and again."""
BACK: Final = "BACK"
"""It committed a lower offset than before."""
SILENT: Final = "SILENT"
"""It did not commit for much longer than it used to."""
DELETED: Final = "DELETED"
"""Its offset was deleted, or expired."""


class Event(NamedTuple):
    """An event worth reporting; ``until`` is the commit that ended it (or was the last)."""

    kind: str
    topic: str
    partition: int
    start: int
    until: int
    from_offset: int
    to_offset: int


def events(key: Key, commits: Sequence[Commit]) -> list[Event]:
    """The events of one partition, by time; ``commits`` in order."""
    found: list[Event] = []
    usual = _usual_gap(commits)
    for before, after in pairwise(commits):
        place = (*key, before.timestamp, after.timestamp, before.offset, after.offset)
        if after.offset < 0 <= before.offset:
            found.append(Event(DELETED, *place))
        elif 0 <= after.offset < before.offset:
            found.append(Event(BACK, *place))
        elif usual is not None and after.timestamp - before.timestamp > usual:
            found.append(Event(SILENT, *place))
    return sorted([*found, *_still(key, commits)], key=lambda e: (e.start, e.kind))


def _usual_gap(commits: Sequence[Commit]) -> float | None:
    """Longer than this (ms) between commits is silence; None where there are too few commits."""
    gaps = [b.timestamp - a.timestamp for a, b in pairwise(commits)]
    return max(3 * middle(gaps), SILENCE_MS) if len(gaps) >= LEAST else None


def _still(key: Key, commits: Sequence[Commit]) -> list[Event]:
    """Runs of the same offset in at least LEAST commits, over at least SILENCE_MS."""
    found = []
    start = 0
    for i in range(1, len(commits) + 1):
        if i < len(commits) and commits[i].offset == commits[start].offset:
            continue
        first, last = commits[start], commits[i - 1]
        long = last.timestamp - first.timestamp >= SILENCE_MS
        if i - start >= LEAST and long and first.offset >= 0:
            found.append(Event(STOOD, *key, first.timestamp, last.timestamp, first.offset,
                               last.offset))  # fmt: skip
        start = i
    return found


@dataclass(slots=True)
class Bucket:
    """A stretch of time from ``start`` to ``end``: commits in it, offsets it moved on (never
    less than 0), lag and verdict at its end (None: where the logs ended then is not known)."""

    start: int
    end: int
    commits: int
    moved: int
    lag: int | None
    status: str | None


def buckets(
    history: Mapping[Key, Sequence[Commit]],
    ends: Mapping[Key, Sequence[Sample]],
    times: Sequence[int],
) -> list[Bucket]:
    """The group between each two of ``times``; ``ends`` are the logs' end offsets by time."""
    return [_bucket(history, ends, start, end) for start, end in pairwise(times)]


def _bucket(
    history: Mapping[Key, Sequence[Commit]],
    ends: Mapping[Key, Sequence[Sample]],
    start: int,
    end: int,
) -> Bucket:
    made = Bucket(start, end, 0, 0, None, None)
    statuses = []
    for key, commits in history.items():
        first = bisect_right(commits, start, key=lambda c: c.timestamp)
        last = bisect_right(commits, end, key=lambda c: c.timestamp)
        made.commits += last - first
        seen = commits[max(0, first - 1) : last]
        made.moved += sum(step(a.offset, b.offset) for a, b in pairwise(seen))
        log_end = end_at(ends.get(key, ()), end)
        if log_end is None or not last or commits[last - 1].offset < 0:
            continue
        lag = max(0, log_end - commits[last - 1].offset)
        made.lag = (made.lag or 0) + lag
        recent = commits[max(0, last - 16) : last]
        statuses.append(judge(with_lags(recent, ends[key]), lag, end).status)
    if statuses:
        made.status = worst([s for s in statuses if s != UNKNOWN] or [UNKNOWN, OK])
    return made
