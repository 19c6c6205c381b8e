"""Leader epochs of a partition: assignment, truncation, end offsets."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.replication.epochs import UNDEFINED, EpochCache


def cache(*entries: tuple[int, int]) -> EpochCache:
    return EpochCache(entries)


def test_an_epoch_keeps_its_first_offset() -> None:
    c = cache((1, 10))
    assert not c.assign(1, 15)
    assert c.entries() == [(1, 10)]
    assert c.assign(1, 5)
    assert c.entries() == [(1, 5)]


def test_the_epochs_of_one_partition_are_not_those_of_another() -> None:
    one, two = EpochCache(), EpochCache()
    assert one.assign(1, 5)
    assert two.assign(2, 7)
    assert one.clear()
    assert (one.entries(), two.entries(), EpochCache().entries()) == ([], [(2, 7)], [])


def test_a_new_epoch_drops_entries_it_contradicts() -> None:
    c = cache((1, 10), (2, 20), (3, 30))
    assert c.assign(4, 20)
    assert c.entries() == [(1, 10), (4, 20)]
    assert c.assign(2, 50)
    assert c.entries() == [(1, 10), (2, 50)]


def test_an_epoch_without_records_is_replaced_by_the_next() -> None:
    c = cache((1, 0), (2, 7))
    assert c.assign(3, 7)
    assert c.entries() == [(1, 0), (3, 7)]


def test_negative_epochs_and_offsets_are_refused() -> None:
    with pytest.raises(ValueError, match="invalid partition leader epoch"):
        cache((-1, 0))
    with pytest.raises(ValueError, match="invalid partition leader epoch"):
        cache((0, -1))


def test_truncation_from_the_end_drops_epochs_that_begin_there() -> None:
    c = cache((1, 10), (2, 20), (3, 30))
    assert not c.truncate_from_end(31)
    assert not c.truncate_from_end(-1)
    assert c.truncate_from_end(30)
    assert c.entries() == [(1, 10), (2, 20)]
    assert c.truncate_from_end(0)
    assert not c


def test_truncation_from_the_start_moves_the_epoch_it_falls_in() -> None:
    c = cache((1, 10), (2, 20), (3, 30))
    assert not c.truncate_from_start(9)
    assert not c.truncate_from_start(10)
    assert c.truncate_from_start(25)
    assert c.entries() == [(2, 25), (3, 30)]
    assert c.truncate_from_start(30)
    assert c.entries() == [(3, 30)]


def test_end_offsets_follow_kafka() -> None:
    c = cache((2, 10), (4, 20), (7, 30))
    assert c.end_offset_for(7, 99) == (7, 99)
    assert c.end_offset_for(4, 99) == (4, 30)
    assert c.end_offset_for(5, 99) == (4, 30)
    assert c.end_offset_for(2, 99) == (2, 20)
    assert c.end_offset_for(1, 99) == (1, 10)
    assert c.end_offset_for(8, 99) == UNDEFINED
    assert c.end_offset_for(-1, 99) == UNDEFINED
    assert c.end_offset_for(-2, 99) == (-2, 10)  # as any epoch below the oldest
    assert cache().end_offset_for(0, 0) == UNDEFINED


def test_neighbours_and_ends() -> None:
    c = cache((2, 10), (4, 20))
    assert [c.previous(e) for e in (2, 3, 4, 9)] == [-1, 2, 2, 4]
    assert (c.earliest, c.latest) == ((2, 10), 4)
    assert (cache().earliest, cache().latest) == (UNDEFINED, -1)


OPS = st.lists(
    st.tuples(st.sampled_from(["assign", "end", "start"]), st.integers(0, 8), st.integers(0, 40)),
    max_size=30,
)


@given(OPS)
def test_epochs_and_offsets_always_rise(ops: list[tuple[str, int, int]]) -> None:
    c = EpochCache()
    for op, epoch, offset in ops:
        before = c.entries()
        if op == "assign":
            changed = c.assign(epoch, offset)
        elif op == "end":
            changed = c.truncate_from_end(offset)
        else:
            changed = c.truncate_from_start(offset)
        entries = c.entries()
        assert changed == (entries != before)
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(entries))
