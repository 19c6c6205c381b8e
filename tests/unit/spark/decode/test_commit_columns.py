"""Commits decoded in bulk say what the reader of single records says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.internal import (
    GroupMetadataKey,
    OffsetCommitKey,
    OffsetCommitValue,
    encode,
    read_offsets_record,
)
from pykafka_ops.errors import CorruptError
from pykafka_ops.spark.decode.commits import CommitDecoder, Records
from pykafka_ops.spark.inputs.names import ALL, Names

Pair = tuple[bytes | None, bytes | None]
NAMES = st.sampled_from(["g", "other", "né"])
KEYS = st.builds(OffsetCommitKey, group=NAMES, topic=NAMES, partition=st.integers(0, 3))
TIMES = st.integers(-1, 2**62)
VALUES = st.tuples(
    st.builds(
        OffsetCommitValue,
        offset=st.integers(0, 2**62),
        leader_epoch=st.integers(-1, 9),
        metadata=st.sampled_from(["", "m", "note é\0"]),
        commit_timestamp=TIMES,
        expire_timestamp=TIMES,
    ),
    st.integers(0, 4),
)
ODD = st.sampled_from([b"", b"\0\3", b"\0\x63" + bytes(22), b"\0\3" + bytes(30)])
STORED: Any = st.one_of(st.none(), VALUES.map(lambda v: encode(*v)), ODD)
OTHER_KEYS = st.sampled_from([None, b"", b"\x7f\xff", encode(GroupMetadataKey(group="g"), 2)])
PAIRS = st.lists(
    st.tuples(st.one_of(KEYS.map(lambda k: encode(k, 1)), OTHER_KEYS), STORED), max_size=40
)


def records(pairs: list[Pair]) -> Records:
    return Records(
        pa.array([key for key, _ in pairs], pa.binary()),
        pa.array([value for _, value in pairs], pa.binary()),
        np.arange(100, 100 + len(pairs), dtype=np.int64),
        np.arange(5000, 5000 + len(pairs), dtype=np.int64),
    )


def one_by_one(pairs: list[Pair]) -> list[dict[str, Any]]:
    """The rows as the tables of ``disk.internal`` read them."""
    rows = []
    for n, (key, value) in enumerate(pairs):
        try:
            found = read_offsets_record(key or b"", value)
        except CorruptError:
            continue
        if key is None or not isinstance(found.key, OffsetCommitKey):
            continue
        row: dict[str, Any] = {"group": found.key.group, "topic": found.key.topic,
                               "partition": found.key.partition, "log_offset": 100 + n,
                               "log_partition": 7, "tombstone": value is None}  # fmt: skip
        row.update(dict.fromkeys(("offset", "leader_epoch", "metadata", "expire_timestamp")))
        moment = 5000 + n
        if value is not None:
            said = found.value
            assert isinstance(said, OffsetCommitValue)
            row["offset"], row["metadata"] = said.offset, said.metadata
            row["leader_epoch"] = said.leader_epoch if said.leader_epoch >= 0 else None
            moment = said.commit_timestamp if said.commit_timestamp >= 0 else moment
            expires = said.expire_timestamp
            row["expire_timestamp"] = bounded(expires) if expires >= 0 else None
        row["commit_timestamp"] = bounded(moment)
        rows.append(row)
    return rows


def bounded(moment: int) -> int:
    """Microseconds, as far as Spark's moments go."""
    return min(moment, (2**63 - 1) // 1000) * 1000


def decoded(decoder: CommitDecoder, pairs: list[Pair]) -> list[dict[str, Any]]:
    batch = decoder.decode(records(pairs), 7)
    plain = [
        column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column
        for column in batch.columns
    ]
    rows: list[dict[str, Any]] = pa.RecordBatch.from_arrays(
        plain, names=batch.schema.names
    ).to_pylist()
    return rows


@settings(deadline=None)
@given(PAIRS)
def test_it_says_what_a_look_at_each_record_says(pairs: list[Pair]) -> None:
    decoder = CommitDecoder(ALL, ALL)
    assert decoded(decoder, pairs) == one_by_one(pairs)
    assert decoded(decoder, pairs) == one_by_one(pairs)  # the keys are known by now


@settings(deadline=None)
@given(PAIRS, st.integers(4990, 5030), st.integers(4990, 5030))
def test_groups_topics_and_times_leave_out_the_others(
    pairs: list[Pair], since: int, until: int
) -> None:
    decoder = CommitDecoder(Names.of(["g"]), Names.of(["né|other"], regex=True), since, until)
    assert decoded(decoder, pairs) == [
        row
        for row in one_by_one(pairs)
        if row["group"] == "g"
        and row["topic"] != "g"
        and since * 1000 <= row["commit_timestamp"] <= until * 1000
    ]


def test_a_slice_of_a_longer_array_is_read_where_it_lies() -> None:
    key = encode(OffsetCommitKey(group="g", topic="t", partition=0), 1)
    pairs: list[Pair] = [
        (key, encode(OffsetCommitValue(offset=n, metadata="", commit_timestamp=n), 3))
        for n in range(10)
    ]
    whole = records(pairs)
    part = Records(*(column[4:7] for column in whole))
    made = CommitDecoder(ALL, ALL).decode(part, None)
    assert made["offset"].to_pylist() == [4, 5, 6]
    assert made["log_offset"].to_pylist() == [104, 105, 106]
