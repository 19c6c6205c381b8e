"""Rows of near numbers give back what was put, whatever that is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.monitor.cluster.near_numbers import NearNumbers

WIDTH, ROWS = 3, 2
VALUES = st.integers(0, 1 << 62) | st.integers(1_000, 2_000)


@given(st.lists(st.tuples(st.integers(0, ROWS - 1), st.integers(0, WIDTH - 1), VALUES)))
def test_every_number_that_counts_is_kept(made: list[tuple[int, int, int]]) -> None:
    found = NearNumbers(WIDTH)
    found.grow(ROWS)
    expected: dict[int, dict[int, int]] = {}
    for row, place, value in made:
        if row in expected:
            found.put(row, place, value, expected[row])
            expected[row][place] = value
        else:
            found.begin(row, value)
            expected[row] = {0: value}
    for row, kept in expected.items():
        assert {place: found.get(row, place) for place in kept} == kept
