"""Commits in bulk are what the tables of the internal topic say, record by record."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.commits import CommitReader, Stored
from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    OffsetCommitKey,
    OffsetCommitValue,
    encode,
    read_offsets_record,
)
from pykafka_ops.disk.record import Record, payload
from pykafka_ops.errors import CorruptError

BYTES = st.binary(max_size=4)
NAMES = st.text(max_size=5)
VALUES = st.none() | st.builds(
    OffsetCommitValue,
    offset=st.integers(0, 2**62),
    leader_epoch=st.integers(-1, 5),
    metadata=NAMES,
    commit_timestamp=st.integers(-1, 2**40),
)
COMMITS = st.lists(
    st.tuples(
        st.builds(OffsetCommitKey, group=NAMES, topic=NAMES, partition=st.integers(0, 9)),
        VALUES,
        st.sampled_from([1, 2, 3]),
    ),
    min_size=1,
    max_size=20,
)


def read(records: list[Record], reader: CommitReader) -> list[Stored]:
    batch = bytes(build_batch(records))
    header = read_header(batch)
    return list(reader.read(payload(batch, 0, header, 1 << 20), header))


def record(number: int, key: bytes | None, value: bytes | None) -> Record:
    return Record(number, 5000 + number, key, value, [])


@given(COMMITS)
def test_every_commit_is_read_whatever_its_version(
    commits: list[tuple[OffsetCommitKey, OffsetCommitValue | None, int]],
) -> None:
    records, wanted = [], []
    for number, (key, value, version) in enumerate(commits):
        stored = None if value is None else encode(value, version)
        records.append(record(number, encode(key, 1), stored))
        name = (key.group, key.topic, key.partition)
        if value is None:
            wanted.append(Stored(name, 5000 + number, -1))
        else:
            stamp = value.commit_timestamp if value.commit_timestamp >= 0 else 5000 + number
            wanted.append(Stored(name, stamp, value.offset))
    reader = CommitReader()
    assert read(records, reader) == wanted
    assert read(records, reader) == wanted  # the keys are known by now
    groups = {commits[0][0].group}
    assert read(records, CommitReader(groups)) == [s for s in wanted if s.key[0] in groups]


def test_what_is_no_commit_or_cannot_be_read_is_left_out() -> None:
    key = encode(OffsetCommitKey(group="g", topic="t", partition=1), 1)
    good = encode(OffsetCommitValue(offset=7, metadata="", commit_timestamp=9), 3)
    odd = [
        record(0, None, good),
        record(1, b"", good),
        record(2, b"\x7f\xff", good),
        record(3, encode(GroupMetadataKey(group="g"), 2), b"x"),
        record(4, key, b""),
        record(5, key, b"\x00\x03"),
        record(6, key, b"\x00\x63" + good[2:]),
        record(7, key, good[:-1]),
        record(8, key, good),
    ]
    assert read(odd, CommitReader()) == [Stored(("g", "t", 1), 9, 7)]


def sized(size: int, data: bytes) -> bytes:
    return size.to_bytes(2, "big", signed=True) + data


NAME = st.builds(lambda data, more: sized(len(data) + more, data), BYTES, st.integers(-3, 2))
WHOLE = BYTES.map(lambda data: sized(len(data), data))
VERSION = st.sampled_from([b"\0\0", b"\0\1"])
KEYS = st.tuples(VERSION, WHOLE, WHOLE, st.binary(min_size=4, max_size=4))
ODD_KEYS = st.tuples(VERSION, WHOLE | NAME, WHOLE | NAME, st.binary(max_size=5))


@given((KEYS | ODD_KEYS).map(b"".join))
def test_a_key_is_what_the_tables_say_however_odd_its_bytes_are(raw: bytes) -> None:
    wanted = None
    with suppress(CorruptError):
        found = read_offsets_record(raw, None).key
        assert isinstance(found, OffsetCommitKey)
        wanted = (found.group, found.topic, found.partition)
    assert CommitReader().key(raw) == wanted
