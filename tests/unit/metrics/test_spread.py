"""Counts by size and quantiles, beside what sorting all values gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.metrics.spread import MS, SHARES, WINDOW_MS, Spread

VALUES = st.lists(st.floats(0.0101, 90_000), min_size=1, max_size=200)


@given(VALUES)
def test_quantiles_are_near_those_of_all_values(values: list[float]) -> None:
    spread = Spread()
    spread.turn(0)
    for value in values:
        spread.add(value)
    ranked = sorted(values)
    for share, found in spread.times().quantiles:
        rank = max(-(-float(share) * len(ranked) // 1), 1)
        real = ranked[int(rank) - 1]
        assert real / 1.51 <= found <= real * 1.51


@given(VALUES)
def test_buckets_count_what_is_at_most_their_bound(values: list[float]) -> None:
    spread = Spread()
    for value in values:
        spread.add(value, 2)
    said = spread.seconds()
    assert said.number == 2 * len(values)
    for bound, number in said.at_most:
        limit = float(bound) * 1000
        assert number == 2 * sum(value <= limit * (1 + 1e-12) for value in values)


def test_the_sum_is_of_what_each_value_stands_for() -> None:
    spread = Spread()
    spread.add(10, 3)
    spread.add(1)
    assert spread.times().total == 31
    assert spread.times().number == 4
    assert spread.seconds().total == 0.031


def test_bounds_grow() -> None:
    assert list(MS) == sorted(set(MS))


def test_a_value_beyond_all_bounds_counts() -> None:
    spread = Spread()
    spread.turn(0)
    spread.add(1e9)
    assert spread.seconds().number == 1
    assert spread.seconds().at_most[-1][1] == 0
    assert spread.times().quantiles[0] == ("0.50", MS[-1])


def test_quantiles_forget_and_counts_do_not() -> None:
    spread = Spread()
    for now, value in ((0, 1000), (WINDOW_MS, 1), (2 * WINDOW_MS, 1)):
        spread.turn(now)
        spread.add(value)
    assert dict(spread.times().quantiles)["0.999"] <= 1
    assert spread.times().number == 3
    spread.turn(9 * WINDOW_MS)
    assert spread.times().quantiles == ()
    assert spread.times().number == 3


def test_without_values_there_are_no_quantiles() -> None:
    assert Spread().times().quantiles == ()
    assert len(SHARES) == 6


def test_two_are_taken_together() -> None:
    one, other = Spread(), Spread()
    one.add(1)
    other.add(100, 3)
    one.take_in(other)
    assert (one.times().number, one.times().total) == (4, 301)
    assert dict(one.times().quantiles)["0.99"] > 50
