"""Cutting a log at its end, at its start, completely."""

from __future__ import annotations

import errno

import pytest

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import World, filled, refused, values


def test_truncation_drops_what_lies_above() -> None:
    w = filled(per_epoch=3)
    assert not w.log.truncate_to(10)
    assert w.log.truncate_to(6)
    assert (w.log.log_end_offset, w.log.high_watermark, w.bases()) == (6, 6, [0, 4])
    assert [o for o, _ in values(w.log)] == [0, 1, 2, 3, 4, 5]
    assert w.log.epochs.entries() == [(0, 0), (1, 3)]
    assert w.append(b"y", epoch=9).first_offset == 6
    assert w.log.durability.recovery_point <= 6
    with pytest.raises(ValueError, match="negative"):
        w.log.truncate_to(-1)


def test_truncation_takes_the_whole_batch_that_holds_the_offset() -> None:
    w = World()
    w.append(b"a", b"b", b"c")
    w.log.truncate_to(1)
    assert (w.log.log_end_offset, w.log.size) == (1, 0)


def test_truncation_below_the_first_segment_starts_over_there() -> None:
    w = filled(per_epoch=3)
    w.log.delete_records(9)
    w.log.delete_old_segments(w.now)
    assert w.bases() == [8]
    assert w.log.truncate_to(3)
    assert (w.log.log_start_offset, w.log.log_end_offset, w.bases()) == (3, 3, [3])


def test_full_truncation_starts_empty_at_any_offset() -> None:
    w = filled(per_epoch=3, file_delete_delay_ms=0)
    w.log.truncate_fully(100, log_start=90)
    assert (w.log.log_start_offset, w.log.log_end_offset, w.log.high_watermark) == (90, 100, 100)
    assert w.log.epochs.entries() == []
    assert len([n for n in w.names() if n.endswith(".log")]) == 1
    assert w.append(b"a").first_offset == 100


def test_a_full_truncation_without_room_leaves_a_log_that_is_opened_anew() -> None:
    w = filled(file_delete_delay_ms=0)
    w.files.fail("write", error=errno.ENOSPC, match=f"{100:020d}.timeindex")
    refused(ErrorCode.KAFKA_STORAGE_ERROR, lambda: w.log.truncate_fully(100))
    assert (w.home.online, w.log.is_open) == (True, False)
    assert (w.log.log_start_offset, w.log.log_end_offset, w.log.high_watermark) == (0, 0, 0)
    w.log.truncate_fully(100)
    assert w.append(b"a").first_offset == 100


def test_truncation_forgets_what_producers_wrote_there() -> None:
    w = World()
    ids = {"producer_id": 1, "producer_epoch": 0}
    w.append(b"a", base_sequence=0, transactional=True, **ids)
    w.append(b"b", base_sequence=1, transactional=True, **ids)
    w.end_txn(1, commit=False)
    w.log.truncate_to(1)
    assert w.log.producers.has_ongoing(1)
    assert w.log.segments[0].aborted() == []
    assert w.append(b"b", base_sequence=1, transactional=True, **ids).first_offset == 1


def test_deleted_records_can_not_be_read_and_their_segments_go() -> None:
    w = filled(per_epoch=3, file_delete_delay_ms=0)
    assert w.log.delete_records(5) == 5
    assert w.log.delete_records(3) == 5
    assert (w.log.log_start_offset, w.bases(), w.log.start_checkpoint) == (5, [0, 4, 8], 5)
    assert w.log.delete_old_segments(w.now) == 1
    assert (w.bases(), w.log.start_checkpoint) == ([4, 8], 5)
    assert w.log.epochs.entries()[0] == (1, 5)
    assert w.log.delete_records(-1) == 10
    assert w.log.delete_old_segments(w.now) == 1
    assert not any(n.startswith("00000000000000000000.") for n in w.names())
    for offset in (11, -2):
        with pytest.raises(KafkaError) as caught:
            w.log.delete_records(offset)
        assert caught.value.code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_what_is_cut_off_a_cleaned_log_is_dirty_when_it_comes_again() -> None:
    w = filled()
    w.log.compaction.cleaned_to = 8
    w.log.truncate_to(9)
    assert w.log.compaction.cleaned_to == 8
    w.log.truncate_to(6)
    assert w.log.compaction.cleaned_to == 6
    w.log.truncate_fully(2)
    assert w.log.compaction.cleaned_to == 2
