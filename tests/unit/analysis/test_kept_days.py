"""Days of freshness: whatever runs overlap, each moment counts once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.freshness import FRESH, LATE, UNKNOWN, budget
from pykafka_ops.analysis.kept_days import MOST_DAYS, DaySpans, budget_of, by_day, merged

HOUR = 3_600_000
DAY = 24 * HOUR
START = 20_000 * DAY


def test_spans_are_cut_at_midnight() -> None:
    moments = [START - HOUR, START + HOUR, START + DAY + HOUR]
    assert by_day([FRESH, LATE, FRESH], moments) == {
        START - DAY: DaySpans(0, HOUR, 0),
        START: DaySpans(23 * HOUR, HOUR, 0),
        START + DAY: DaySpans(HOUR, 0, 0),
    }


@given(st.lists(st.sampled_from([FRESH, LATE, UNKNOWN]), min_size=48, max_size=240))
def test_runs_that_overlap_add_up_to_what_one_run_would_say(states: list[int]) -> None:
    """A run every half day sees the last two days; a state per hour is the truth."""
    moments = [START + n * HOUR for n in range(len(states))]
    whole = by_day(states, moments)
    runs = []
    for end in range(24, len(states) + 12, 12):
        some = slice(max(0, end - 48), end)
        runs.append(by_day(states[some], moments[some]))
    found = merged(runs, moments[-1])
    for day, spans in whole.items():
        assert found[day].known <= spans.known
        if day + DAY <= moments[-1]:
            assert found[day] == spans
    said, true = budget_of(whole, 0.99), budget(states, moments, 0.99)
    assert said.share == (None if true.share is None else pytest.approx(true.share))
    assert said.left == (None if true.left is None else pytest.approx(true.left))


def test_days_are_kept_for_so_long_and_unknown_ones_count_for_nothing() -> None:
    old = {START - n * DAY: DaySpans(DAY, 0, 0) for n in range(200)}
    found = merged([old, {START: DaySpans(0, 0, DAY)}], START + HOUR)
    assert len(found) == MOST_DAYS and min(found) == START - (MOST_DAYS - 1) * DAY
    assert found[START] == DaySpans(DAY, 0, 0)
    assert budget_of({START: DaySpans(0, 0, DAY)}, 0.9) == (0, None, None)
    assert budget_of({START: DaySpans(90, 10, 7), START + DAY: DaySpans(0, 0, 1)}, 0.9) == (
        1, 0.9, pytest.approx(0, abs=1e-9),
    )  # fmt: skip
