"""The heaviest keys, with the error that is promised."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.heavy import HeavyHitters

STREAMS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 1000)), max_size=400)


@given(STREAMS, st.integers(2, 40))
def test_every_count_is_within_the_error(stream: list[tuple[int, int]], capacity: int) -> None:
    found: HeavyHitters[int] = HeavyHitters(capacity)
    true: Counter[int] = Counter()
    for key, weight in stream:
        found.add(key, weight)
        true[key] += weight
        assert len(found.counts) <= capacity
    for key, weight in true.items():
        assert found.counts.get(key, 0) <= weight <= found.counts.get(key, 0) + found.error
    assert found.error <= true.total() / (capacity // 2)
    if len(true) <= capacity:
        assert found.exact and found.counts == true


@given(STREAMS, STREAMS, st.integers(2, 40))
def test_two_counts_together_keep_their_bound(
    one: list[tuple[int, int]], other: list[tuple[int, int]], capacity: int
) -> None:
    left: HeavyHitters[int] = HeavyHitters(capacity)
    right: HeavyHitters[int] = HeavyHitters(capacity)
    true: Counter[int] = Counter()
    for found, stream in ((left, one), (right, other)):
        for key, weight in stream:
            found.add(key, weight)
            true[key] += weight
    left.merge(right)
    assert len(left.counts) <= capacity
    for key, weight in true.items():
        assert left.counts.get(key, 0) <= weight <= left.counts.get(key, 0) + left.error


def test_the_heaviest_come_first() -> None:
    found: HeavyHitters[bytes] = HeavyHitters(10)
    for key, weight in ((b"a", 5), (b"b", 9), (b"c", 5), (b"a", 1)):
        found.add(key, weight)
    assert found.top(2) == [(b"b", 9), (b"a", 6)]
    assert found.top(0) == []
