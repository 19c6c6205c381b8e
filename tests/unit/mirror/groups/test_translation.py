"""A group's offset at the source becomes one of the target."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.errors import KafkaError
from pykafka_ops.mirror.groups.translation import (
    AHEAD,
    EXACT,
    FAILED,
    OLD,
    UNKNOWN,
    KnownCopy,
    TranslatedCommit,
    place_of,
    places_of,
)
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun
from tests.unit.mirror.offsets.histories import HISTORIES, History

SOURCE, TARGET = ("orders", 0), ("a.orders", 0)


def _known(runs: list[OffsetRun], position: int | None, start: int = 0) -> KnownCopy:
    mapped = OffsetMap(runs)
    positions = {} if position is None else {TARGET: position}
    return KnownCopy(lambda _, offset: mapped.translate(offset), positions, {TARGET: start})


def _place(known: KnownCopy, offset: int) -> TranslatedCommit:
    return place_of(SOURCE, "a.orders", Committed(offset, 3, "note"), known)


@given(HISTORIES.filter(lambda h: h.log), st.integers(0, 60))
def test_reads_on_without_loss_and_without_what_was_committed(
    history: History, offset: int
) -> None:
    known = _known(history.runs, history.position, start=history.log[0][0])
    place = _place(known, offset)
    got = [source for target, source in history.log if target >= place.target]
    assert place.standing == (AHEAD if offset > history.position else EXACT)
    assert all(source >= min(offset, history.position) for source in got)
    assert {one for one in history.alive if one >= offset} <= set(got)


def test_keeps_the_note_of_the_commit() -> None:
    place = _place(_known([OffsetRun(0, 5, 10)], 10), 4)
    assert place == TranslatedCommit("orders", "a.orders", 0, 4, 9, EXACT, "note", 0)


def test_a_group_ahead_of_the_mirror_stands_at_the_end_of_the_copy() -> None:
    place = _place(_known([OffsetRun(0, 5, 10)], 10), 17)
    assert (place.target, place.standing, place.ahead) == (15, AHEAD, 7)


def test_what_the_mirror_passed_without_a_record_is_not_ahead() -> None:
    place = _place(_known([OffsetRun(0, 5, 10)], 17), 17)
    assert (place.target, place.standing) == (15, EXACT)


def test_an_offset_before_the_copy_is_its_begin_where_the_target_has_nothing_older() -> None:
    runs = [OffsetRun(100, 40, 10)]
    assert _place(_known(runs, 110, start=40), 7)[4:6] == (40, EXACT)
    assert _place(_known(runs, 110, start=39), 7)[4:6] == (-1, OLD)
    nowhere = _known(runs, 110)._replace(starts={})
    assert _place(nowhere, 7)[4:6] == (-1, OLD)


def test_a_group_that_stands_before_the_sources_begin_reads_on_there() -> None:
    known = _known([OffsetRun(100, 40, 10)], 110, start=3)
    assert _place(known, 7)[4:6] == (-1, OLD)
    assert _place(known._replace(source_starts={SOURCE: 104}), 7)[4:6] == (44, EXACT)
    assert _place(known._replace(source_starts={SOURCE: 50}), 7)[4:6] == (-1, OLD)


def test_what_the_target_has_deleted_is_not_named() -> None:
    place = _place(_known([OffsetRun(0, 0, 100)], 100, start=60), 7)
    assert (place.target, place.standing) == (60, EXACT)


def test_who_has_read_all_of_a_partition_without_records_starts_at_its_begin() -> None:
    assert _place(_known([], 5, start=2), 5)[4:6] == (2, EXACT)


@pytest.mark.parametrize(("runs", "position"), [([], 5), ([OffsetRun(0, 0, 9)], None)])
def test_is_unknown_before_anything_was_copied(runs: list[OffsetRun], position: int | None) -> None:
    assert _place(_known(runs, position), 3)[4:6] == (-1, UNKNOWN)


def test_takes_the_partitions_that_are_mirrored() -> None:
    known = _known([OffsetRun(0, 0, 9)], 9)
    committed = {
        SOURCE: Committed(3, -1, ""),
        ("orders", 1): Committed(3, -1, ""),
        ("other", 0): KafkaError(30),
    }
    found = places_of(committed, lambda topic: f"a.{topic}", known)
    assert [place[:3] for place in found] == [("orders", "a.orders", 0)]


def test_says_which_commits_could_not_be_read() -> None:
    known = _known([OffsetRun(0, 0, 9)], 9)
    (place,) = places_of({SOURCE: KafkaError(29)}, lambda topic: f"a.{topic}", known)
    assert (place.target, place.standing) == (-1, FAILED)
