"""Few commits say what all of them say, however the log was cut before."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.burrow import OK, ORDER, UNKNOWN, Commit, judge, rate
from pykafka_ops.analysis.commits.fold import (
    CommitPart,
    Stretch,
    joined,
    kept,
    part,
    rank,
    stretches,
)
from pykafka_ops.analysis.commits.history import buckets
from pykafka_ops.analysis.lag.rows import Sample, with_lags

OFFSETS = st.lists(st.integers(-1, 6), min_size=1, max_size=60)
STEPS = st.lists(st.integers(1, 9_000), min_size=60, max_size=60)
ENDS = st.lists(st.integers(0, 40), min_size=5, max_size=5).map(
    lambda found: [(i * 60_000, 5 + sum(found[: i + 1])) for i in range(5)]
)


def commits_of(offsets: Sequence[int], gaps: Sequence[int]) -> list[Commit]:
    """At rising times."""
    return [Commit(sum(gaps[: i + 1]), offset) for i, offset in enumerate(offsets)]


def parts_of(
    commits: Sequence[Commit], borders: Sequence[int], cuts: set[int] | None = None
) -> list[CommitPart]:
    """Cut at every border, and before the commits at ``cuts``."""
    made: list[CommitPart] = []
    run: list[tuple[int, Commit]] = []
    for i, commit in enumerate(commits):
        bucket = bisect_left(borders, commit.timestamp)
        if run and (bisect_left(borders, run[-1][1].timestamp) != bucket or i in (cuts or ())):
            made.append(as_part(run, borders))
            run = []
        run.append((i, commit))
    return [*made, as_part(run, borders)]


def as_part(run: Sequence[tuple[int, Commit]], borders: Sequence[int]) -> CommitPart:
    return part(
        bisect_left(borders, run[0][1].timestamp),
        [i for i, _ in run],
        [c.timestamp for _, c in run],
        [c.offset for _, c in run],
    )


def test_what_is_kept_are_both_ends_the_last_run_and_the_last_deletion() -> None:
    assert kept([5]) == [0]
    assert kept([-1]) == [0]
    assert kept([7, -1, *range(20)]) == [1, 2, *range(12, 22)]
    assert kept([1, 2, *[9] * 30]) == [0, 1, 2, *range(22, 32)]


@given(OFFSETS, STEPS, st.integers(0, 60), st.integers(0, 50_000))
def test_verdict_and_rate_of_kept_commits_are_those_of_all(
    offsets: list[int], gaps: list[int], lag: int, silence: int
) -> None:
    commits = commits_of(offsets, gaps)
    few = [commits[i] for i in kept(offsets)]
    now = commits[-1].timestamp + silence
    samples = [(0, 9), (now, 90)]
    assert len(few) <= 14
    assert rate(few) == rate(commits)
    assert judge(with_lags(few, samples), lag, now) == judge(with_lags(commits, samples), lag, now)


@given(OFFSETS, st.integers(0, 60))
def test_keeping_twice_is_keeping_once(offsets: list[int], cut: int) -> None:
    first = [(i, offsets[i]) for i in kept(offsets[:cut])] if offsets[:cut] else []
    rest = [*first, *list(enumerate(offsets))[cut:]]
    again = [rest[i][0] for i in kept([offset for _, offset in rest])]
    assert again == kept(offsets)


@given(OFFSETS, STEPS, st.sets(st.integers(0, 60)), st.randoms(use_true_random=False))
def test_parts_join_to_the_whole_in_any_order(
    offsets: list[int], gaps: list[int], cuts: set[int], random: object
) -> None:
    commits = commits_of(offsets, gaps)
    (whole,) = parts_of(commits, [])
    parts = parts_of(commits, [], cuts)
    random.shuffle(parts)  # type: ignore[attr-defined]
    assert joined(parts) == whole


def test_commits_read_twice_are_kept_once() -> None:
    first, second = part(0, [1, 2, 3], [10, 20, 30], [5, 6, 7]), part(0, [2, 3], [20, 30], [6, 7])
    found = joined([second, first])
    assert (found.at, found.offsets) == ([1, 2, 3], [5, 6, 7])


@given(OFFSETS, STEPS, ENDS, st.sets(st.integers(0, 60)))
def test_stretches_are_the_buckets_of_the_whole_history(
    offsets: list[int], gaps: list[int], ends: list[Sample], cuts: set[int]
) -> None:
    commits = commits_of(offsets, gaps)
    times = [time for time, _ in ends]
    borders = sorted({*times, 100_000})
    found = stretches(parts_of(commits, borders, cuts), borders, times, ends)
    wanted = buckets({("t", 0): commits}, {("t", 0): ends}, times)
    last = [[c.offset for c in commits if c.timestamp <= time] for time in times[1:]]
    assert found == [
        Stretch(b.commits, b.moved, b.lag, b.status, seen[-1] if seen and seen[-1] >= 0 else None)
        for b, seen in zip(wanted, last, strict=True)
    ]


def test_ranks_put_unknown_below_all() -> None:
    assert max(map(rank, [UNKNOWN, OK]), key=lambda r: r or 0) == rank(OK)
    others = [s for s in ORDER if s != UNKNOWN]
    assert sorted(ORDER, key=lambda s: rank(s) or 0) == [UNKNOWN, *others]
    assert rank(None) is None
