"""Values as people read them, and round ticks for axes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.page import ticks, units


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1000 B"), (1024, "1 KiB"), (1536, "1.5 KiB"),
     (10**6, "977 KiB"), (123_456_789, "118 MiB"), (5 * 2**40, "5 TiB"), (inf, "∞"), (nan, "–")],
)  # fmt: skip
def test_sizes_have_three_digits_and_a_binary_unit(value: float, said: str) -> None:
    assert units.size(value) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (0.25, "0.25 s"), (45, "45 s"), (59.6, "60 s"), (720, "12 min"), (3600, "1 h"),
     (12_000, "3 h 20 min"), (172_800, "2 d"), (367_200, "4 d 6 h"), (-90, "-2 min"),
     (200 * 86_400, "200 d"), (3 * 365.25 * 86_400, "3 years")],
)  # fmt: skip
def test_spans_have_two_units_at_most(seconds: float, said: str) -> None:
    assert units.span(seconds) == said


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(1_234_567, "records", "1,234,567"), (0.1234, "share", "12.3 %"), (0.0004, "share", "0.04 %"),
     (1_763_800_000_000, "ms", "2025-11-22 08:26:40"), (2**62, "ms", "4611686018427387904 ms"),
     (-1, "ms", "-1 ms"), (2048, "bytes/s", "2 KiB/s"), (12.5, "records/s", "12.5/s"),
     (1.5, "days", "36 h"), (12.345, "", "12.35"), (0.5, "percent", "0.50 %")],
)  # fmt: skip
def test_a_value_is_said_in_the_unit_of_its_column(value: float, unit: str, said: str) -> None:
    assert units.value_text(value, unit) == said


@given(st.floats(), st.sampled_from(["ms", "bytes", "seconds", "share", "days", "", "records/s"]))
def test_every_number_has_a_text(value: float, unit: str) -> None:
    assert units.value_text(value, unit)


@given(st.floats(min_value=1e-3, max_value=1e15), st.sampled_from([ticks.sizes, ticks.linear]))
def test_ticks_rise_evenly_from_zero_to_beyond_the_greatest(
    most: float, made: Callable[[float], list[float]]
) -> None:
    found = made(most)
    assert found[0] == 0 and found[-1] >= most * (1 - 1e-6)
    assert 2 <= len(found) <= 12
    steps = [b - a for a, b in pairwise(found)]
    assert max(steps) == pytest.approx(min(steps)) and min(steps) > 0


def test_ticks_are_round_in_the_unit_they_are_told_in() -> None:
    assert ticks.linear(12_345) == [0, 5000, 10_000, 15_000]
    assert [units.size(t) for t in ticks.sizes(12_345_000)] == ["0 B", "5 MiB", "10 MiB", "15 MiB"]
    assert ticks.linear(0) == ticks.linear(nan) == [0, 1]


@given(st.integers(0, 10**13), st.integers(0, 10**12))
def test_moments_lie_within_the_span_and_carry_labels(start: int, length: int) -> None:
    found = ticks.moments(start, start + length)
    assert 1 <= len(found) <= 8
    assert all(start <= t <= start + length and label for t, label in found)


def test_hours_of_several_days_name_the_day_at_midnight() -> None:
    start = 1_763_726_400_000  # 2025-11-21 12:00
    assert [s for _, s in ticks.moments(start, start + 2 * 86_400_000)] == [
        "12:00", "22 Nov", "12:00", "23 Nov", "12:00"
    ]  # fmt: skip


def test_ticks_of_whole_things_and_of_spans_are_round() -> None:
    assert ticks.counts(1) == [0, 1]
    assert ticks.counts(3) == [0, 1, 2, 3]
    assert ticks.counts(0) == [0, 1]
    assert ticks.spans(215) == [0, 60, 120, 180, 240]
    assert ticks.spans(5000) == [0, 1800, 3600, 5400]
    assert ticks.spans(0.5)[-1] >= 0.5
