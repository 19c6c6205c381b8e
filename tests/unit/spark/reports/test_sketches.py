"""Counts in little memory are as near as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.spark.reports.sketches import DISTINCT_ERROR, SIZE_ERROR, Distinct, Sizes

VALUES = st.lists(st.integers(0, 2**31 - 1), max_size=200)
SHARES = [0.0, 0.25, 0.5, 0.95, 0.99, 1.0]


def _hashes(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**63), 2**63 - 1, count, dtype=np.int64)


@pytest.mark.parametrize("count", [0, 1, 10, 1000, 5000, 50_000, 1_000_000])
def test_different_values_are_counted_within_the_error(count: int) -> None:
    found = Distinct()
    hashes = _hashes(count)
    found.add(hashes)
    found.add(hashes[: count // 2])
    assert found.count == pytest.approx(count, rel=4 * DISTINCT_ERROR)


def test_counts_of_two_are_those_of_one_that_saw_all() -> None:
    one, other, both = Distinct(), Distinct(), Distinct()
    one.add(_hashes(3000, 1))
    other.add(_hashes(3000, 2))
    both.add(np.concatenate([_hashes(3000, 2), _hashes(3000, 1)]))
    one.merge(Distinct(other.pack()))
    assert one.pack() == both.pack()


@settings(deadline=None)  # the first example imports numpy
@given(VALUES, VALUES)
def test_quantiles_are_within_their_error(first: list[int], more: list[int]) -> None:
    sizes, others = Sizes(), Sizes()
    sizes.add(np.array(first, dtype=np.int64))
    others.add(np.array(more, dtype=np.int64))
    sizes.merge(Sizes(others.pack()))
    values = sorted(first + more)
    found = sizes.quantiles(SHARES)
    if not values:
        assert found is None
        return
    assert found is not None
    for share, value in zip(SHARES, found, strict=True):
        true = values[max(0, -int(-share * len(values) // 1) - 1)]
        assert value == pytest.approx(true, rel=SIZE_ERROR)
        assert true >= 64 or value == true
