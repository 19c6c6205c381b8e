"""The key map: what it remembers, when it is full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.storage.cleaner.job import CompactionJob, SegmentSource
from pykafka_ops.broker.storage.cleaner.keys import SLOT_BYTES, KeyMap
from pykafka_ops.broker.storage.cleaner.loops import pick, sift, take_in
from pykafka_ops.broker.storage.cleaner.throttle import Throttler
from pykafka_ops.disk.record import Record, encode_records
from pykafka_ops.errors import CorruptBatchError


@given(st.lists(st.tuples(st.binary(max_size=4), st.integers(0, 2**62)), max_size=300))
def test_it_remembers_the_last_offset_of_each_key(puts: list[tuple[bytes, int]]) -> None:
    keys = KeyMap(1 << 20, records=len(puts))
    model: dict[bytes, int] = {}
    for key, offset in puts:
        assert keys.put(key, offset)
        model[key] = offset
    assert keys.size == len(model)
    assert all(keys.get(key) == offset for key, offset in model.items())
    assert keys.get(b"never put") == -1
    assert keys.latest_offset == max((o for _, o in puts), default=-1)


def test_it_takes_no_more_than_its_memory_and_load() -> None:
    keys = KeyMap(1000 * SLOT_BYTES, load=0.5)
    assert 900 < keys.slots <= 1000
    taken = sum(keys.put(b"%d" % n, n) for n in range(2000))
    assert taken == keys.size == keys.limit <= 500
    assert keys.put(b"7", 9000), "a key it knows always fits"
    assert keys.get(b"7") == 9000
    assert keys.get(b"1999") == -1


def test_a_small_job_takes_little_memory() -> None:
    assert KeyMap(1 << 30, records=10).slots < 100


def test_a_throttle_sleeps_as_long_as_it_was_too_fast() -> None:
    now = [0.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    throttle = Throttler(1000.0, lambda: now[0], sleep)
    throttle.spent(100)
    assert slept == []
    throttle.spent(1900)
    assert slept == [2.0]
    now[0] += 10
    throttle.spent(5000)
    assert slept == [2.0]


def test_a_job_survives_the_pipe() -> None:
    job = CompactionJob(
        directory="/d/t-0",
        segments=[SegmentSource(0, 10, 5)],
        later=[7],
        first_dirty=0,
        first_uncleanable=7,
        position=0,
        producers=[(1, -1, 2)],
        now=3,
        delete_retention_ms=4,
        segment_bytes=5,
        segment_index_bytes=6,
        index_interval_bytes=7,
    )
    assert CompactionJob.from_json(job.to_json()) == job


def test_a_record_that_lies_about_its_offset_is_refused() -> None:
    """It would mark a record of another batch as obsolete."""
    records = [Record(0, 0, b"a", b"1"), Record(7, 0, b"a", b"2")]
    plain = bytes(encode_records(records, 0, 0))
    with pytest.raises(CorruptBatchError, match="outside of its batch"):
        take_in(plain, (0, len(plain), 2), (0, 1), 0, KeyMap(1 << 20), bytearray(10))


def test_cut_records_are_refused() -> None:
    plain = bytes(encode_records([Record(0, 0, b"abc", b"1" * 40)], 0, 0))
    for size in range(len(plain)):
        with pytest.raises(CorruptBatchError):
            take_in(plain[:size], (0, size, 1), (0, 0), 0, KeyMap(1 << 20), bytearray(1))
        with pytest.raises(CorruptBatchError):
            sift(plain[:size], (0, size, 1), 0, KeyMap(1 << 20), drop_tombstones=False)
        with pytest.raises(CorruptBatchError):
            pick(plain[:size], (0, size, 1), bytearray(1), drop_tombstones=False)
