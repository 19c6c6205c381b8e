"""Times of clocks that differ: nothing is younger than now, and nothing is well because of it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.clocks import CLOCK_MS, SLACK_MS, age_of, difference
from pykafka_ops.analysis.commits.burrow import OK, STALL, STOP, UNKNOWN, Commit, judge
from pykafka_ops.analysis.lag.rows import PartitionFacts, lag_row

NOW = 1_700_000_000_000
AHEAD = NOW + CLOCK_MS + 1
FACTS = PartitionFacts("g", "Stable", "t", 0, "worker", 400, 100, 1000)


def commits(last: int, offsets: range | list[int]) -> list[Commit]:
    """A commit a second, up to ``last``."""
    first = last - 1000 * (len(offsets) - 1)
    return [Commit(first + n * 1000, offset) for n, offset in enumerate(offsets)]


@given(st.integers(-(2**62), 2**62), st.integers(0, 2**45))
def test_ages_and_differences_are_never_negative(at: int, now: int) -> None:
    for found in (age_of(at, now), difference(now, at)):
        assert found is None or found >= 0


def test_what_is_a_little_ahead_is_new_and_what_is_far_ahead_has_no_age() -> None:
    assert [age_of(at, NOW) for at in (NOW - 5, NOW + 5, AHEAD - 1, AHEAD)] == [5, 0, 0, None]
    assert [difference(NOW, NOW + d) for d in (-5, SLACK_MS, SLACK_MS + 1)] == [5, 0, None]


def test_the_next_record_is_not_up_to_date_because_its_time_lies_behind_the_newest() -> None:
    row = lag_row(replace(FACTS, next_timestamp=NOW + 9000, newest=NOW), NOW)
    assert (row.lag, row.lag_seconds) == (600, None)


def test_commits_from_a_clock_far_ahead_are_not_well_and_still_stall_or_end() -> None:
    advancing = commits(AHEAD, range(100, 110))
    assert judge(commits(NOW, range(100, 110)), 9, NOW).status == OK
    assert judge(advancing, 9, NOW) == (UNKNOWN, None)
    assert judge(commits(AHEAD, [100] * 10), 9, NOW).status == STALL
    unread = lag_row(replace(FACTS, client_id=None, commits=advancing), NOW)
    assert (unread.status, unread.since) == (STOP, None)
