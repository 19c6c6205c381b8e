"""Batches laid out like one before are cut up as if each had been walked, and no other is."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.batch import BatchHeader, build_batch, read_header
from pykafka_ops.disk.commit_layouts import Layouts
from pykafka_ops.disk.commits import CommitReader, Stored
from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
    encode,
)
from pykafka_ops.disk.record import Record, payload

Entry = tuple[bytes, bytes | None]


def commit(partition: int, offset: int, note: str = "", time: int = 1000) -> Entry:
    key = encode(OffsetCommitKey(group="g", topic="t", partition=partition), 1)
    value = OffsetCommitValue(offset=offset, leader_epoch=7, metadata=note, commit_timestamp=time)
    return key, encode(value, 3)


def plain(entries: list[Entry], step: int = 1, base: int = 0) -> tuple[bytes, BatchHeader]:
    records = [Record(base + n * step, 5000, k, v) for n, (k, v) in enumerate(entries)]
    batch = bytes(build_batch(records, base_offset=base))
    header = read_header(batch)
    return payload(batch, 0, header, 1 << 20), header


def learned(*entries: Entry) -> Layouts:
    """Layouts that know batches like this one."""
    layouts = Layouts("{}s".format)
    batch = plain(list(entries))
    assert layouts.read(*batch) is None, "a batch seen once is not worth a layout"
    assert layouts.read(*batch) == tuple(part for entry in entries for part in entry)
    return layouts


@pytest.mark.parametrize("count", [1, 2, 64, 100])
def test_the_next_batch_is_cut_into_keys_and_values(count: int) -> None:
    layouts = learned(*(commit(n, n) for n in range(count)))
    others = [commit(n + 2000, 1 << 50, time=1 << 40) for n in range(count)]
    found = layouts.read(*plain(others, base=1 << 40))
    assert found == tuple(part for entry in others for part in entry)


def test_offsets_between_which_some_were_compacted_away_make_no_difference() -> None:
    layouts = learned(commit(0, 1), commit(1, 2))
    entries = [commit(3, 5), commit(4, 6)]
    assert layouts.read(*plain(entries, step=9)) == (*entries[0], *entries[1])


def test_notes_may_differ_where_they_are_as_long() -> None:
    layouts = learned(commit(0, 1, "ab"), commit(1, 2, "c"))
    entries = [commit(0, 1, "xy"), commit(1, 2, "z")]
    assert layouts.read(*plain(entries)) == (*entries[0], *entries[1])


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
    data, header = plain([entry])
    assert len(data) == len(plain([commit(0, 1)])[0])
    assert layouts.read(data, header) is None


def test_a_record_count_that_is_not_that_of_the_records_is_left_to_the_caller() -> None:
    layouts = learned(commit(0, 1), commit(1, 2))
    data, header = plain([commit(0, 1), commit(1, 2)])
    assert layouts.read(data, header._replace(record_count=0)) is None


def test_headers_are_left_to_the_caller() -> None:
    layouts = Layouts("{}s".format)
    records = [Record(0, 5000, *commit(0, 1), [("h", b"v")])]
    batch = bytes(build_batch(records))
    header = read_header(batch)
    data = payload(batch, 0, header, 1 << 20)
    assert [layouts.read(data, header) for _ in range(4)] == [None] * 4


def test_groups_and_tombstones_have_no_layout() -> None:
    layouts = Layouts("{}s".format)
    group = encode(GroupMetadataKey(group="g"), 2)
    value = GroupMetadataValue(
        protocol_type="consumer", generation=1, protocol=None, leader=None, members=[]
    )
    kinds: list[list[Entry]] = [[(group, encode(value, 3))], [(commit(0, 1)[0], None)]]
    for entries in kinds:
        batch = plain(entries)
        assert [layouts.read(*batch) for _ in range(4)] == [None] * 4


def test_sizes_that_never_look_the_same_are_given_up() -> None:
    layouts = Layouts("{}s".format)
    for size in range(1, 12):  # the border between two notes moves, the sum stays
        entries = [commit(0, 1, "x" * size), commit(1, 1, "x" * (12 - size))]
        found = layouts.read(*plain(entries))
        assert found is None or found == (*entries[0], *entries[1])
    learned_late = [commit(0, 1, "x"), commit(1, 1, "x" * 11)]
    assert [layouts.read(*plain(learned_late)) for _ in range(3)] == [None] * 3


def test_a_commit_without_a_time_of_its_own_has_that_of_its_record() -> None:
    reader = CommitReader()
    for time, expected in ((9000, 9000), (9000, 9000), (9000, 9000), (-1, 5000)):
        found = list(reader.read(*plain([commit(3, 12, time=time)])))
        assert found == [Stored(("g", "t", 3), expected, 12)]
