"""Ranges of offsets: cut for tasks, limited for a trigger, kept within what is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.spark.sources.live.records.offsets import (
    DataLossError,
    OffsetRange,
    checked,
    split,
)
from pykafka_ops.spark.sources.options import SourceOptions, by_partition, by_topic, limited

SPANS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 300)), max_size=6).map(
    lambda found: [
        OffsetRange("t", n, start, start + size) for n, (start, size) in enumerate(found)
    ]
)


@given(SPANS, st.none() | st.integers(1, 20), st.none() | st.integers(1, 100))
def test_tasks_cover_every_offset_once_and_in_order(
    spans: list[OffsetRange], least: int | None, most: int | None
) -> None:
    parts = split(spans, least, most)
    covered = [(p.partition, at) for p in parts for at in range(p.start, p.end)]
    assert covered == [(s.partition, at) for s in spans for at in range(s.start, s.end)]
    assert all(p.end > p.start for p in parts)
    assert most is None or all(p.end - p.start <= most for p in parts)


def test_more_tasks_go_to_larger_partitions() -> None:
    spans = [OffsetRange("t", 0, 0, 900), OffsetRange("t", 1, 0, 100)]
    parts = split(spans, 10, None)
    assert [(p.partition, p.start, p.end) for p in parts] == [
        *((0, n * 100, n * 100 + 100) for n in range(9)),
        (1, 0, 100),
    ]


@given(SPANS, st.integers(1, 400))
def test_a_limit_is_shared_by_size_and_always_gets_on(spans: list[OffsetRange], most: int) -> None:
    begins = {(s.topic, s.partition): s.start for s in spans}
    ends = {(s.topic, s.partition): s.end for s in spans}
    found = limited(begins, ends, most)
    taken = {p: found[p] - begins[p] for p in found}
    assert all(begins[p] <= found[p] <= ends[p] for p in ends)
    # Each may be rounded up to one, so that it gets on.
    assert sum(taken.values()) <= most + len(spans)
    assert all(taken[p] > 0 for p in ends if ends[p] > begins[p])


def test_checkpoints_are_those_of_sparks_own_source() -> None:
    places = {("b", 1): 5, ("a", 0): 7, ("b", 0): 0}
    assert by_topic(places) == {"a": {"0": 7}, "b": {"0": 0, "1": 5}}
    assert by_partition(by_topic(places), "offsets") == places


def test_records_that_are_gone_stop_a_read_unless_that_may_be() -> None:
    span = OffsetRange("t", 0, 10, 20)
    assert checked(SourceOptions({}), ("t", 0), 15, span) == 15
    with pytest.raises(DataLossError, match="t-0 has no offset 5, only 10 to 20: failOnDataLoss"):
        checked(SourceOptions({}), ("t", 0), 5, span)
    loose = SourceOptions({"failOnDataLoss": "false"})
    assert checked(loose, ("t", 0), 5, span) == 10
    assert checked(loose, ("t", 0), 25, span) == 20
