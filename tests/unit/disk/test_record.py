"""Records: round trips, and counts and lengths that lie."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import record
from pykafka_ops.disk.batch import BatchHeader, read_header
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import (
    Record,
    count_records,
    encode_records,
    iter_records,
    lengths_fit,
)
from pykafka_ops.disk.varint import read_varint, read_varlong, varint
from pykafka_ops.errors import CorruptBatchError

OPTIONAL_BYTES = st.none() | st.binary(max_size=200)
HEADERS = st.lists(st.tuples(st.text(max_size=8), OPTIONAL_BYTES), max_size=3)
BODIES = st.tuples(
    st.integers(0, 3), st.integers(-(2**40), 2**40), OPTIONAL_BYTES, OPTIONAL_BYTES, HEADERS
)
PLAIN = BatchHeader(0, 0, 0, 2, 0, 0, 0, 0, 0, -1, -1, -1, 1)


def batch_of(payload: bytes, count: int = 1) -> bytearray:
    """A batch over a hand-made records section."""
    return assemble(PLAIN._replace(record_count=count), payload)


def read(payload: bytes, count: int = 1, **kwargs: Any) -> list[Record]:
    """Its records."""
    data = batch_of(payload, count)
    return list(iter_records(data, 0, read_header(data), **kwargs))


@given(st.lists(BODIES, min_size=1, max_size=20), st.sampled_from(list(Codec)))
def test_records_come_back_as_they_were(bodies: list[tuple[Any, ...]], codec: Codec) -> None:
    offset, records = 100, []
    for gap, timestamp, key, value, headers in bodies:
        offset += gap + 1
        records.append(Record(offset, timestamp, key, value, headers or ()))
    data = build_batch(records, base_offset=100, codec=codec)
    header = read_header(data)
    assert list(iter_records(data, 0, header)) == records
    assert count_records(data, 0, header) == len(records)


@given(st.integers(-(2**63), 2**63 - 1))
def test_varlongs_round_trip(value: int) -> None:
    data = varint(value)
    assert read_varlong(data, 0) == (value, len(data))
    if -(2**31) <= value < 2**31:
        assert read_varint(data, 0) == (value, len(data))


def test_varints_have_kafkas_bytes() -> None:
    assert [varint(n).hex() for n in (0, -1, 1, 63, -64, 64, 300, 2**31 - 1)] == [
        *("00", "01", "02", "7e", "7f", "8001", "d804", "feffffff0f")
    ]


@pytest.mark.parametrize("data", [b"\xff" * 5 + b"\x01", b"\x80" * 10 + b"\x01"])
def test_endless_varints_are_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptBatchError):
        read_varint(data, 0)
    with pytest.raises(CorruptBatchError):
        read_varlong(b"\x80" * 11, 0)


def test_header_keys_that_are_no_utf8_survive() -> None:
    payload = bytes.fromhex("1400000001010204c32801")
    (found,) = read(payload)
    assert bytes(encode_records([found], 0, 0)) == payload


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ("0a000000010100", "expected to read 5 bytes in record payload, but instead read 6"),
        ("0a0000000101000000", "expected to read 5 bytes"),
        ("0c0000000101", "invalid record count"),
        ("0e000000010180", "expected 7 bytes in record payload, .* only 6 remaining"),
        ("0c00000001feffffff0f00", "Found invalid record structure"),
        ("0c000000feffffff0f0100", "Found invalid record structure"),
        ("0c00000001010d", "Found invalid number of record headers -7"),
        ("12000000010180808008", "headers. 8388608 is larger than"),
        ("ffffffff0f00000001010000", "expected to read -2147483648 bytes .* instead read 6"),
        ("100000000101020100", "Invalid negative header key size -1"),
    ],
)
def test_lengths_that_lie_are_corrupt(payload: str, reason: str) -> None:
    with pytest.raises(CorruptBatchError, match=reason):
        read(bytes.fromhex(payload))


@pytest.mark.parametrize("count", [-1, 2, 1000, 2**31 - 1])
def test_record_counts_are_held_against_the_bytes(count: int) -> None:
    good = encode_records([Record(0, 0, None, None)], 0, 0)
    with pytest.raises(CorruptBatchError):
        read(bytes(good), count)
    data = batch_of(bytes(good), count)
    with pytest.raises(CorruptBatchError):
        count_records(data, 0, read_header(data))


def test_a_record_more_than_the_count_is_corrupt() -> None:
    two = encode_records([Record(0, 0, None, None), Record(1, 0, b"k", b"v")], 0, 0)
    data = batch_of(bytes(two), 1)
    with pytest.raises(CorruptBatchError, match="still remaining"):
        list(iter_records(data, 0, read_header(data)))
    with pytest.raises(CorruptBatchError, match="still remaining"):
        count_records(data, 0, read_header(data))


def test_an_empty_batch_that_compaction_left_has_no_records() -> None:
    data = batch_of(b"", 0)
    assert list(iter_records(data, 0, read_header(data))) == []
    assert count_records(data, 0, read_header(data)) == 0


def test_the_limit_holds_for_compressed_batches() -> None:
    data = build_batch([Record(0, 0, None, bytes(100_000))], codec=Codec.ZSTD)
    header = read_header(data)
    assert len(list(iter_records(data, 0, header, 200_000))) == 1
    for walk in (iter_records, count_records, record.survey):
        with pytest.raises(CorruptBatchError, match="limit"):
            list(walk(data, 0, header, 99_999))  # type: ignore[arg-type, operator]


@given(st.data(), st.sampled_from(list(Codec)))
def test_mutated_records_give_records_or_a_corrupt_error(data: st.DataObject, codec: Codec) -> None:
    records = [Record(n, n, b"key", b"value" * n, [(f"h{n}", b"x")]) for n in range(6)]
    raw = build_batch(records, codec=codec)
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(17, len(raw) - 1))] = data.draw(st.integers(0, 255))
    header = read_header(raw)
    for walk in (iter_records, count_records, record.survey):
        try:
            found = walk(raw, 0, header, 1 << 16)
            if walk is iter_records:
                assert len(list(found)) <= 1 << 14  # type: ignore[arg-type]
        except CorruptBatchError:
            pass


def test_survey_tells_what_the_broker_must_know() -> None:
    records = [
        Record(0, 50, b"a", b"1"),
        Record(1, 20, None, b"2"),
        Record(2, -1, None, b"3"),
    ]
    data = build_batch(records)
    assert record.survey(data, 0, read_header(data)) == (3, 50, 20, 1, True)
    gap = build_batch([records[0], records[1]._replace(offset=5)])
    assert record.survey(gap, 0, read_header(gap)).offsets_in_order is False


def test_log_append_time_stands_for_every_record() -> None:
    data = build_batch([Record(0, 5, None, None), Record(1, 6, None, None)])
    header = read_header(data)._replace(attributes=8, max_timestamp=99)
    assert [r.timestamp for r in iter_records(data, 0, header)] == [99, 99]


@pytest.mark.parametrize("size", [0, 1, 50, 60, 64, 100, 8000, 9000, 20000])
def test_lengths_tell_whether_the_count_is_true(size: int) -> None:
    records = [Record(i, 0, None, b"x" * size, ()) for i in range(3)]
    data = b"head" + bytes(encode_records(records, 0, 0))
    assert lengths_fit(data, 4, 3)
    assert not lengths_fit(data, 4, 2)
    assert not lengths_fit(data, 4, 4)
    assert not lengths_fit(data[:-1], 4, 3)
    assert not lengths_fit(data + b"\0", 4, 3)


def test_a_negative_length_does_not_fit() -> None:
    assert not lengths_fit(b"\x01", 0, 1)


@given(st.lists(st.tuples(st.sampled_from([0, 3, 57, 70, 8200]), st.integers(1, 90)), max_size=6))
def test_lengths_in_runs_fit_as_one_by_one(runs: list[tuple[int, int]]) -> None:
    sizes = [size for size, times in runs for _ in range(times)]
    records = [Record(i, i % 200, None, b"x" * size, ()) for i, size in enumerate(sizes)]
    data = b"head" + bytes(encode_records(records, 0, 0))
    assert lengths_fit(data, 4, len(sizes))
    assert not lengths_fit(data, 4, len(sizes) + 1)
    assert not sizes or not lengths_fit(data, 4, len(sizes) - 1)
    assert not sizes or not lengths_fit(data[:-1], 4, len(sizes))


@given(st.binary(max_size=300), st.integers(0, 60))
def test_lengths_fit_says_what_a_plain_walk_says(data: bytes, count: int) -> None:
    at = found = 0
    fits = True
    try:
        while at < len(data):
            size, at = read_varint(data, at)
            fits = fits and size >= 0
            at += max(size, 0)
            found += 1
    except (IndexError, CorruptBatchError):
        fits = False
    assert lengths_fit(data, 0, count) == (fits and at == len(data) and found == count)


def test_times_and_offsets_run_over_as_longs_do_in_java() -> None:
    data = build_batch([Record(0, 5, b"k", b"v"), Record(1, 15, b"k", b"v")])
    late = read_header(data)._replace(base_timestamp=2**63 - 1, base_offset=2**63 - 1)
    found = [(r.offset, r.timestamp) for r in iter_records(data, 0, late)]
    assert found == [(2**63 - 1, 2**63 - 1), (-(2**63), -(2**63) + 9)]
    assert record.survey(data, 0, late).max_timestamp == 2**63 - 1
