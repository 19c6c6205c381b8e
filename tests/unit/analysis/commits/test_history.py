"""The past of a group from its commits: events, and how it stood at the end of each bucket."""

from __future__ import annotations

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.commits.history import (
    BACK,
    DELETED,
    SILENT,
    STOOD,
    Bucket,
    Event,
    buckets,
    events,
)

KEY = ("t", 0)
SECOND = 1000


def made(*offsets: int, gap: int = 5 * SECOND) -> list[Commit]:
    return [Commit(i * gap, offset) for i, offset in enumerate(offsets)]


def test_a_group_that_gets_on_has_no_events() -> None:
    assert events(KEY, made(1, 2, 3, 4, 5)) == []
    assert events(KEY, []) == []


def test_the_same_offset_for_a_while_stands() -> None:
    assert events(KEY, made(1, 5, 5, 5, 6)) == [Event(STOOD, *KEY, 5000, 15_000, 5, 5)]
    assert events(KEY, made(1, 5, 5, 6)) == []
    assert events(KEY, made(5, 5, 5, 5, gap=100)) == []


def test_going_back_and_deletions_are_told_once() -> None:
    assert events(KEY, made(9, 4, 5)) == [Event(BACK, *KEY, 0, 5000, 9, 4)]
    assert events(KEY, made(9, -1, 4)) == [Event(DELETED, *KEY, 0, 5000, 9, -1)]


def test_silence_is_measured_against_the_usual_gap() -> None:
    commits = [*made(1, 2, 3, 4), Commit(60_000, 5)]
    assert events(KEY, commits) == [Event(SILENT, *KEY, 15_000, 60_000, 4, 5)]
    slow = [Commit(i * 60_000, i) for i in range(6)]
    assert events(KEY, slow) == []


def test_buckets_tell_commits_progress_lag_and_verdict() -> None:
    history = {KEY: made(0, 10, 20, 30), ("t", 1): made(5, 5, 5, 5)}
    ends = {KEY: [(0, 0), (15_000, 30)], ("t", 1): [(0, 100), (15_000, 100)]}
    first, second = buckets(history, ends, [-1, 7_500, 15_000])
    assert first == Bucket(-1, 7_500, 4, 10, (15 - 10) + 95, "UNKNOWN")
    assert second == Bucket(7_500, 15_000, 4, 20, 0 + 95, "STALL")


def test_without_log_ends_there_is_neither_lag_nor_verdict() -> None:
    (bucket,) = buckets({KEY: made(0, 10, 4)}, {}, [-1, 20_000])
    assert bucket == Bucket(-1, 20_000, 3, 10, None, None)
