"""Columns of records in both forms, compiled and plain: the same, or both refuse them."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, read_header
from pykafka_ops.disk.record import MIN_RECORD_SIZE
from tests.support.fuzz.forms import plain, running
from tests.support.fuzz.hot import exact

ALL = -(2**63), 2**63 - 1
FORMS: tuple[Callable[[str], Any], ...] = (running, plain)
Row = tuple[int, int, bytes | None, bytes | None]


def columned(data: bytes) -> None:
    """A batch whose records are taken as they are, compressed or not; and where batches lie."""
    for whole in (False, True):
        batches_alike(data, whole)
    if len(data) < HEADER_SIZE:
        return
    header, section = read_header(data), data[HEADER_SIZE:]
    count = min(max(header.record_count, 0), len(section) // MIN_RECORD_SIZE)
    header = header._replace(record_count=count)
    found = [columns(form, section, header) for form in FORMS]
    assert found[0] == found[1]


def batches_alike(data: bytes, whole: bool) -> list[int]:
    """Where batches begin."""
    found = []
    for form in FORMS:
        places = zeros("q", len(data) // HEADER_SIZE)
        number, end, stop = form("disk.hot.record_columns").frames(exact(data), whole, places)
        found.append((places[:number].tolist(), end, stop))
    assert found[0] == found[1]
    return list(found[0][0])


def zeros(kind: str, count: int) -> memoryview:
    return memoryview(array(kind, [0]) * count)


def columns(
    form: Callable[[str], Any],
    data: bytes,
    header: BatchHeader,
    bounds: tuple[int, int] = ALL,
    copies: tuple[bool, bool] = (True, True),
) -> list[Row] | None:
    """What is written of one batch's records, the second of two; None where it is malformed."""
    most = header.record_count
    batches = memoryview(array("q", [0, 0, 0, 0, 0, 0,
                                     0, len(data), most, header.base_offset,
                                     header.base_timestamp, 1]))  # fmt: skip
    places = tuple(zeros(kind, most) for kind in "qqiiiq")
    bad = zeros("B", 2)
    contents = (zeros("i", most + 1), zeros("i", most + 1), zeros("B", len(data)),
                zeros("B", len(data)), bad)  # fmt: skip
    number, key_end, value_end = form("disk.hot.record_columns").records(
        exact(data), batches, bounds, copies, places, contents
    )
    assert not bad[0]
    if bad[1]:
        assert (number, key_end, value_end) == (0, 0, 0)
        return None
    offsets, times, owners, key_sizes, value_sizes, _ = places
    assert set(owners[:number]) <= {1}
    keys, values = (
        parts(sizes[:number], ends, room.tobytes()) if copied else [None] * number
        for sizes, ends, room, copied in (
            (key_sizes, contents[0], contents[2], copies[0]),
            (value_sizes, contents[1], contents[3], copies[1]),
        )
    )
    return list(zip(offsets[:number], times[:number], keys, values, strict=True))


def parts(sizes: memoryview, ends: memoryview, room: bytes) -> list[bytes | None]:
    found = [None if size < 0 else room[ends[n] : ends[n + 1]] for n, size in enumerate(sizes)]
    assert [ends[n + 1] - ends[n] for n in range(len(sizes))] == [max(size, 0) for size in sizes]
    return found
