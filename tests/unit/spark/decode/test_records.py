"""Records in bulk are those that are read one by one, with compiled loops and without."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.batch import HEADER_SIZE, TimestampType, read_header, scan
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.hot import record_columns
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.decode import frames
from pykafka_ops.spark.decode.records import Columns, Plain, WantedRecords, decode, header_column

content = st.none() | st.binary(max_size=300)
header = st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5))
fields = st.tuples(st.integers(-(2**40), 2**40), content, content, st.lists(header, max_size=2))
batches = st.lists(
    st.tuples(st.lists(fields, min_size=1, max_size=30), st.booleans()), min_size=1, max_size=4
)


@pytest.fixture(params=["library", "numba", "plain"], scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """With the library; with numba, as without it; with neither, as for few records then."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "library" and not record_columns.COMPILED:
            pytest.skip("the library is not there")
        if request.param != "library":
            patch.setattr(record_columns, "COMPILED", False)
            patch.setattr(frames, "FEW", -1 if request.param == "numba" else inf)
        found = frames.kernels(1)
        names = {"library": "record_columns", "numba": "kernels"}
        assert (found and found.__name__.rpartition(".")[2]) == names.get(request.param)
        yield request.param


def build(made: Any) -> bytes:
    out, offset = b"", 100
    for rows, appended in made:
        numbered = [Record(offset + n, *row) for n, row in enumerate(rows)]
        kind = TimestampType.LOG_APPEND_TIME if appended else TimestampType.CREATE_TIME
        out += build_batch(
            numbered, base_offset=offset, timestamp_type=kind, log_append_time=1_700_000_000_000
        )
        offset += len(rows)
    return out


def plain_of(data: bytes) -> Plain:
    found = frames.frames(data, whole=True)
    ends = found.places + found.heads["length"] + 12
    return Plain(data, found.places + HEADER_SIZE, ends, found.heads)


def rows_of(plain: Plain, found: Columns) -> list[Record]:
    kind = schemas.arrow(schemas.RECORDS_WITH_HEADERS).field("headers").type
    assert found.keys is not None
    assert found.values is not None
    headers = header_column(plain.data, found.headers.tolist(), kind).to_pylist()
    return [
        Record(offset, time, key, value, [(h["key"], h["value"]) for h in inside or ()])
        for offset, time, key, value, inside in zip(
            found.offsets.tolist(),
            found.timestamps.tolist(),
            found.keys.to_pylist(),
            found.values.to_pylist(),
            headers,
            strict=True,
        )
    ]


def one_by_one(data: bytes) -> list[Record]:
    return [
        record._replace(headers=list(record.headers))
        for at, head in scan(data)
        for record in iter_records(data, at, head)
    ]


@given(batches, st.integers(95, 160), st.integers(0, 60))
def test_bulk_columns_hold_the_records_that_a_walk_finds(made: Any, low: int, more: int) -> None:
    plain = plain_of(build(made))
    expected = one_by_one(plain.data)
    hold_all(plain, expected)
    found = decode(plain, WantedRecords(low, low + more))
    assert rows_of(plain, found) == [r for r in expected if low <= r.offset < low + more]
    found = decode(plain, WantedRecords(keys=False, values=False))
    assert found.keys is None, "contents that nobody wants are not made"
    assert found.values is None
    assert found.offsets.tolist() == [r.offset for r in expected]


def hold_all(plain: Plain, expected: list[Record]) -> None:
    """All columns of all records."""
    found = decode(plain, WantedRecords())
    assert found.bad == []
    assert rows_of(plain, found) == expected
    assert found.key_sizes.tolist() == [-1 if r.key is None else len(r.key) for r in expected]
    assert found.value_sizes.tolist() == [-1 if r.value is None else len(r.value) for r in expected]


@given(batches, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4))
def test_a_damaged_batch_gives_no_record_and_the_others_all(made: Any, flips: Any) -> None:
    sound = plain_of(build(made))
    data = bytearray(sound.data)
    for where, value in flips:
        number = where % len(sound.heads)
        begin, end = int(sound.begin[number]), int(sound.end[number])
        data[begin + where % (end - begin)] = value
    plain = sound._replace(data=bytes(data))
    found = decode(plain, WantedRecords())
    expected, bad = [], []
    for number, place in enumerate((plain.begin - HEADER_SIZE).tolist()):
        try:
            expected += list(iter_records(plain.data, place, read_header(plain.data, place)))
        except CorruptBatchError:
            bad.append(number)
    assert found.bad == bad
    assert found.offsets.tolist() == [r.offset for r in expected]
    assert found.values is not None
    assert found.values.to_pylist() == [r.value for r in expected]


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_count_that_its_bytes_cannot_hold_costs_no_memory(count: int) -> None:
    plain = plain_of(build([([(0, b"k", b"v", [])] * 3, False)]))
    heads = plain.heads.copy()
    heads["records"] = count
    found = decode(plain._replace(heads=heads), WantedRecords())
    assert (found.number, found.bad) == ((3, []) if count == 3 else (0, [0]))


@given(batches, st.binary(max_size=80), st.booleans())
def test_frames_are_found_as_by_a_scan(made: Any, tail: bytes, whole: bool) -> None:
    data = build(made)
    expected = list(scan(data))
    found = frames.frames(data + tail, whole=whole)
    assert found.places.tolist()[: len(expected)] == [at for at, _ in expected]
    for head, (_, header) in zip(found.heads, expected, strict=False):
        assert head.tolist() == tuple(header)
    if not tail:
        assert (found.end, found.stop) == (len(data), frames.Stop.CUT)


def test_a_batch_that_is_cut_counts_only_where_headers_are_enough() -> None:
    data = build([([(0, b"k", b"v" * 100, [])], False)] * 2)
    cut = data[:-10]
    assert len(frames.frames(cut, whole=True).heads) == 1
    found = frames.frames(cut, whole=False)
    assert (len(found.heads), found.end) == (2, len(data))


def test_headers_that_cannot_be_are_told_by_their_number() -> None:
    heads = frames.frames(build([([(0, b"k", b"v", [])], False)] * 4), whole=True).heads.copy()
    assert frames.implausible(heads) == 4
    for field, value in (("records", 99), ("last_delta", -1), ("attributes", 5), ("records", -1)):
        odd = heads.copy()
        odd[field][2] = value
        assert frames.implausible(odd) == 2
    assert frames.implausible(heads[:0]) == 0
    assert np.array_equal(frames.joined([heads[1].tobytes()]), heads[1:2])
