"""What may be compacted, when it is due, how segments are grouped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state import compaction
from pykafka_ops.broker.state.compaction import Bounds, Cleanable, Extent
from pykafka_ops.broker.state.configs.topic import TopicConfig

BASES = [0, 10, 20, 30]


@pytest.mark.parametrize(
    ("checkpoint", "expected"),
    [(None, (5, False)), (7, (7, False)), (40, (40, False)), (4, (5, True)), (41, (5, True))],
)
def test_a_checkpoint_outside_the_log_is_of_no_use(
    checkpoint: int | None, expected: tuple[int, bool]
) -> None:
    assert compaction.first_dirty(checkpoint, start=5, end=40) == expected


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, [0, 1, 2]), (9, [0, 1, 2]), (10, [1, 2]), (25, [2]), (30, [])]
)
def test_the_active_segment_is_left_out(offset: int, expected: list[int]) -> None:
    assert list(compaction.before_active(BASES, offset)) == expected


def bounds(last_stable: int = 100, lag_ms: int = 0, dirty: int = 0) -> Bounds:
    return compaction.bounds(
        BASES,
        (dirty, False),
        last_stable=last_stable,
        lag_ms=lag_ms,
        now=1000,
        largest_timestamp=lambda n: 700 + 100 * n,
    )


def test_undecided_records_and_young_segments_are_not_cleaned() -> None:
    assert bounds().first_uncleanable == 30
    assert bounds(last_stable=12).first_uncleanable == 12
    assert bounds(lag_ms=200).first_uncleanable == 20
    assert bounds(lag_ms=200, dirty=25).first_uncleanable == 25


def test_the_oldest_dirty_record_decides_what_is_overdue() -> None:
    assert compaction.overdue([0, 500, 900], max_lag_ms=400, now=1000)
    assert not compaction.overdue([0, 600, 900], max_lag_ms=400, now=1000)
    assert not compaction.overdue([-1], max_lag_ms=1, now=1000)


def measured(first_dirty: int, first_uncleanable: int) -> Cleanable:
    segments = [Extent(base, 100) for base in BASES]
    found = Bounds(first_dirty, first_uncleanable)
    return compaction.measure(segments, found, is_overdue=False)


def test_dirt_is_measured_in_whole_segments_below_the_bound() -> None:
    assert measured(0, 30)[:4] == (0, 30, 0, 300)
    assert measured(10, 30)[:4] == (10, 30, 100, 200)
    assert measured(10, 29)[:4] == (10, 20, 100, 100)
    assert measured(30, 30)[:4] == (30, 30, 300, 0)
    assert measured(10, 30).ratio == pytest.approx(2 / 3)


def test_a_log_is_due_when_it_is_dirty_enough_or_waited_too_long() -> None:
    half = TopicConfig(min_cleanable_dirty_ratio=0.5)
    assert not Cleanable(0, 9, 50, 50, False).due(half)
    assert Cleanable(0, 9, 49, 51, False).due(half)
    assert Cleanable(0, 9, 99, 1, True).due(half)
    assert not Cleanable(0, 9, 99, 0, True).due(half)
    assert not Cleanable(0, 9, 0, 0, False).due(TopicConfig(min_cleanable_dirty_ratio=0.0))


def bases_of(groups: list[list[Extent]]) -> list[list[int]]:
    return [[e.base_offset for e in group] for group in groups]


def test_groups_keep_within_bytes_index_bytes_and_offsets() -> None:
    segments = [Extent(n * 10, 40, 8, 12) for n in range(5)]
    wide = {"max_index_size": 1000, "first_uncleanable": 50}
    assert bases_of(compaction.group(segments, max_size=100, **wide)) == [[0, 10], [20, 30], [40]]
    narrow = {"max_size": 1000, "first_uncleanable": 50}
    grouped = compaction.group(segments, max_index_size=24, **narrow)
    assert bases_of(grouped) == [[0, 10], [20, 30], [40]]
    far = [Extent(0, 1), Extent(10, 1), Extent(2**31 + 5, 1), Extent(2**32, 0)]
    grouped = compaction.group(far, max_size=1000, max_index_size=1000, first_uncleanable=2**32 + 9)
    assert bases_of(grouped) == [[0], [10], [2**31 + 5, 2**32]]


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 20), st.integers(0, 20)), max_size=30),
    st.integers(1, 200),
)
def test_groups_hold_every_segment_once_in_order(
    sizes: list[tuple[int, int, int]], limit: int
) -> None:
    segments = [Extent(n, *size) for n, size in enumerate(sizes)]
    groups = compaction.group(
        segments, max_size=limit, max_index_size=limit, first_uncleanable=len(sizes)
    )
    assert [e for group in groups for e in group] == segments
    for group in groups:
        assert len(group) == 1 or sum(e.size for e in group) <= limit
        assert len(group) == 1 or sum(e.index_size for e in group) <= limit


def test_max_compaction_lag_closes_segments_of_compacted_topics_only() -> None:
    compact = frozenset({"compact"})
    config = TopicConfig(cleanup_policy=compact, max_compaction_lag_ms=5, segment_ms=9)
    assert config.max_segment_ms == 5
    assert TopicConfig(max_compaction_lag_ms=5, segment_ms=9).max_segment_ms == 9
