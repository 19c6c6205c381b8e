"""What a compaction keeps: the last value of each key, tombstones in two passes, order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import CorruptBatchError
from tests.support.memory.compaction import CleanWorld, batches, records
from tests.support.memory.logs import NOW
from tests.support.memory.steps import at_once

FILL = "x" * 40


def test_the_last_value_of_a_key_stays_below_the_active_segment() -> None:
    w = CleanWorld()
    for n in range(40):
        w.put((f"k{n % 4}", f"{n}{FILL}"))
    active = w.log.segments[-1].base_offset
    w.clean()
    found = records(w.log)
    below = [(o, k) for o, k, _ in found if o < active]
    assert sorted(k for _, k in below) == [b"k0", b"k1", b"k2", b"k3"]
    assert [o for o, _ in below] == list(range(active - 4, active))
    assert [o for o, _, _ in found if o >= active] == list(range(active, 40))


def test_a_batch_that_keeps_all_its_records_is_not_touched() -> None:
    w = CleanWorld()
    w.put(("a", FILL), ("b", FILL), codec=Codec.GZIP)
    first = batches(w.log)[0][1]
    for n in range(20):
        w.put((f"c{n % 2}", FILL * 4))
    w.clean()
    assert batches(w.log)[0][1] == first


@pytest.mark.parametrize("codec", list(Codec))
def test_a_batch_that_loses_records_keeps_its_codec_offsets_and_sequences(codec: Codec) -> None:
    w = CleanWorld()
    w.put(
        *((f"k{n}", f"{n}{FILL}") for n in range(6)),
        codec=codec,
        producer_id=7,
        producer_epoch=1,
        base_sequence=100,
    )
    for _ in range(12):
        w.put(("k0", FILL * 5), ("k5", "y"))
    w.clean()
    header, data = batches(w.log)[0]
    assert (header.base_offset, header.last_offset, header.record_count) == (0, 5, 4)
    assert (header.base_sequence, header.last_sequence) == (100, 105)
    assert (header.codec, header.producer_id) == (codec, 7)
    assert header.max_timestamp == NOW + 4
    found = list(iter_records(data, 0, header))
    assert [(r.offset, r.timestamp, r.key) for r in found] == [
        (n, NOW + n, f"k{n}".encode()) for n in range(1, 5)
    ]


def test_a_tombstone_stays_for_delete_retention_ms_after_the_pass_that_saw_it() -> None:
    w = CleanWorld(delete_retention_ms=1000)
    w.put(("a", FILL))
    w.put(("a", None))
    for n in range(20):
        w.put((f"c{n % 3}", FILL * 4))
    w.clean()
    (tombstone,) = [(h, d) for h, d in batches(w.log) if h.has_delete_horizon]
    assert tombstone[0].base_timestamp == w.now + 1000
    (record,) = iter_records(tombstone[1], 0, tombstone[0])
    assert (record.key, record.value, record.timestamp) == (b"a", None, NOW)
    for n in range(20):
        w.put((f"c{n % 3}", FILL * 4))
    w.now += 999
    w.clean()
    assert b"a" in [k for _, k, _ in records(w.log)]
    for n in range(20):
        w.put((f"c{n % 3}", FILL * 4))
    w.now += 1
    w.clean()
    assert b"a" not in [k for _, k, _ in records(w.log)]


def test_an_endless_delete_retention_sets_no_horizon() -> None:
    w = CleanWorld(delete_retention_ms=2**63 - 1)
    w.put(("a", None))
    for n in range(20):
        w.put((f"c{n % 3}", FILL * 4))
    w.clean()
    assert not any(h.has_delete_horizon for h, _ in batches(w.log))
    assert records(w.log)[0][1:] == (b"a", None)


def test_records_without_a_key_go() -> None:
    w = CleanWorld(cleanup_policy=frozenset({"delete"}))
    w.append(b"no key", FILL.encode())
    w.put(("a", FILL))
    for n in range(20):
        w.put((f"c{n % 3}", FILL * 4))
    report = w.clean()
    assert report.keyless == 2
    assert records(w.log)[0][1] == b"a"


def test_the_last_sequence_of_an_active_producer_stays_in_an_empty_batch() -> None:
    w = CleanWorld()
    w.put(("a", FILL), ("b", FILL), producer_id=9, producer_epoch=3, base_sequence=40)
    for n in range(20):
        w.put((("a", "b")[n % 2], FILL * 4))
    w.clean()
    header, _ = batches(w.log)[0]
    assert (header.record_count, header.base_offset, header.last_offset) == (0, 0, 1)
    assert (header.last_sequence, header.producer_epoch) == (41, 3)
    w.log.close()
    w.reopen(recovery_point=0)
    ((_, producer),) = w.log.producers
    assert (producer.epoch, producer.last_sequence) == (3, 41)


def test_an_empty_batch_goes_when_its_producer_writes_on() -> None:
    w = CleanWorld()
    w.put(("a", FILL), producer_id=9, producer_epoch=3, base_sequence=0)
    for n in range(12):
        w.put(("a", FILL * 4), producer_id=9, producer_epoch=3, base_sequence=1 + n)
    w.clean()
    assert all(h.record_count for h, _ in batches(w.log))


def test_small_segments_become_few_and_the_index_finds_everything() -> None:
    w = CleanWorld(segment_bytes=400, index_interval_bytes=50)
    for n in range(60):
        w.put((f"k{n}", "v"))
    before = len(w.log.segments)
    w.log.update_config(type(w.config)(cleanup_policy=w.config.cleanup_policy))
    w.clean()
    assert before > 5 and len(w.log.segments) == 2
    w.log.update_config(w.config)
    for offset in range(60):
        part = w.log.read(offset, 100, up_to=60).parts[0]
        header = read_header(part)
        assert header.base_offset == offset
    assert at_once(w.log.times.first_since(NOW, 60)) is not None


def test_a_full_map_leaves_the_rest_dirty() -> None:
    w = CleanWorld(segment_bytes=400)
    for n in range(60):
        w.put((f"k{n % 20}", "v" * 20))
    report = w.clean(memory=12 * 24)
    assert 0 < report.end_offset < w.log.segments[-1].base_offset
    assert w.log.compaction.cleaned_to == report.end_offset
    kept = [o for o, _, _ in records(w.log)]
    assert set(range(40, 60)) <= set(kept)
    while (w.log.compaction.cleaned_to or 0) < w.log.compaction.cleanable(w.now).first_uncleanable:
        w.clean(memory=12 * 24)
    assert sorted({k for _, k, _ in records(w.log)}) == sorted(b"k%d" % n for n in range(20))


def test_a_damaged_batch_is_not_sealed_with_a_new_checksum() -> None:
    w = CleanWorld()
    for n in range(40):
        w.put((f"k{n % 4}", f"{n}{FILL}"))
    path = w.log.segments[0].path(".log")
    w.files.inodes[path].data[90] ^= 1
    with pytest.raises(CorruptBatchError, match="corrupt"):
        w.clean()
    assert not any(p.endswith(".cleaned") for p in w.files.inodes)


KEYS = st.sampled_from(["a", "b", "c", "d", ""])
RECORDS = st.lists(
    st.tuples(KEYS, st.one_of(st.none(), st.text("xyz", max_size=30))), min_size=1, max_size=6
)
BATCHES = st.tuples(RECORDS, st.sampled_from(list(Codec)), st.booleans())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(BATCHES, max_size=15), min_size=1, max_size=4), st.integers(0, 2000))
def test_any_log_keeps_the_last_of_each_key_below_the_dirty_bound(
    rounds: list[list[tuple[list[tuple[str, str | None]], Codec, bool]]], step: int
) -> None:
    w = CleanWorld(segment_bytes=300, delete_retention_ms=1500)
    model: list[tuple[int, bytes, bytes | None]] = []
    sequence = 0
    for appended in rounds:
        for pairs, codec, idempotent in appended:
            more = {}
            if idempotent:
                more = {"producer_id": 5, "producer_epoch": 0, "base_sequence": sequence}
                sequence += len(pairs)
            first = w.put(*pairs, codec=codec, **more)
            model += [
                (first + n, k.encode(), None if v is None else v.encode())
                for n, (k, v) in enumerate(pairs)
            ]
        report = w.clean()
        bound = report.end_offset
        w.now += step
        last = {key: offset for offset, key, _ in model if offset < bound}
        found = records(w.log)
        assert [o for o, _, _ in found] == sorted({o for o, _, _ in found})
        assert set(found) <= set(model)
        kept = {o for o, _, _ in found}
        for offset, key, value in model:
            if offset >= bound:
                assert offset in kept
            elif offset != last[key]:
                assert offset not in kept
            elif value is not None:
                assert offset in kept
        if step == 0:
            assert set(last.values()) <= kept
    end = w.log.log_end_offset
    producers = [(p, s.last_sequence) for p, s in w.log.producers]
    before = records(w.log)
    w.log.close()
    w.reopen(recovery_point=0)
    assert w.log.log_end_offset == end
    assert records(w.log) == before
    assert [(p, s.last_sequence) for p, s in w.log.producers] == producers
