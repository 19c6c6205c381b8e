"""Judging the records of a batch quickly: never laxer than record by record."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.batch import BatchHeader, read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.columns import usual
from pykafka_ops.disk.record import Record, payload
from pykafka_ops.disk.survey import as_promised, examine, survey_records
from pykafka_ops.errors import CorruptBatchError

TIME = 1_700_000_000_000


def plain(records: list[Record]) -> tuple[bytes, BatchHeader]:
    """The records section and the header of a batch."""
    data = build_batch(records)
    header = read_header(data)
    return payload(data, 0, header, 1 << 28), header


def varied(count: int, seed: int = 1, *, keys: bool = True, step: int = 3) -> list[Record]:
    """Records of many sizes, times rising."""
    chance, time, made = random.Random(seed), TIME, []
    for n in range(count):
        time += chance.randrange(step)
        key = b"k" * chance.randrange(60) if keys else None
        made.append(Record(n, time, key, b"v" * chance.choice([0, 3, 40, 60, 200, 5000])))
    return made


@pytest.mark.parametrize("keys", [True, False])
@pytest.mark.parametrize("count", [48, 64, 65, 1000, 1024, 1025, 9000])
def test_varied_records_are_usual(count: int, keys: bool) -> None:
    data, header = plain(varied(count, keys=keys))
    found = usual(data, 0, header)
    assert found is not None
    assert found.keyless is not keys


@pytest.mark.parametrize("size", [0, 40, 52, 57, 100, 8000])
def test_records_of_one_size_are_usual(size: int) -> None:
    data, header = plain([Record(n, TIME + n, None, bytes(size)) for n in range(9000)])
    assert usual(data, 0, header) is not None


def test_many_small_records_are_usual_up_to_widest_offsets() -> None:
    data, header = plain([Record(n, TIME, b"k", None) for n in range(40_000)])
    assert usual(data, 0, header) is not None


def test_what_stands_before_the_records_does_not_matter() -> None:
    data, header = plain(varied(100))
    for before in (b"\xff", b"\xff" * 3, b"\xff" * 40):
        assert usual(before + data, len(before), header) is not None


def test_nulls_among_keys_and_values_are_usual() -> None:
    records = [
        Record(n, TIME, None if n % 3 else b"key", None if n % 2 else b"") for n in range(99)
    ]
    data, header = plain(records)
    found = usual(data, 0, header)
    assert found is not None
    assert found.keyless


@pytest.mark.parametrize(
    "change",
    [
        {"record_count": 99},
        {"record_count": 101},
        {"max_timestamp": TIME + 1_000_000},
        {"base_timestamp": TIME - 5},
    ],
)
def test_a_header_that_lies_is_not_believed(change: dict[str, int]) -> None:
    data, header = plain(varied(100))
    lying = header._replace(**change)
    assert usual(data, 0, lying) is None
    assert not as_promised(data, 0, lying)


def test_what_is_not_usual_is_left_to_the_survey() -> None:
    records = varied(100)
    with_headers = [r._replace(headers=[("h", b"x")]) for r in records]
    falling = [r._replace(timestamp=TIME - r.offset) for r in records]
    for odd in (with_headers, falling, varied(100, step=10**7), records[:5]):
        data, header = plain(odd)
        assert usual(data, 0, header) is None
        assert as_promised(data, 0, header)
        assert examine(data, header) is None


def test_a_value_that_runs_into_its_neighbour_is_refused() -> None:
    """The lengths of the records are right, those of two values are not."""
    records = [Record(n, TIME, None, b"v" * 9) for n in range(100)]
    data, header = plain(records)
    step = len(data) // 100 if len(data) % 100 == 0 else 16
    bent = bytearray(data)
    at = bent.index(b"\x12v", 20 * step)  # 9 bytes
    bent[at] = 0x14
    assert usual(bytes(bent), 0, header) is None
    with pytest.raises(CorruptBatchError):
        survey_records(bytes(bent), 0, header)


@settings(max_examples=100, deadline=None)
@given(
    count=st.integers(48, 200),
    seed=st.integers(0, 20),
    keys=st.booleans(),
    equal=st.booleans(),
    bends=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=3),
    cut=st.integers(-2, 2),
)
def test_columns_accept_only_what_the_survey_finds_right(
    count: int, seed: int, keys: bool, equal: bool, bends: list[tuple[int, int]], cut: int
) -> None:
    records = varied(count, seed, keys=keys)
    if equal:
        records = [r._replace(key=b"key" if keys else None, value=b"v" * 30) for r in records]
    data, header = plain([r._replace(value=(r.value or b"")[:70]) for r in records])
    bent = bytearray(data)
    for place, byte in bends:
        bent[place % len(bent)] = byte
    data = bytes(bent)[: len(bent) + min(cut, 0)] + bytes(max(cut, 0))
    found = usual(data, 0, header)
    if found is None:
        return
    seen = survey_records(data, 0, header)
    assert seen.offsets_in_order
    assert seen.max_timestamp == header.max_timestamp
    assert seen.min_timestamp >= header.base_timestamp
    assert found.keyless == (seen.first_without_key is not None)


@pytest.mark.parametrize("key", [None, b"", b"k" * 63, b"k" * 64, b"k" * 9000])
@pytest.mark.parametrize("value", [None, b"", b"v" * 63, b"v" * 64, b"v" * 8191, b"v" * 9000])
def test_a_record_alone_is_as_promised(key: bytes | None, value: bytes | None) -> None:
    for headers in ([], [("h", b"x")]):
        data, header = plain([Record(0, TIME, key, value, headers)])
        assert as_promised(data, 0, header)
        assert as_promised(b"\xff" * 40 + data, 40, header)
        for lie in ({"record_count": 2}, {"max_timestamp": TIME + 1}, {"max_timestamp": -2}):
            assert not as_promised(data, 0, header._replace(**lie))


@settings(max_examples=100, deadline=None)
@given(
    key=st.none() | st.sampled_from([b"", b"k", b"k" * 63, b"k" * 64]),
    size=st.sampled_from([-1, 0, 1, 55, 63, 64, 200, 8191, 8192]),
    time=st.sampled_from([-2, -1, 0, TIME]),
    bends=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 255)), max_size=3),
    cut=st.integers(-2, 2),
)
def test_a_record_alone_is_judged_as_the_survey_does(
    key: bytes | None, size: int, time: int, bends: list[tuple[int, int]], cut: int
) -> None:
    value = None if size < 0 else b"v" * size
    data, header = plain([Record(0, TIME, key, value)])
    header = header._replace(base_timestamp=time, max_timestamp=time)
    bent = bytearray(data)
    for place, byte in bends:
        bent[place % len(bent)] = byte
    data = bytes(bent)[: len(bent) + min(cut, 0)] + bytes(max(cut, 0))
    try:
        seen = survey_records(data, 0, header)
    except CorruptBatchError:
        right = False
    else:
        right = seen.offsets_in_order and seen.max_timestamp == time
    assert as_promised(data, 0, header) is right
