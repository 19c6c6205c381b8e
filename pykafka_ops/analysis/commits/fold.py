"""The few commits of a partition that verdicts, rates and charts need.

A group may commit a million times; ``burrow.judge``, ``burrow.rate`` and the buckets of ``history``
give the same answer for a dozen of them. So parts of a log can be folded separately, on any number
of machines, and joined. Times in ms since 1970; a deleted offset is a commit at offset -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pykafka_ops.analysis.commits.burrow import ORDER, STOP, UNKNOWN, WINDOW, Commit, judge, step
from pykafka_ops.analysis.lag.rows import Sample, end_at, with_lags


@dataclass(slots=True)
class CommitPart:
    """Commits of one partition of a group that follow each other in a bucket of time.

    ``commits`` were there, ``moved`` offsets they went forward, the first was at ``head_offset``.
    ``at`` (places in the log), ``times`` and ``offsets`` are those kept, in order.
    """

    bucket: int
    commits: int
    moved: int
    head_at: int
    head_offset: int
    at: list[int]
    times: list[int]
    offsets: list[int]

    def kept(self) -> list[Commit]:
        """The commits that were kept."""
        return [Commit(time, offset) for time, offset in zip(self.times, self.offsets, strict=True)]


def kept(offsets: Sequence[int]) -> list[int]:
    """Which of the commits at these offsets must be kept, by their places in the sequence.

    The last deletion, the first commit behind it, the last ``WINDOW``, and where the run of the
    same offset at the end begins, with the commit before it. ``kept`` of kept commits and those
    behind them is ``kept`` of all.
    """
    count = len(offsets)
    deleted = next((i for i in range(count - 1, -1, -1) if offsets[i] < 0), -1)
    first = deleted + 1
    run = count
    while run > first and offsets[run - 1] == offsets[-1]:
        run -= 1
    wanted = {deleted, first, run - 1, run, *range(max(first, count - WINDOW), count)}
    return sorted(i for i in wanted if max(0, deleted) <= i < count)


def part(bucket: int, at: list[int], times: list[int], offsets: list[int]) -> CommitPart:
    """The part that these commits make; there must be one at least."""
    moved = sum(step(a, b) for a, b in pairwise(offsets))
    return _shortened(CommitPart(bucket, len(at), moved, at[0], offsets[0], at, times, offsets))


def joined(parts: Sequence[CommitPart]) -> CommitPart:
    """Parts of the same partition and group as one, in the bucket of the last of them.

    They may come in any order; what was read twice counts once among the commits kept.
    """
    if len(parts) == 1:
        return parts[0]
    ordered = sorted(parts, key=lambda p: p.head_at)
    first, last = ordered[0], ordered[-1]
    moved = sum(p.moved for p in ordered)
    moved += sum(step(a.offsets[-1], b.head_offset) for a, b in pairwise(ordered))
    if all(a.at[-1] < b.at[0] for a, b in pairwise(ordered)):
        at = [value for p in ordered for value in p.at]
        times = [value for p in ordered for value in p.times]
        offsets = [value for p in ordered for value in p.offsets]
    else:
        rows = {row[0]: row for p in ordered for row in zip(p.at, p.times, p.offsets, strict=True)}
        at, times, offsets = map(list, zip(*(rows[key] for key in sorted(rows)), strict=True))
    return _shortened(
        CommitPart(last.bucket, sum(p.commits for p in ordered), moved, first.head_at,
                   first.head_offset, at, times, offsets)
    )  # fmt: skip


def _shortened(whole: CommitPart) -> CommitPart:
    if len(whole.at) > WINDOW or min(whole.offsets) < 0:
        places = kept(whole.offsets)
        whole.at = [whole.at[i] for i in places]
        whole.times = [whole.times[i] for i in places]
        whole.offsets = [whole.offsets[i] for i in places]
    return whole


class Stretch(NamedTuple):
    """A partition of a group between two times: see ``history.Bucket``.

    ``offset`` is what was committed at the end of it, None if nothing was or it was deleted.
    """

    commits: int
    moved: int
    lag: int | None
    status: str | None
    offset: int | None


def stretches(
    parts: Iterable[CommitPart],
    borders: Sequence[int],
    times: Sequence[int],
    samples: Sequence[Sample],
) -> list[Stretch]:
    """The partition between each two of ``times``, as ``history.buckets`` has it.

    Bucket ``i`` of a part holds what came behind ``borders[i - 1]`` up to ``borders[i]``, and
    ``times`` are among the ``borders``.
    """
    waiting = sorted(parts, key=lambda p: (p.bucket, p.head_at), reverse=True)
    seen: list[Commit] = []
    made: list[Stretch] = []
    status: str | None = None
    for place, end in enumerate(times):
        commits = moved = 0
        while waiting and (bucket := waiting[-1].bucket) < len(borders) and borders[bucket] <= end:
            same = [waiting.pop()]
            while waiting and waiting[-1].bucket == bucket:
                same.append(waiting.pop())
            following = joined(same)
            commits += following.commits
            moved += following.moved
            if seen:
                moved += step(seen[-1].offset, following.head_offset)
            seen = [*seen[-WINDOW:], *following.kept()]
        if place:
            lag, status = _standing(seen, samples, end, status if not commits else None)
            offset = seen[-1].offset if seen and seen[-1].offset >= 0 else None
            made.append(Stretch(commits, moved, lag, status, offset))
    return made


def _standing(
    seen: Sequence[Commit], samples: Sequence[Sample], end: int, before: str | None
) -> tuple[int | None, str | None]:
    """Lag and verdict at a time; ``before`` is the verdict if nothing was committed since."""
    log_end = end_at(samples, end)
    if log_end is None or not seen or seen[-1].offset < 0:
        return None, None
    lag = max(0, log_end - seen[-1].offset)
    if lag and before == STOP:  # silence only grows
        return lag, STOP
    return lag, judge(with_lags(seen[-WINDOW:], samples) if lag else (), lag, end).status


def rank(status: str | None) -> int | None:
    """A number for each verdict, greater for worse, with UNKNOWN below all: the greatest of the
    partitions' is the group's, as ``history.buckets`` has it."""
    if status is None:
        return None
    return -1 if status == UNKNOWN else ORDER.index(status)
