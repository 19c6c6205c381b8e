"""Measures of imbalance, and what is said of them."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis import skew
from pykafka_ops.analysis.skew import TopicFacts, advice, hot, imbalance, lorenz, partitions_for

VALUES = st.lists(st.integers(0, 10**15), min_size=1, max_size=60)


def test_measures_of_a_case_worked_out_by_hand() -> None:
    found = imbalance([1, 2, 3, 10])
    assert found.max_over_mean == 2.5
    assert found.cv == pytest.approx(math.sqrt((9 + 4 + 1 + 36) / 4) / 4)

    # All differences: 1 2 9, 1 8, 7, both ways: 56, through 2 * 16 * 4.
    assert found.gini == pytest.approx(56 / 128)


@given(VALUES)
def test_measures_equal_their_definitions(values: list[int]) -> None:
    found, mean = imbalance(values), fmean(values)
    if not mean:
        assert found == (1.0, 0.0, 0.0)
        return
    assert found.max_over_mean == pytest.approx(max(values) / mean)
    assert found.cv == pytest.approx(pstdev(values) / mean, abs=1e-7)
    apart = sum(abs(a - b) for a in values for b in values)
    assert found.gini == pytest.approx(apart / (2 * len(values) ** 2 * mean), abs=1e-9)


@given(VALUES, st.integers(1, 1000))
def test_measures_know_neither_order_nor_unit(values: list[int], factor: int) -> None:
    found = imbalance(values)
    assert imbalance(sorted(values)) == found
    assert imbalance([v * factor for v in values]) == pytest.approx(found)


def test_even_values_and_none_are_even() -> None:
    assert imbalance([7] * 9) == (1.0, 0.0, 0.0)
    assert imbalance([]) == imbalance([0, 0]) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("values", "band"),
    [([8, 12], "even"), ([5, 15], "uneven"), ([1, 19], "skewed"), ([0, 0, 9], "severe")],
)
def test_bands(values: list[int], band: str) -> None:
    assert imbalance(values).band == band


def test_the_limit_of_a_band_is_within_it() -> None:
    assert skew.Imbalance(1, 0.2, 0).band == "even"
    assert skew.Imbalance(1, 0.5, 0).band == "uneven"
    assert skew.Imbalance(1, 1.0, 0).band == "skewed"


def test_hot_is_what_stands_out() -> None:
    assert hot([20, 5, 5]) == [True, False, False]
    assert hot([11, 9]) == hot([7, 7]) == hot([0, 0]) == [False, False]
    assert hot([5]) == [False] and hot([]) == []
    assert hot([100] * 99 + [150]) == [False] * 99 + [True]


@given(VALUES)
def test_the_lorenz_curve_ends_at_one_and_lies_below_the_line(values: list[int]) -> None:
    points = lorenz(values, most=10)
    assert points[0] == (0.0, 0.0) and points[-1] == (1.0, 1.0)
    assert all(y <= x + 1e-12 for x, y in points)
    assert points == sorted(points)
    assert len(points) <= 12


def test_the_area_beside_the_lorenz_curve_is_the_gini() -> None:
    values = [1, 5, 2, 9, 100, 3, 3]
    points = lorenz(values)
    under = sum((b[0] - a[0]) * (a[1] + b[1]) for a, b in pairwise(points))
    assert 1 - under == pytest.approx(imbalance(values).gini)


def test_partitions_for_a_throughput() -> None:
    assert partitions_for(0) == 1
    assert partitions_for(95e6, 10e6, 20e6) == 10
    assert partitions_for(95e6, 50e6, 20e6) == 5


HOT = TopicFacts(4, 100_000, imbalance([70, 10, 10, 10]), None, 0, 0.7, {"a": 0.01}, 0.0)


def test_advice_names_the_key_that_is_heavy() -> None:
    said = advice(HOT._replace(keys={"a": 0.6, "b": 0.05}))
    assert "partition 0 holds 70%" in said and "key a alone 60%" in said and "split" in said


def test_advice_without_a_heavy_key_points_to_producers() -> None:
    assert "no key is heavy" in advice(HOT)
    assert "no key: see" in advice(HOT._replace(null_share=0.9))
    assert "look at its keys" in advice(HOT._replace(keys=None, null_share=None))


def test_advice_wants_records_enough() -> None:
    assert advice(HOT._replace(records=399)) == "too few records to judge how they are spread"


def test_advice_on_throughput_comes_without_skew() -> None:
    even = HOT._replace(balance=imbalance([5, 5, 5, 5]))
    assert advice(even) == ""
    assert advice(even._replace(advised=9)) == "peak throughput asks for 9 partitions"
    assert advice(even._replace(advised=4)) == ""
