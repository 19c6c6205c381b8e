"""Columns of records written compiled, plain and one by one: the same, whatever is damaged."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, read_header, scan
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.columned import ALL, FORMS, Row, batches_alike, columns, zeros
from tests.support.fuzz.hot import exact, small_batches
from tests.support.fuzz.mutations import ODD, each_damage

VALUES = sorted({*ODD, 2, 5, 0x7E, 0x83})


def one_by_one(data: bytes, header: BatchHeader) -> list[Row] | None:
    plainly = header._replace(attributes=0, batch_length=HEADER_SIZE - 12 + len(data))
    try:
        return [(r.offset, r.timestamp, r.key, r.value)
                for r in iter_records(bytes(HEADER_SIZE) + data, 0, plainly)]  # fmt: skip
    except CorruptBatchError:
        return None


def test_every_form_writes_the_same_and_refuses_the_same() -> None:
    written = refused = 0
    for one in small_batches():
        header, section = read_header(one), one[HEADER_SIZE:]
        for data in (section, *each_damage(section, VALUES[::2])):
            wanted = one_by_one(data, header)
            for form in FORMS:
                assert columns(form, data, header) == wanted
            written, refused = written + (wanted is not None), refused + (wanted is None)
    assert written > 100 and refused > 500


@pytest.mark.parametrize("form", FORMS)
def test_offsets_out_of_bounds_and_contents_that_nobody_wants_are_left_out(
    form: Callable[[str], Any],
) -> None:
    one = bytes(build_batch([Record(n, n, b"k%d" % n, b"v") for n in range(5)]))
    header, data = read_header(one), one[HEADER_SIZE:]
    assert columns(form, data, header, (1, 3)) == [(1, 1, b"k1", b"v"), (2, 2, b"k2", b"v")]
    assert columns(form, data, header, (4, 9), (False, True)) == [(4, 4, None, b"v")]
    assert columns(form, data, header, (4, 9), (True, False)) == [(4, 4, b"k4", None)]


@pytest.mark.parametrize("form", FORMS)
def test_a_batch_without_records_is_malformed_where_bytes_are_left(
    form: Callable[[str], Any],
) -> None:
    one = bytes(build_batch([Record(0, 0, b"k", b"v")]))
    header = read_header(one)._replace(record_count=0)
    assert columns(form, b"", header) == []
    assert columns(form, one[HEADER_SIZE:], header) is None


def test_rooms_that_are_too_small_are_not_written_behind() -> None:
    one = bytes(build_batch([Record(n, n, b"key", b"v") for n in range(5)]))
    header, data = read_header(one)._replace(record_count=5), one[HEADER_SIZE:]
    for form in FORMS:
        with pytest.raises((IndexError, ValueError)):
            small(form, data, header)


def small(form: Callable[[str], Any], data: bytes, header: BatchHeader) -> None:
    """Room for the keys of four of five records."""
    batches = memoryview(array("q", [0, len(data), 5, 0, 0, 1]))
    places = tuple(zeros(kind, 5) for kind in "qqiiiq")
    contents = zeros("i", 6), zeros("i", 6), zeros("B", 14), zeros("B", 99), zeros("B", 1)
    form("disk.hot.record_columns").records(
        exact(data), batches, ALL, (True, True), places, contents
    )


@pytest.mark.parametrize("whole", [True, False])
def test_every_form_finds_the_same_batches(whole: bool) -> None:
    every = b"".join(small_batches())
    ends = {at for at, _ in scan(every)}
    for cut in range(0, len(every), 7):
        for data in (every[:cut], every[:cut] + b"\xff" * 70):
            assert set(batches_alike(data, whole)) <= ends | {cut}
    places = zeros("q", 2)
    for form in FORMS:
        hot = form("disk.hot.record_columns")
        assert hot.frames(exact(every), whole, places)[::2] == (2, hot.FULL)
