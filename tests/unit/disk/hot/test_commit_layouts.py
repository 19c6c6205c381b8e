"""Batches laid out like one before are cut up as if each had been walked, and no other is."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from pykafka_ops.disk.batch import read_header, set_offsets
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.commits import CommitReader
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.hot.commit_layouts import Layouts
from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    encode,
)
from pykafka_ops.disk.record import Record

Entry = tuple[bytes, bytes | None]


def commit(partition: int, offset: int, note: str = "", time: int = 1000) -> Entry:
    key = encode(OffsetCommitKey(group="g", topic="t", partition=partition), 1)
    value = OffsetCommitValue(offset=offset, leader_epoch=7, metadata=note, commit_timestamp=time)
    return key, encode(value, 3)


def batch(entries: list[Entry], step: int = 1, base: int = 0, **more: Any) -> bytes:
    records = [Record(base + n * step, 5000 + base, k, v) for n, (k, v) in enumerate(entries)]
    return bytes(build_batch(records, base_offset=base, **more))


def cut(layouts: Layouts, data: bytes, position: int) -> tuple[int, int, int, list[Any]] | None:
    """The first batch there: where it ends, its base offset, the offset behind it, its fields."""
    for end, delta, (base, *found) in layouts.cut(data, position):
        return end, base, base + delta + 1, found
    return None


def learned(*entries: Entry) -> Layouts:
    """Layouts that know batches like this one."""
    layouts = Layouts("{}s".format)
    known = batch(list(entries))
    layouts.learn(known, 0, read_header(known))
    assert cut(layouts, known, 0) is None, "a batch seen once is not worth a layout"
    layouts.learn(known, 0, read_header(known))
    return layouts


def fields(*entries: Entry) -> list[bytes | None]:
    return [part for entry in entries for part in entry]


def never_known(data: bytes) -> bool:
    layouts = Layouts("{}s".format)
    for _ in range(4):
        layouts.learn(data, 0, read_header(data))
    return cut(layouts, data, 0) is None


@pytest.mark.parametrize("count", [1, 2, 64, 100])
def test_the_next_batch_is_cut_into_keys_and_values(count: int) -> None:
    layouts = learned(*(commit(n, n) for n in range(count)))
    others = [commit(n + 2000, 1 << 50, time=1 << 40) for n in range(count)]
    data = bytearray(b"before" + batch(others, base=1 << 40) + b"behind")
    set_offsets(data, 6, 1 << 41, 9)
    found = cut(layouts, bytes(data), 6)
    assert found == (len(data) - 6, 1 << 41, (1 << 41) + count, fields(*others))


def test_offsets_between_which_some_were_compacted_away_make_no_difference() -> None:
    layouts = learned(commit(0, 1), commit(1, 2), commit(2, 3))
    entries = [commit(3, 5), commit(4, 6), commit(5, 7)]
    records = [Record(n, 1, *entry) for n, entry in zip((0, 7, 9), entries, strict=True)]
    made = bytearray(build_batch(records))
    struct.pack_into(">i", made, 23, 2)  # the header of the batch that is known
    found = cut(layouts, bytes(made), 0)
    assert found is not None
    assert found[-1] == fields(*entries)


def test_notes_may_differ_where_they_are_as_long() -> None:
    layouts = learned(commit(0, 1, "ab"), commit(1, 2, "c"))
    entries = [commit(0, 1, "xy"), commit(1, 2, "z")]
    found = cut(layouts, batch(entries), 0)
    assert found is not None
    assert found[-1] == fields(*entries)


def odd(value: bytes) -> Entry:
    return commit(0, 0)[0], value


USUAL = commit(0, 1)[1] or b""


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(odd(b"\0\4" + USUAL[2:]), id="another version"),
        pytest.param(odd(USUAL[:14] + b"\0\1" + USUAL[16:]), id="a note that is not there"),
        pytest.param((b"\0\2" + commit(0, 1)[0][2:], USUAL), id="a key of another type"),
    ],
)
def test_a_record_of_the_same_size_that_is_no_usual_commit_is_left_to_the_caller(
    entry: Entry,
) -> None:
    layouts = learned(commit(0, 1))
    data = batch([entry])
    assert len(data) == len(batch([commit(0, 1)]))
    assert cut(layouts, data, 0) is None
    assert never_known(data)


def test_a_batch_that_is_not_whole_is_left_to_the_caller() -> None:
    layouts = learned(commit(0, 1))
    data = batch([commit(0, 1)])
    assert cut(layouts, data, 0) is not None
    assert all(cut(layouts, data[:size], 0) is None for size in range(len(data)))
    assert cut(layouts, data, len(data)) is None


@pytest.mark.parametrize(
    ("at", "what"), [(16, "magic"), (22, "attributes"), (26, "last offset"), (60, "count")]
)
def test_a_header_that_says_something_else_is_left_to_the_caller(at: int, what: str) -> None:
    layouts = learned(commit(0, 1), commit(1, 2))
    data = bytearray(batch([commit(0, 1), commit(1, 2)]))
    data[at] ^= 1
    assert cut(layouts, bytes(data), 0) is None, what


def test_transactions_compression_and_headers_have_no_layout() -> None:
    entries = [commit(0, 1)]
    assert never_known(batch(entries, producer_id=3, producer_epoch=0, transactional=True))
    assert never_known(batch(entries, codec=Codec.GZIP))
    assert never_known(bytes(build_batch([Record(0, 5000, *entries[0], [("h", b"v")])])))


def test_groups_and_tombstones_have_no_layout() -> None:
    group = encode(GroupMetadataKey(group="g"), 2)
    value = GroupMetadataValue(
        protocol_type="consumer", generation=1, protocol=None, leader=None, members=[]
    )
    assert never_known(batch([(group, encode(value, 3))]))
    assert never_known(batch([(commit(0, 1)[0], None)]))


def test_sizes_that_never_look_the_same_are_given_up() -> None:
    layouts = Layouts("{}s".format)
    for size in range(1, 12):  # the border between two notes moves, the sum stays
        entries = [commit(0, 1, "x" * size), commit(1, 1, "x" * (12 - size))]
        data = batch(entries)
        found = cut(layouts, data, 0)
        assert found is None
        layouts.learn(data, 0, read_header(data))
    late = batch([commit(0, 1, "x"), commit(1, 1, "x" * 11)])
    for _ in range(3):
        layouts.learn(late, 0, read_header(late))
        assert cut(layouts, late, 0) is None


def test_batches_of_several_layouts_are_cut_in_a_row_up_to_one_that_is_not_known() -> None:
    layouts = learned(commit(0, 1))
    two = batch([commit(0, 1), commit(1, 2)])
    for _ in range(2):
        layouts.learn(two, 0, read_header(two))
    made = [[commit(3, 1)], [commit(1, 5), commit(2, 6)], [commit(4, 9)]]
    known = [batch(entries, base=10 * n) for n, entries in enumerate(made)]
    other = batch([commit(0, 1, "a note")], base=30)
    data = b"".join([*known, other, *known])
    found = list(layouts.cut(data, 0))
    assert [end for end, _, _ in found] == [sum(map(len, known[: n + 1])) for n in range(3)]
    assert [(b, d) for _, d, (b, *_) in found] == [(0, 0), (10, 1), (20, 0)]
    assert [rest for _, _, (_, *rest) in found] == [fields(*entries) for entries in made]


def test_commits_without_a_time_of_their_own_are_left_to_who_reads_their_records() -> None:
    reader = CommitReader()
    known = batch([commit(3, 12, time=9000)])
    for _ in range(2):
        reader.learn(known, 0, read_header(known))
    ((end, delta, (base, key, *rest)),) = reader.cut(known, 0)
    assert (end, delta, base, rest) == (len(known), 0, 0, [12, 9000])
    assert reader.key(key) == ("g", "t", 3)
    assert not list(reader.cut(batch([commit(3, 12, time=-1)]), 0))
    assert never_known(batch([commit(3, 12, time=-1)]))
