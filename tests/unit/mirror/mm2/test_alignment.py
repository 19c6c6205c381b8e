"""What MirrorMaker 2 has copied, from its syncs and from both logs."""

from __future__ import annotations

from pykafka_ops.disk.record import Record
from pykafka_ops.mirror.mm2.alignment import SyncPoint, aligned, stretches
from pykafka_ops.mirror.offsets.runs import OffsetRun

BEGIN = SyncPoint(0, 0)


def _log(*entries: tuple[int, str]) -> list[Record]:
    return [Record(offset, 0, b"k", text.encode()) for offset, text in entries]


def _runs(syncs: list[tuple[int, int]], end: tuple[int, int]) -> list[OffsetRun | None]:
    found = stretches([SyncPoint(*one) for one in syncs], BEGIN, SyncPoint(*end))
    return [stretch.run for stretch in found]


def test_equal_distances_are_one_run_each() -> None:
    assert _runs([(0, 0), (100, 100)], (130, 130)) == [
        OffsetRun(100, 100, 30),
        OffsetRun(0, 0, 100),
    ]


def test_unequal_distances_are_to_be_compared() -> None:
    assert _runs([(40, 38)], (50, 48)) == [OffsetRun(40, 38, 10), None]


def test_the_later_copy_counts_where_it_went_back() -> None:
    found = stretches(
        [SyncPoint(0, 0), SyncPoint(50, 50), SyncPoint(20, 80)], BEGIN, SyncPoint(60, 120)
    )
    assert [tuple(stretch) for stretch in found] == [((20, 80), (60, 120)), ((0, 0), (20, 80))]


def test_syncs_outside_of_both_logs_say_nothing() -> None:
    found = stretches([SyncPoint(1, 1), SyncPoint(90, 70)], SyncPoint(10, 5), SyncPoint(80, 75))
    assert [tuple(stretch) for stretch in found] == [((10, 5), (80, 75))]


def test_a_log_with_nothing_copied_has_an_empty_run() -> None:
    assert _runs([], (0, 0)) == [OffsetRun(0, 0, 0)]


def test_equal_records_side_by_side_give_runs() -> None:
    source = _log((0, "a"), (1, "b"), (4, "c"), (5, "d"))
    found = aligned(iter(source), _log((10, "a"), (11, "b"), (12, "c")))
    assert found == ([OffsetRun(0, 10, 2), OffsetRun(4, 12, 1)], 5, True)


def test_a_record_that_differs_ends_it() -> None:
    found = aligned(iter(_log((0, "a"), (1, "b"))), _log((0, "a"), (1, "x")))
    assert found == ([OffsetRun(0, 0, 1)], 1, False)


def test_a_target_with_more_records_differs() -> None:
    assert not aligned(iter(_log((0, "a"))), _log((0, "a"), (1, "b"))).equal
