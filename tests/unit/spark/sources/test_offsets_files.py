"""Commits from segment files: what Apache Kafka wrote, and how transactions end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, encode
from pykafka_ops.disk.names import segment_file
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError, UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.sources.offsets.files import FilesReader
from pykafka_ops.spark.sources.offsets.fold import CommitFilter
from pykafka_ops.spark.sources.options import SourceOptions
from pykafka_ops.spark.sources.place import LocalFile
from tests.support.golden.segments import GOLDEN, SEGMENTS

DUMPED = re.compile(
    r'\| offset: (\d+) .* key: (\{"type":"1",.*?\}\}) payload: (<DELETE>|\{.*\})$', re.MULTILINE
)


def read(path: Path, **options: str) -> list[dict[str, Any]]:
    """The rows that the reader gives, as Spark would call it; moments in ms."""
    wish = CommitFilter(SourceOptions({"path": str(path), **options}))
    reader = FilesReader(wish, schemas.OFFSETS)
    batches = [b for part in reader.partitions() for b in reader.read(part)]
    table = pa.Table.from_batches(batches, schemas.arrow(schemas.OFFSETS))
    for n, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            values = table.column(n).cast(pa.int64())
            table = table.set_column(n, field.name, pa.compute.divide(values, 1000))
    rows: list[dict[str, Any]] = table.to_pylist()
    return sorted(rows, key=lambda row: (row["log_partition"] or 0, row["log_offset"]))


@pytest.mark.parametrize("number", [0, 1])
def test_the_commits_are_those_that_kafkas_own_tool_prints(number: int) -> None:
    case = f"internal-consumer-offsets-{number}"
    text = (GOLDEN / "expected" / case / "log.offsets-decoder.txt").read_text()
    wanted = []
    for offset, key, payload in DUMPED.findall(text):
        name = json.loads(key)["data"]
        dead = payload == "<DELETE>"
        said = {} if dead else json.loads(payload)["data"]
        wanted.append((int(offset), name["group"], name["topic"], name["partition"],
                       said.get("offset"), said.get("metadata"), said.get("commitTimestamp"),
                       dead))  # fmt: skip
    assert len(wanted) >= 12
    found = [
        (row["log_offset"], row["group"], row["topic"], row["partition"], row["offset"],
         row["metadata"], None if row["tombstone"] else row["commit_timestamp"], row["tombstone"])
        for row in read(SEGMENTS / case)
    ]  # fmt: skip
    assert found == wanted
    assert {row["log_partition"] for row in read(SEGMENTS / case)} == {number}


def commit(offset: int, committed: int) -> Record:
    key = encode(OffsetCommitKey(group="g", topic="t", partition=0), 1)
    value = encode(OffsetCommitValue(offset=committed, metadata="", commit_timestamp=offset), 3)
    return Record(offset, offset, key, value, [])


def plain(offset: int, committed: int) -> bytes:
    return bytes(build_batch([commit(offset, committed)], base_offset=offset))


def inside(offset: int, committed: int, producer: int) -> bytes:
    records = [commit(offset, committed)]
    how = {"producer_id": producer, "producer_epoch": 0, "base_sequence": 0}
    return bytes(build_batch(records, base_offset=offset, transactional=True, **how))  # type: ignore[arg-type]


def end(offset: int, producer: int, how: ControlType) -> bytes:
    marker = EndTxnMarker(how, 0)
    made = build_marker(
        marker, base_offset=offset, timestamp=offset, producer_id=producer, producer_epoch=0
    )
    return bytes(made)


def partition(folder: Path, *segments: tuple[int, bytes], number: int = 3) -> Path:
    """A log directory with one partition of the topic."""
    directory = folder / f"__consumer_offsets-{number}"
    directory.mkdir(parents=True)
    for offset, data in segments:
        (directory / segment_file(offset)).write_bytes(data)
    return folder


def test_a_commit_in_a_transaction_holds_when_the_transaction_is_committed(tmp_path: Path) -> None:
    first = plain(0, 10) + inside(1, 11, 7) + inside(2, 12, 8) + plain(3, 13) + inside(4, 14, 9)
    second = (
        end(5, 8, ControlType.ABORT)
        + inside(6, 16, 8)
        + end(7, 7, ControlType.COMMIT)
        + end(8, 8, ControlType.COMMIT)
    )
    folder = partition(tmp_path, (0, first), (5, second))
    assert [row["offset"] for row in read(folder)] == [10, 11, 13, 16]


def test_a_damaged_batch_is_left_out_or_stops_where_that_is_asked(tmp_path: Path) -> None:
    broken = bytearray(plain(1, 11))
    broken[-3] ^= 1
    folder = partition(tmp_path, (0, plain(0, 10) + bytes(broken) + plain(2, 12)), (3, plain(3, 1)))
    assert [row["offset"] for row in read(folder)] == [10, 12, 1]
    with pytest.raises(CorruptError, match=r"__consumer_offsets-3/0+\.log: .* at position "):
        read(folder, strict="true")


def test_the_torn_end_of_the_last_segment_is_damage_unless_it_is_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = partition(tmp_path, (0, plain(0, 10) + plain(1, 11)[:-5]))
    assert [row["offset"] for row in read(folder)] == [10]
    with pytest.raises(CorruptError, match=r"cut off: the rest of the batch is missing"):
        read(folder, strict="true")
    monkeypatch.setattr(LocalFile, "grown", lambda file, size: True)
    assert [row["offset"] for row in read(folder, strict="true")] == [10]


def test_of_two_replicas_the_one_that_reaches_further_is_read(tmp_path: Path) -> None:
    one = partition(tmp_path / "one", (0, plain(0, 10)))
    two = partition(tmp_path / "two", (0, plain(0, 10) + plain(1, 11)))
    wish = CommitFilter(SourceOptions({"paths": json.dumps([str(one), str(two)])}))
    reader = FilesReader(wish, schemas.columns("offset bigint"))
    rows = [r for p in reader.partitions() for b in reader.read(p) for r in b.to_pylist()]
    assert rows == [{"offset": 10}, {"offset": 11}]


def test_filters_leave_out_groups_topics_and_times(tmp_path: Path) -> None:
    folder = partition(tmp_path, (0, plain(0, 10) + plain(1, 11) + plain(2, 12)))
    assert [row["offset"] for row in read(folder, since="1", until="1")] == [11]
    assert read(folder, groups="h") == []
    assert read(folder, topicsPattern="x.*") == []
    assert len(read(folder, groups='["g", "a,b"]', topics="t")) == 3


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone: no such directory"):
        read(tmp_path / "gone")


def test_a_log_directory_without_the_topic_has_no_commits(tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()
    assert read(tmp_path) == []
