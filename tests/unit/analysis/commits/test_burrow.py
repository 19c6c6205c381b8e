"""Verdicts from commits: Burrow's rules in their order, and the traps that were removed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.burrow import (
    OK,
    ORDER,
    REWIND,
    STALL,
    STOP,
    UNKNOWN,
    WARN,
    Commit,
    Verdict,
    catch_up_seconds,
    judge,
    rate,
    worst,
)

MINUTE = 60_000
NOW = 100 * MINUTE


def series(offsets: list[int], lags: list[int | None] | None = None) -> list[Commit]:
    """A commit a minute, the last one just now."""
    found = lags or [100] * len(offsets)
    first = NOW - MINUTE * (len(offsets) - 1)
    return [
        Commit(first + i * MINUTE, o, lag)
        for i, (o, lag) in enumerate(zip(offsets, found, strict=True))
    ]


def test_without_lag_all_is_well_whatever_happened_before() -> None:
    assert judge(series([9, 3, 3]), 0, NOW) == Verdict(OK, None)
    assert judge([], 0, NOW) == Verdict(OK, None)


def test_one_or_two_commits_tell_nothing() -> None:
    assert judge(series([5]), 7, NOW).status == UNKNOWN
    assert judge(series([5, 5]), 7, NOW + 60 * MINUTE).status == UNKNOWN


def test_silence_longer_than_the_window_is_a_stop_since_the_last_commit() -> None:
    commits = series([1, 2, 3, 4])
    assert judge(commits, 7, NOW + 3 * MINUTE).status != STOP
    assert judge(commits, 7, NOW + 3 * MINUTE + 1) == Verdict(STOP, NOW)


def test_a_moment_of_silence_after_quick_commits_is_no_stop() -> None:
    quick = [Commit(NOW + i * 200, i, 100 - i) for i in range(5)]
    assert judge(quick, 7, NOW + 5000).status == OK
    assert judge(quick, 7, NOW + 20_000).status == STOP


def test_going_back_is_a_rewind_until_the_old_place_is_reached_again() -> None:
    assert judge(series([10, 20, 5, 8]), 90, NOW) == Verdict(REWIND, NOW - MINUTE)
    assert judge(series([10, 20, 5, 25], [90, 80, 95, 75]), 75, NOW).status == OK


def test_the_same_offset_again_and_again_is_a_stall_since_it_was_reached() -> None:
    commits = series([1, *[5] * 12])
    assert judge(commits, 3, NOW) == Verdict(STALL, NOW - 11 * MINUTE)


def test_a_moment_without_lag_in_the_window_excuses_a_stall() -> None:
    assert judge(series([5, 5, 5], [0, 4, 9]), 9, NOW).status == OK


def test_lag_that_never_falls_is_a_warning() -> None:
    assert judge(series([1, 2, 3, 4], [5, 5, 6, 9]), 9, NOW) == Verdict(WARN, NOW - 3 * MINUTE)
    assert judge(series([1, 2, 3, 4], [5, 6, 5, 9]), 9, NOW).status == OK
    assert judge(series([1, 2, 3, 4], [None] * 4), 9, NOW).status == OK


def test_what_came_before_a_deletion_does_not_count() -> None:
    commits = [*series([90, 91, 92]), Commit(-1, -1), *series([1, 2])]
    assert judge(commits, 9, NOW).status == UNKNOWN


def test_a_group_is_as_bad_as_its_worst_partition() -> None:
    assert worst([]) == OK
    assert worst([OK, STALL, WARN]) == STALL
    assert worst(list(ORDER)) == STOP


def test_rates_come_from_the_first_and_the_last_commit() -> None:
    assert rate(series([0, 3, 120])) == 1.0
    assert rate(series([5])) is None
    assert rate([Commit(5, 1), Commit(5, 9)]) is None


@pytest.mark.parametrize(
    ("lag", "rate_in", "rate_out", "expected"),
    [(0, None, None, 0.0), (100, 1.0, 3.0, 50.0), (100, 3.0, 3.0, None), (9, None, 3.0, None)],
)
def test_catching_up_takes_the_lag_over_the_difference_of_rates(
    lag: int, rate_in: float | None, rate_out: float | None, expected: float | None
) -> None:
    assert catch_up_seconds(lag, rate_in, rate_out) == expected


COMMITS = st.lists(
    st.builds(Commit, st.integers(0, NOW), st.integers(-1, 50), st.none() | st.integers(0, 50))
).map(lambda found: sorted(found, key=lambda c: c.timestamp))


@given(COMMITS, st.integers(0, 100))
def test_every_history_has_a_verdict(commits: list[Commit], lag: int) -> None:
    assert judge(commits, lag, NOW).status in ORDER
