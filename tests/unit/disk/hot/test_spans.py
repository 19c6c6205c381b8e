"""The walk through records: compiled, plain and put together, all agree, whatever is damaged."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.batch import HEADER_SIZE, read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.walk import walk
from tests.support.fuzz.hot import small_batches
from tests.support.fuzz.mutations import ODD, each_damage
from tests.support.fuzz.walked import printed_alike, walked_alike

VALUES = sorted({*ODD, 2, 5, 8, 0x7E, 0x83, 0xC0})
LONG = 2**63


@pytest.mark.parametrize("values", [VALUES, pytest.param(list(range(256)), marks=pytest.mark.slow)])
def test_every_form_finds_the_same_places_and_says_the_same(values: list[int]) -> None:
    wrong = right = 0
    for one in small_batches():
        header = read_header(one)
        assert walked_alike(one[HEADER_SIZE:], header) == header.record_count
        for bad in each_damage(one[HEADER_SIZE:], values):
            for count in {0, -1, header.record_count, header.record_count + 1}:
                changed = header._replace(record_count=count, attributes=count & 1)
                whole = walked_alike(bad, changed) == count
                right, wrong = right + whole, wrong + (not whole)
    assert right > 100 and wrong > 1000


def test_every_form_prints_the_same_lines() -> None:
    for one in small_batches():
        header = read_header(one)
        for content in (False, True):
            printed_alike(one[HEADER_SIZE:], header, content)
            for bad in each_damage(one[HEADER_SIZE:], VALUES[::5]):
                printed_alike(bad, header, content)


@pytest.mark.parametrize("attributes", [0, 8])
@pytest.mark.parametrize("sequence", [-1, 0, 2**31 - 2])
def test_what_the_header_says_counts_for_every_record(attributes: int, sequence: int) -> None:
    headers = [("h", b"v"), ("é", None)]
    records = [
        Record(7, -1, b"k\xff", "é".encode(), headers),
        Record(9, 10**13, None, b"x" * 300, ()),
        Record(2**20, 5, b"", None, headers[:1]),
    ]
    one = bytes(build_batch(records))
    for base in (-LONG, -5, 0, 7, LONG - 2**32):
        header = read_header(one)._replace(
            base_offset=base, attributes=attributes, base_sequence=sequence
        )
        assert walked_alike(one[HEADER_SIZE:], header) == len(records)
        for content in (False, True):
            printed_alike(one[HEADER_SIZE:], header, content)


def test_offsets_and_times_run_over_as_longs_do_in_java() -> None:
    one = bytes(build_batch([Record(n, n, None, b"") for n in range(4)]))
    header = read_header(one)._replace(base_offset=LONG - 2, base_timestamp=LONG - 2)
    found = [(span[0], span[1]) for span in walk(one[HEADER_SIZE:], header)]
    assert found == [(n, n) for n in (LONG - 2, LONG - 1, -LONG, 1 - LONG)]


def test_many_records_come_in_parts_and_none_is_missed() -> None:
    for count in (1, 255, 256, 257, 512, 1000):
        one = bytes(build_batch([Record(n, n, b"%d" % n, b"v") for n in range(count)]))
        spans = list(walk(one[HEADER_SIZE:], read_header(one)))
        assert [span[0] for span in spans] == list(range(count))
        assert walked_alike(one[HEADER_SIZE:], read_header(one)) == count
