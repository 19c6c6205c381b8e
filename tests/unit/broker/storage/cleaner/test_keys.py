"""The key map: what it remembers, when it is full."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.storage.cleaner.job import Job, Source
from pykafka_ops.broker.storage.cleaner.keys import SLOT_BYTES, KeyMap
from pykafka_ops.broker.storage.cleaner.throttle import Throttle


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

    throttle = Throttle(1000.0, lambda: now[0], sleep)
    throttle.spent(100)
    assert slept == []
    throttle.spent(1900)
    assert slept == [2.0]
    now[0] += 10
    throttle.spent(5000)
    assert slept == [2.0]


def test_a_job_survives_the_pipe() -> None:
    job = Job(
        directory="/d/t-0",
        segments=[Source(0, 10, 5)],
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
    assert Job.from_json(job.to_json()) == job
