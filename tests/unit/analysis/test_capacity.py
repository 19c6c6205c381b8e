"""When disks are full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.capacity import GRID, Days, Disk, Seen, outlook, write_factors
from pykafka_ops.analysis.forecast import Interval

DAYS = len(GRID)


def _disk(held: int, per_day: float, **more: object) -> Disk:
    return Disk(held, [held] * DAYS, [per_day * d for d in GRID], **more)  # type: ignore[arg-type]


def test_steady_writes_fill_a_disk_in_a_straight_line() -> None:
    found = outlook(_disk(100, 10, total=1000, usable=800, writes=[10, 10, 10, 10]))
    # Used are 200, 100 of them by others: 60 days to 800, 80 to 1000.
    assert found.to_high == Days(60, 60, 60)
    assert found.to_full == Days(80, 80, 80)
    assert found.per_day == Interval(10, 10, 10)
    assert found.curve[GRID.index(30)].value == 400
    assert not found.by_history


def test_what_leaves_makes_room() -> None:
    old = [max(0, 70 - 10 * d) for d in GRID]
    new = [min(70, 10 * d) for d in GRID]
    found = outlook(Disk(70, old, new, 1000, 10))
    assert found.per_day.value == 0
    assert found.to_high == Days(0, 0, 0) and found.to_full == Days(None, None, None)


def test_unsteady_writes_have_an_interval() -> None:
    found = outlook(_disk(100, 10, total=1000, usable=800, writes=[2, 18, 5, 15, 10, 12, 8]))
    assert found.to_full.low is not None and found.to_full.value == 80
    assert found.to_full.low < 80 and (found.to_full.high is None or found.to_full.high > 80)
    assert found.per_day.low < 10 < found.per_day.high


def test_earlier_runs_are_believed_more() -> None:
    seen = [Seen(-3, 40), Seen(-2, 60), Seen(-1, 80)]
    found = outlook(_disk(100, 1, total=200, usable=100, seen=seen))
    assert found.by_history
    assert found.per_day.value == pytest.approx(20)
    assert found.to_full.value == pytest.approx(5)
    assert found.curve[0] == Interval(100, 100, 100)


@pytest.mark.parametrize(
    "seen", [[Seen(-1, 50), Seen(-2, 9)], [Seen(-0.01 * n, 9) for n in (1, 2, 3)]]
)
def test_too_few_runs_are_not(seen: list[Seen]) -> None:
    assert not outlook(_disk(100, 1, seen=seen)).by_history


def test_a_volume_nobody_knows_is_never_full() -> None:
    assert outlook(_disk(100, 10)).to_full == Days(None, None, None)


def test_a_shrinking_log_goes_no_lower_than_nothing() -> None:
    seen = [Seen(-3, 400), Seen(-2, 300), Seen(-1, 200)]
    assert outlook(_disk(100, 1, seen=seen)).curve[-1] == Interval(0, 0, 0)


def test_factors() -> None:
    assert write_factors([]) == write_factors([0, 0, 0]) == (1, 1)
    assert write_factors([5, 5, 5, 5]) == pytest.approx((1, 1))


@given(st.lists(st.integers(0, 10**12), max_size=30))
def test_factors_are_around_one(writes: list[int]) -> None:
    low, high = write_factors([float(w) for w in writes])
    assert 0 <= low <= 1 <= high
