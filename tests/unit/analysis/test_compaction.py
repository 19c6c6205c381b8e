"""What waits for the cleaner."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.compaction import PATIENCE, Cleaning, cleaning_of, debt
from pykafka_ops.analysis.retention import LogStretch

NOW = 10**12
LOG = [
    LogStretch(0, 99, 100, NOW - 5000, NOW - 4000),
    LogStretch(100, 199, 60, NOW - 3000, NOW - 2000),
    LogStretch(200, 299, 40, NOW - 1500, NOW - 1000),
    LogStretch(300, 310, 7, NOW - 500, NOW),
]


def test_settings() -> None:
    assert cleaning_of({}) == Cleaning()
    assert cleaning_of({"min.cleanable.dirty.ratio": "0.1", "min.compaction.lag.ms": "5",
                        "max.compaction.lag.ms": "9"}) == Cleaning(0.1, 5, 9)  # fmt: skip


def test_bytes_are_told_apart_at_the_checkpoint_and_the_active_segment() -> None:
    found = debt(LOG, 100, Cleaning(), NOW)
    assert (found.clean_bytes, found.dirty_bytes, found.uncleanable) == (100, 100, 7)
    assert (found.dirty_ratio, found.first_dirty_offset) == (0.5, 100)
    assert found.oldest_dirty == NOW - 3000
    assert found.status == "dirty"


def test_above_the_ratio_it_is_due() -> None:
    assert debt(LOG, 100, Cleaning(0.49), NOW).status == "due"
    assert debt(LOG, None, Cleaning(), NOW).status == "due"


@pytest.mark.parametrize("checkpoint", [None, -1, 5000])
def test_without_a_checkpoint_in_the_log_all_is_dirty(checkpoint: int | None) -> None:
    found = debt(LOG, checkpoint, Cleaning(), NOW)
    assert (found.clean_bytes, found.dirty_bytes, found.first_dirty_offset) == (0, 200, 0)
    assert found.dirty_ratio == 1


def test_a_checkpoint_inside_a_segment_counts_it_twice_as_kafka_does() -> None:
    found = debt(LOG, 150, Cleaning(), NOW)
    assert (found.clean_bytes, found.dirty_bytes) == (160, 100)


def test_a_clean_log() -> None:
    found = debt(LOG, 300, Cleaning(), NOW)
    assert (found.clean_bytes, found.dirty_bytes, found.dirty_ratio) == (200, 0, 0)
    assert (found.status, found.oldest_dirty) == ("clean", None)
    assert debt([], None, Cleaning(), NOW).status == "clean"


def test_young_records_cannot_be_cleaned_yet() -> None:
    found = debt(LOG, 100, Cleaning(min_lag_ms=1500), NOW)
    assert (found.dirty_bytes, found.uncleanable) == (60, 47)
    assert debt(LOG, 100, Cleaning(min_lag_ms=2500), NOW).dirty_bytes == 0


def test_too_old_records_are_overdue_whatever_the_ratio() -> None:
    assert debt(LOG, 100, Cleaning(max_lag_ms=2999), NOW).status == "overdue"
    assert debt(LOG, 100, Cleaning(max_lag_ms=3000), NOW).status == "dirty"


def test_due_for_long_is_stuck() -> None:
    assert debt(LOG, 0, Cleaning(), NOW - 5000 + PATIENCE).status == "due"
    assert debt(LOG, 0, Cleaning(), NOW - 4999 + PATIENCE).status == "stuck"


def test_what_the_last_report_saw_due_and_still_is_there_is_stuck() -> None:
    assert debt(LOG, 0, Cleaning(), NOW, before=(0, "due")).status == "stuck"
    assert debt(LOG, 0, Cleaning(), NOW, before=(0, "dirty")).status == "due"
    assert debt(LOG, 100, Cleaning(0.1), NOW, before=(0, "due")).status == "due"
