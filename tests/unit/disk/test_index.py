"""Offset and time indexes: look-ups, appends, truncation, sanity checks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import index
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.errors import CorruptIndexError
from tests.support.raising import raises_only

ENTRIES = st.lists(
    st.tuples(st.integers(1, 50), st.integers(1, 5000)), min_size=0, max_size=40
).map(
    lambda steps: [
        (sum(a for a, _ in steps[: n + 1]), sum(b for _, b in steps[: n + 1]))
        for n in range(len(steps))
    ]
)


@given(ENTRIES, st.integers(-5, 2500))
def test_offset_lookup_finds_the_last_entry_at_or_below(
    entries: list[tuple[int, int]], wanted: int
) -> None:
    base = 1 << 40
    found = OffsetIndex(base)
    written = b"".join(found.append(base + offset, position) for offset, position in entries)
    assert found.to_bytes() == written
    again = OffsetIndex(base, written)
    assert [again.entry(n) for n in range(len(again))] == [(base + o, p) for o, p in entries]
    below = [(base + o, p) for o, p in entries if o <= wanted]
    assert again.lookup(base + wanted) == (below[-1] if below else (base, 0))


@given(ENTRIES, st.integers(-5, 250_000))
def test_time_lookup_finds_the_last_entry_at_or_below(
    entries: list[tuple[int, int]], wanted: int
) -> None:
    found = TimeIndex(100)
    written = b"".join(found.append(timestamp, 100 + offset) for offset, timestamp in entries)
    assert found.to_bytes() == written and len(written) == 12 * len(found)
    again = TimeIndex(100, written)
    below = [(t, 100 + o) for o, t in entries if t <= wanted]
    assert again.lookup(wanted) == (below[-1] if below else (-1, 100))


def test_offsets_must_rise_and_stay_in_reach() -> None:
    found = OffsetIndex(100)
    found.append(110, 1)
    for offset in (110, 105, 99, 100 + 2**31):
        with pytest.raises(CorruptIndexError, match="no larger than the last offset"):
            found.append(offset, 2)
    assert found.last_offset == 110 and len(found) == 1


def test_a_timestamp_that_does_not_rise_is_not_written() -> None:
    found = TimeIndex(0)
    assert len(found.append(50, 3)) == 12
    assert found.append(50, 4) == b"" == found.append(49, 5)
    assert found.last_entry == (50, 3)
    with pytest.raises(CorruptIndexError):
        found.append(60, 2)
    with pytest.raises(CorruptIndexError):
        found.append(60, 2**31)


def test_truncation_drops_entries_from_an_offset_on() -> None:
    offsets, times = OffsetIndex(10), TimeIndex(10)
    for n in range(5):
        offsets.append(12 + n * 10, n)
        times.append(100 + n, 12 + n * 10)
    assert offsets.truncate_to(32) == 16 and times.truncate_to(32) == 24
    assert offsets.last_offset == 22 and times.last_entry == (101, 22)
    assert offsets.truncate_to(0) == 0 == times.truncate_to(0)
    assert offsets.last_offset == 10 and times.last_entry == (-1, 10)


def test_torn_entries_are_left_out() -> None:
    assert len(OffsetIndex(0, bytes(15))) == 1
    assert len(TimeIndex(0, bytes(23))) == 1


@pytest.mark.parametrize(
    ("data", "size", "used"),
    [
        (b"", 8, 0),
        (bytes(8), 8, 8),
        (bytes(80), 8, 0),
        (bytes(7) + b"\x01" + bytes(72), 8, 8),
        (bytes(8) + b"\x00\x00\x00\x05\x00\x00\x01\x00" + bytes(16), 8, 16),
        (b"\x01" + bytes(11) + bytes(24), 12, 12),
        (bytes(30), 12, 0),
    ],
)
def test_zero_padding_is_told_apart(data: bytes, size: int, used: int) -> None:
    assert index.used_bytes(data, size) == used


def test_sanity_checks_speak_kafkas_words() -> None:
    index.check_offset_index(b"", 5, "f")
    index.check_time_index(b"", 5, "f")
    index.check_offset_index(bytes(16), 5, "f")
    with pytest.raises(CorruptIndexError, match="found 12 bytes which is neither positive nor"):
        index.check_offset_index(bytes(12), 5, "f")
    with pytest.raises(CorruptIndexError, match="last offset is 4 which is less than the base"):
        index.check_offset_index(b"\xff" * 8, 5, "f")
    first, last = index.TIME_ENTRY.pack(9, 1), index.TIME_ENTRY.pack(8, 2)
    with pytest.raises(CorruptIndexError, match="last timestamp is 8 which is less than"):
        index.check_time_index(first + last, 5, "f")
    with pytest.raises(CorruptIndexError, match="last offset is 3 which is less than the first"):
        index.check_time_index(index.TIME_ENTRY.pack(9, -2), 5, "f")
    with pytest.raises(CorruptIndexError, match="Time index file f is corrupt, found 13 bytes"):
        index.check_time_index(bytes(13), 5, "f")


@given(st.binary(max_size=100))
def test_noise_is_read_or_refused(data: bytes) -> None:
    OffsetIndex(0, data).lookup(5)
    TimeIndex(0, data).lookup(5)
    for check in (index.check_offset_index, index.check_time_index):
        with raises_only(CorruptIndexError):
            check(data, 0, "f")
