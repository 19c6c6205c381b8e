"""Offset and time indexes: entries in memory and on disk are one index."""

from __future__ import annotations

import errno
from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pykafka_ops.broker.storage.indexes import OffsetIndex, TimeIndex
from pykafka_ops.errors import CorruptIndexError
from tests.support.memory.files import MemoryFiles

BASE = 1000


def offset_index(entries: int = 0, *, written: bool = False) -> OffsetIndex:
    """Entries (1001 + 3n, 10 + 7n)."""
    files = MemoryFiles()
    index = OffsetIndex(files.open("/i", create=True), BASE, 1 << 20)
    for n in range(entries):
        index.append(BASE + 1 + 3 * n, 10 + 7 * n)
    if written:
        index.write_out()
    return index


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("entries", [0, 1, 5, 600, 2000])
def test_look_ups_find_the_last_entry_at_or_below(entries: int, written: bool) -> None:
    index = offset_index(entries, written=written)
    stored = [(BASE + 1 + 3 * n, 10 + 7 * n) for n in range(entries)]
    for offset in [BASE, BASE + 1, BASE + 2, BASE + 7, BASE + 1500, BASE + 3 * entries, 10**6]:
        n = bisect_right([o for o, _ in stored], offset)
        assert index.lookup(offset) == (stored[n - 1] if n else (BASE, 0))
    for position in [0, 10, 11, 17, 4000, 7 * entries, 10**6]:
        above = [o for o, p in stored if p >= position]
        assert index.above_position(position) == (above[0] if above else None)
    assert index.last_entry == (stored[-1] if stored else (BASE, 0))


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 2, 900, 901, 902, 5998, 9999])
def test_truncation_keeps_what_lies_below(cut: int, written: bool) -> None:
    index = offset_index(2000, written=written)
    index.truncate_to(BASE + cut)
    keep = len([n for n in range(2000) if 1 + 3 * n < cut])
    assert index.count == keep
    index.append(BASE + 10_000, 99_999)
    index.write_out()
    assert index.file.size() == 8 * (keep + 1)
    again = OffsetIndex(index.file, BASE, 1 << 20, keep + 1)
    assert again.last_entry == (BASE + 10_000, 99_999)


def test_entries_wait_for_company_before_they_are_written() -> None:
    index = offset_index(255)
    assert index.file.size() == 0
    index.append(BASE + 5000, 5000)
    assert index.file.size() == 8 * 256


def test_offsets_must_rise() -> None:
    index = offset_index(2)
    with pytest.raises(CorruptIndexError):
        index.append(BASE + 4, 100)


def test_an_index_knows_when_it_is_full() -> None:
    files = MemoryFiles()
    index = OffsetIndex(files.open("/i", create=True), 0, 17)
    index.append(1, 1)
    assert not index.is_full
    index.append(2, 2)
    assert index.is_full
    times = TimeIndex(files.open("/t", create=True), 0, 36)
    times.append(1, 1)
    assert not times.is_full
    times.append(2, 2)
    assert times.is_full, "the last place is for the entry that closes the segment"


def test_a_full_disk_lets_entries_wait_and_a_broken_one_does_not() -> None:
    files = MemoryFiles()
    index = OffsetIndex(files.open("/i", create=True), 0, 1 << 20)
    files.fail_next_write(errno.ENOSPC, short=13)
    for n in range(1, 300):
        index.append(n, n)
    assert (index.file.size(), index.count) == (0, 299)
    index.write_out()
    assert index.file.size() == 8 * 299
    files.fail_next_write(errno.EIO)
    with pytest.raises(OSError):
        for n in range(300, 600):
            index.append(n, n)


@hypothesis_settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), max_size=900),
    st.lists(st.integers(0, 60), max_size=10),
    st.integers(0, 9000),
)
def test_time_entries_rise_and_are_found(
    steps: list[tuple[int, int]], targets: list[int], cut: int
) -> None:
    index = TimeIndex(MemoryFiles().open("/t", create=True), BASE, 1 << 20)
    expected: list[tuple[int, int]] = []
    offset = BASE
    for timestamp, step in steps:
        offset += step
        index.append(timestamp, offset)
        if timestamp > (expected[-1][0] if expected else -1):
            expected.append((timestamp, offset))
    for target in targets:
        below = [e for e in expected if e[0] <= target]
        assert index.lookup(target) == (below[-1] if below else (-1, BASE))
    index.truncate_to(BASE + cut)
    expected = [e for e in expected if e[1] < BASE + cut]
    assert index.last_entry == (expected[-1] if expected else (-1, BASE))
    index.write_out()
    assert TimeIndex(index.file, BASE, 1 << 20, len(expected)).last_entry == index.last_entry
