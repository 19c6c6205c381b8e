"""Which segments go."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.broker.storage.retention import below_start, expired, over_size


class Facts(NamedTuple):
    base_offset: int
    size: int
    largest_timestamp: int


SEGMENTS = [Facts(0, 100, 10), Facts(10, 100, 20), Facts(20, 100, 30), Facts(30, 50, 40)]
ALL = {"high_watermark": 40, "end": 40}


def test_time_counts_from_the_youngest_record() -> None:
    assert expired(SEGMENTS, retention_ms=5, now=25, **ALL) == 1
    assert expired(SEGMENTS, retention_ms=5, now=26, **ALL) == 2
    assert expired(SEGMENTS, retention_ms=5, now=1000, **ALL) == 4
    assert expired(SEGMENTS, retention_ms=-1, now=1000, **ALL) == 0


def test_a_younger_segment_protects_those_after_it() -> None:
    mixed = [Facts(0, 1, 10), Facts(10, 1, 99), Facts(20, 1, 10), Facts(30, 1, 10)]
    assert expired(mixed, retention_ms=5, now=50, **ALL) == 1


def test_a_jump_of_the_clock_into_the_past_deletes_nothing() -> None:
    assert expired(SEGMENTS, retention_ms=5, now=-1000, **ALL) == 0


def test_size_leaves_at_least_what_is_asked_for() -> None:
    for retention, count in ((350, 0), (349, 0), (251, 0), (250, 1), (150, 2), (50, 3), (0, 4)):
        assert over_size(SEGMENTS, retention_bytes=retention, **ALL) == count
    assert over_size(SEGMENTS, retention_bytes=-1, **ALL) == 0


def test_segments_wholly_below_the_start_go() -> None:
    for start, count in ((0, 0), (9, 0), (10, 1), (29, 2), (30, 3), (40, 3)):
        assert below_start(SEGMENTS, log_start=start, **ALL) == count


def test_nothing_uncommitted_goes() -> None:
    assert expired(SEGMENTS, retention_ms=0, now=1000, high_watermark=29, end=40) == 2
    assert expired(SEGMENTS, retention_ms=0, now=1000, high_watermark=39, end=40) == 3


def test_an_empty_last_segment_stays() -> None:
    empty_last = [*SEGMENTS[:3], Facts(30, 0, 0)]
    assert expired(empty_last, retention_ms=0, now=1000, high_watermark=30, end=30) == 3
