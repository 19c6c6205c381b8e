"""Commits read back in bulk are those that reading record by record gives."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.commit_log import Commits, collect
from pykafka_ops.disk.batch import read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.commits import CommitReader
from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, encode
from pykafka_ops.disk.record import Record, payload

VALUES = st.none() | st.builds(
    OffsetCommitValue,
    offset=st.integers(-1, 2**62),
    metadata=st.sampled_from(["", "", "note"]),
    commit_timestamp=st.integers(-1, 2**40),
)
ENTRIES = st.lists(
    st.tuples(
        st.builds(
            OffsetCommitKey,
            group=st.sampled_from(["a", "b", "long"]),
            topic=st.just("t"),
            partition=st.integers(0, 2),
        ),
        VALUES,
    ),
    min_size=1,
    max_size=3,
)


def batches(made: list[Any]) -> list[bytes]:
    found, base = [], 0
    for entries in made:
        records = [
            Record(base + n, 5000 + base, encode(k, 1), None if v is None else encode(v, 3))
            for n, (k, v) in enumerate(entries)
        ]
        found.append(bytes(build_batch(records, base_offset=base)))
        base += len(entries)
    return found


def one_by_one(data: list[bytes], groups: set[str] | None, begin: int) -> Commits:
    found: Commits = {}
    for batch in data:
        header, reader = read_header(batch), CommitReader(groups)
        if header.last_offset >= begin:
            for key, stamp, offset in reader.read(payload(batch, 0, header, 1 << 20), header):
                found.setdefault(key, []).append(Commit(stamp, offset))
    return found


@given(st.lists(ENTRIES, max_size=8), st.sampled_from([None, {"a"}, {"b", "long"}]), st.booleans())
def test_commits_collected_in_bulk_are_those_of_each_record(
    made: list[Any], groups: set[str] | None, behind: bool
) -> None:
    data = batches(made * 3)
    begin = read_header(data[1]).last_offset if behind and len(data) > 1 else 0
    found: Commits = {}
    end = collect(CommitReader(groups), b"".join(data) + b"part of the next", begin, found)
    assert end == sum(map(len, made)) * 3
    assert found == one_by_one(data, groups, begin)
