"""Counting compiled, plain and one by one: the same figures, whatever is damaged."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.batch import HEADER_SIZE, read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.varint import varint
from tests.support.fuzz.forms import running
from tests.support.fuzz.hot import small_batches
from tests.support.fuzz.mutations import ODD, each_damage
from tests.support.fuzz.tallied import tallied_alike, tallies

VALUES = sorted({*ODD, 2, 5, 0x7E, 0x83})


def test_every_form_counts_the_same_and_refuses_the_same() -> None:
    taken = refused = 0
    for one in small_batches():
        header = read_header(one)
        assert tallied_alike(one[HEADER_SIZE:], header) == header.record_count
        for bad in each_damage(one[HEADER_SIZE:], VALUES[::2]):
            count = tallied_alike(bad, header)
            taken, refused = taken + (count >= 0), refused + (count < 0)
    assert taken > 100 and refused > 500


@pytest.mark.parametrize("count", [-1, 1, 2**31 - 1])
def test_a_count_that_is_wrong_is_refused_by_all(count: int) -> None:
    one = bytes(build_batch([Record(n, n, b"k", b"v") for n in range(3)]))
    header = read_header(one)._replace(record_count=count)
    assert tallied_alike(one[HEADER_SIZE:], header) == -1


@pytest.mark.parametrize("size", [0, 5, 63, 64, 200, 8191, 8192, 70_000])
def test_sizes_at_the_edges_of_their_encodings(size: int) -> None:
    key, value = b"k" * size, b"v" * size
    headers = [("h" * min(size, 300), value[:9]), ("", None)]
    records = [
        Record(0, 0, key, None, ()), Record(1, 1 << 20, None, value, ()),
        Record(2, 1 << 40, key, value, headers), Record(3, -1, b"", b"", ()),
    ]  # fmt: skip
    one = bytes(build_batch(records))
    assert tallied_alike(one[HEADER_SIZE:], read_header(one)) == 4
    tallies(one)


@pytest.mark.parametrize("attributes", [0, 8])
@pytest.mark.parametrize("time", [-(2**63), -5, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 2, 2**63 - 1])
def test_any_timestamp_is_counted_the_same(time: int, attributes: int) -> None:
    one = bytes(build_batch([Record(n, n, b"k", b"v") for n in range(3)]))
    header = read_header(one)._replace(
        base_timestamp=time, max_timestamp=time, attributes=attributes
    )
    assert tallied_alike(one[HEADER_SIZE:], header) == 3


@pytest.mark.parametrize("field", [0, 1, 2, 3, 4, 5])
def test_lengths_in_more_bytes_than_they_need_are_the_same_record_to_all(field: int) -> None:
    parts: list[tuple[bytes, bytes]] = [
        (varint(2), b"kk"), (varint(3), b"vvv"), (varint(1), b""), (varint(1), b"h"),
        (varint(-1), b""),
    ]  # fmt: skip
    if field < 5:
        number, content = parts[field]
        parts[field] = number[:-1] + bytes((number[-1] | 0x80, 0)), content
    else:
        parts[4] = varint(-7), b""  # null, too
    body = b"\0\0\0" + b"".join(number + content for number, content in parts)
    header = read_header(bytes(build_batch([Record(0, 7, b"kk", b"vvv", [("h", None)])])))
    usual = bytes(build_batch([Record(0, 7, b"kk", b"vvv", [("h", None)])]))[HEADER_SIZE:]
    assert tallied_alike(varint(len(body)) + body, header) == 1
    sums = []
    for section in (usual, varint(len(body)) + body):
        tally = running("disk.hot.tally").Tally(1000, 0, 9)
        tally.records(section, 0, tuple(header))
        sums.append((tally.buckets[0].checksum, tally.buckets[0].bytes))
    assert sums[0] == sums[1]
