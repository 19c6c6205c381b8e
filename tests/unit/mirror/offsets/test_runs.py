"""Offsets of the source become those of the target: exactly, whatever the history."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import CorruptError
from pykafka_ops.mirror.offsets.runs import HIGHEST, OffsetMap, OffsetRun, Translated
from tests.unit.mirror.offsets.histories import HISTORIES, STEADY, History


def _read_on(history: History, offset: int) -> list[int]:
    """The records of the source that a group gets which goes on where the map says."""
    found = OffsetMap(history.runs).translate(offset)
    assert found is not None
    return [source for target, source in history.log if target >= found.offset]


@given(HISTORIES.filter(lambda h: h.log))
def test_reads_nothing_twice_and_loses_nothing(history: History) -> None:
    for offset in range(history.position + 3):
        got = _read_on(history, offset)
        due = {source for source in history.alive if source >= offset}
        assert all(source >= offset for source in got)
        assert due <= set(got)


@given(STEADY.filter(lambda h: h.log))
def test_names_the_very_record_or_the_next_that_was_copied(history: History) -> None:
    mapped = OffsetMap(history.runs)
    where = {source: target for target, source in history.log}
    for offset in range(history.position + 3):
        found = mapped.translate(offset)
        following = [t for s, t in where.items() if s >= offset]
        expected = min(following) if following else history.log[-1][0] + 1
        assert found is not None
        assert found.offset == expected
        assert (found.where == "run") == (offset in where)
        assert (found.where == "end") == (not following)


@given(STEADY.filter(lambda h: h.log))
def test_translates_back_to_where_it_came_from(history: History) -> None:
    mapped = OffsetMap(history.runs)
    for target, source in history.log:
        assert mapped.back(target) == Translated(source, "run")
    above = mapped.back(history.log[-1][0] + 1)
    assert above == Translated(history.log[-1][1] + 1, "end")


@given(HISTORIES, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(history: History, draw: random.Random) -> None:
    whole = OffsetMap(history.runs)
    pieces = [*history.runs, *whole, *history.runs[::2]]
    draw.shuffle(pieces)
    mapped = OffsetMap()
    while pieces:
        count = draw.randint(1, len(pieces))
        mapped.add(pieces[:count])
        del pieces[:count]
    assert list(mapped) == list(whole)


@given(HISTORIES)
def test_runs_rise_in_both_logs_and_never_touch(history: History) -> None:
    runs = list(OffsetMap(history.runs))
    for before, after in pairwise(runs):
        apart = after.source - before.source - before.length
        beyond = after.target - before.target - before.length
        assert min(apart, beyond) >= 0
        assert apart or beyond


@given(HISTORIES, st.integers(0, 200), st.integers(0, 200))
def test_what_was_pruned_changes_no_other_answer(
    history: History, start: int, target_start: int
) -> None:
    whole, pruned = OffsetMap(history.runs), OffsetMap(history.runs)
    gone = pruned.prune(start, target_start)
    assert len(pruned) == len(whole) - gone
    assert not whole or pruned.last == whole.last
    for offset in range(start, history.position + 3):
        then, now = whole.translate(offset), pruned.translate(offset)
        if then is not None and then.offset >= target_start:
            assert now is not None
            assert now.offset == then.offset


def test_knows_nothing_of_an_empty_partition() -> None:
    mapped = OffsetMap()
    assert (mapped.translate(7), mapped.back(7), mapped.first, mapped.last) == (None,) * 4
    assert mapped.prune(100) == 0


def test_says_that_an_offset_is_before_all_that_is_known() -> None:
    mapped = OffsetMap([OffsetRun(100, 40, 10)])
    assert mapped.translate(99) == Translated(40, "before")
    assert mapped.back(39) == Translated(100, "before")


def test_the_later_copy_counts() -> None:
    mapped = OffsetMap([OffsetRun(0, 0, 60), OffsetRun(50, 200, 5)])
    assert mapped.translate(49) == Translated(49, "run")
    assert mapped.translate(52) == Translated(202, "run")
    assert mapped.translate(60) == Translated(205, "end")


def test_offsets_that_the_target_lost_and_gave_again_are_not_of_the_old_records() -> None:
    mapped = OffsetMap([OffsetRun(0, 0, 100), OffsetRun(100, 90, 5)])
    assert mapped.translate(95) == Translated(90, "gap")
    assert mapped.back(92) == Translated(102, "run")


@pytest.mark.parametrize("run", [(-1, 0, 1), (0, -1, 1), (0, 0, -1), (HIGHEST, 0, 1)])
def test_refuses_runs_that_cannot_be_and_adds_nothing(run: tuple[int, int, int]) -> None:
    mapped = OffsetMap([OffsetRun(0, 0, 5)])
    with pytest.raises(CorruptError, match="no offsets"):
        mapped.add([OffsetRun(5, 5, 5), OffsetRun(*run)])
    assert list(mapped) == [OffsetRun(0, 0, 5)]


def test_an_empty_run_is_none() -> None:
    assert len(OffsetMap([OffsetRun(3, 3, 0)])) == 0
