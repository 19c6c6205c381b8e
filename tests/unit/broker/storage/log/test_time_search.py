"""Offsets by time."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import NOW, SIZE, World, filled
from tests.support.memory.steps import at_once, counted


@pytest.mark.parametrize("reopened", [False, True])
def test_offsets_are_found_by_time(reopened: bool) -> None:
    w = filled()
    if reopened:
        w.log.close()
        w.reopen(clean=True)
    for n in range(10):
        assert at_once(w.log.times.first_since(NOW + 10 * n, 10)) == (NOW + 10 * n, n, 0)
        if n:
            assert at_once(w.log.times.first_since(NOW + 10 * n - 9, 10)) == (NOW + 10 * n, n, 0)
    assert at_once(w.log.times.first_since(0, 10)) == (NOW, 0, 0)
    assert at_once(w.log.times.first_since(NOW + 91, 10)) is None
    assert at_once(w.log.times.first_since(NOW + 60, 6)) is None, "not committed yet"


def test_time_search_looks_inside_batches_and_skips_deleted_records() -> None:
    w = World()
    w.append(b"a", b"b", b"c", timestamp=NOW, codec=Codec.LZ4)
    assert at_once(w.log.times.first_since(NOW + 1, 3)) == (NOW + 1, 1, 0)
    w.log.raise_high_watermark(3)
    w.log.delete_records(2)
    assert at_once(w.log.times.first_since(NOW, 3)) == (NOW + 2, 2, 0)


def test_timestamps_that_go_back_are_found_by_the_first_as_young() -> None:
    w = World(index_interval_bytes=0)
    for timestamp in (50, 10, 40, 90, 20):
        w.append(b"a", timestamp=NOW + timestamp)
    assert at_once(w.log.times.first_since(NOW + 45, 5)) == (NOW + 50, 0, 0)
    assert at_once(w.log.times.first_since(NOW + 60, 5)) == (NOW + 90, 3, 0)
    assert at_once(w.log.times.youngest()) == (NOW + 90, 3, 0)


def test_the_largest_timestamp_and_its_first_record() -> None:
    w = World(segment_bytes=3 * SIZE)
    assert at_once(w.log.times.youngest()) is None
    w.append(b"a", b"b", timestamp=NOW)
    w.append(b"c", timestamp=NOW + 1)
    w.append(b"d" * 40, timestamp=NOW - 100)
    assert at_once(w.log.times.youngest()) == (NOW + 1, 1, 0)


def test_earliest_and_latest_come_with_their_epochs() -> None:
    w = World()
    assert w.log.times.earliest() == (-1, 0, -1)
    assert (w.log.log_end_offset, w.log.latest_epoch) == (0, -1)
    w.append(b"a", epoch=2)
    w.append(b"b", epoch=5)
    assert w.log.times.earliest() == (-1, 0, 2)
    assert (w.log.log_end_offset, w.log.latest_epoch) == (2, 5)
    assert w.log.end_offset_for_epoch(2) == (2, 1)
    assert w.log.end_offset_for_epoch(9) == (-1, -1)
    assert w.log.epochs.entries() == [(2, 0), (5, 1)]


@pytest.mark.parametrize("codec", list(Codec))
def test_a_batch_of_very_many_records_is_searched_in_steps(codec: Codec) -> None:
    w = World()
    w.append(*[b"v"] * 5000, timestamp=NOW, codec=codec)
    w.log.raise_high_watermark(5000)
    found, pauses = counted(w.log.times.first_since(NOW + 4999, 5000))
    assert found == (NOW + 4999, 4999, 0)
    assert pauses > 5000 // 500
    assert counted(w.log.times.youngest())[1] > 5000 // 500


def test_few_records_are_searched_at_once() -> None:
    w = filled()
    assert counted(w.log.times.first_since(NOW + 90, 10)) == ((NOW + 90, 9, 0), 0)


def test_a_segment_that_goes_while_it_is_searched_is_not_read() -> None:
    w = World(segment_bytes=50_000)
    w.append(*[b"v"] * 5000, timestamp=NOW)
    w.append(b"a" * 100, timestamp=NOW + 9999)
    w.log.raise_high_watermark(5001)
    steps = w.log.times.first_since(NOW + 10, 5001)
    assert next(steps) is None
    w.log.delete_records(5000)
    w.log.delete_old_segments(NOW)
    assert len(w.log.segments) == 1
    with pytest.raises(KafkaError) as caught:
        at_once(steps)
    assert caught.value.code == ErrorCode.OFFSET_NOT_AVAILABLE
