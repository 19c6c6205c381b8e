"""A log is followed as it grows, each record once, from what a checkpoint keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from pykafka_ops.disk.build import build_batch
from pykafka_ops.errors import StorageError
from pykafka_ops.spark.sources.log.source import KafkaLogSource
from pykafka_ops.spark.sources.log.stream import LogStreamReader
from pykafka_ops.spark.sources.options import by_partition, by_topic, limited
from tests.support.spark.log_tables import record, write_log


def stream(path: Path, mode: str = "records", **options: object) -> LogStreamReader:
    values = {"path": str(path), "mode": mode} | {k: str(v) for k, v in options.items()}
    source = KafkaLogSource(values)
    made = source.streamReader(source.schema())
    assert isinstance(made, LogStreamReader)
    return made


def kept(offsets: dict[str, Any]) -> dict[str, Any]:
    """As a checkpoint keeps it."""
    found: dict[str, Any] = json.loads(json.dumps(offsets))
    return found


def append(folder: Path, base: int, first: int, count: int) -> None:
    rows = [record(first + n) for n in range(count)]
    with (folder / f"{base:020d}.log").open("ab") as log:
        log.write(build_batch(rows, base_offset=first))


def rows(
    reader: LogStreamReader, start: dict[str, Any], end: dict[str, Any], name: str = "offset"
) -> list[int]:
    found = [
        (p, value)
        for task in reader.partitions(start, end)
        for batch in reader.read(task)
        for p, value in zip(batch["partition"].to_pylist(), batch[name].to_pylist(), strict=True)
    ]
    return [value for _, value in sorted(found)]


def test_each_record_comes_once_over_growth_and_restarts(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[3, 4]])
    first = stream(tmp_path)
    start = kept(first.initialOffset())
    assert start == {"a": {"0": 0}}
    end = kept(first.latestOffset(start, ReadAllAvailable()))
    assert end == {"a": {"0": 7}}
    assert rows(first, start, end) == list(range(7))
    append(folder, 0, 7, 2)
    write_log(tmp_path, "a", [[2]], first=9)
    write_log(tmp_path, "a", [[4]], partition=1)  # a partition that appears later
    second = stream(tmp_path)
    later = kept(second.latestOffset(end, ReadAllAvailable()))
    assert later == {"a": {"0": 11, "1": 4}}
    assert rows(second, end, later) == [7, 8, 9, 10, 0, 1, 2, 3]
    assert second.partitions(later, later) == []
    assert rows(stream(tmp_path), end, later) == [7, 8, 9, 10, 0, 1, 2, 3]


def test_a_batch_that_is_still_being_written_comes_with_a_later_step(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[3, 4]])
    log = folder / "00000000000000000000.log"
    data = log.read_bytes()
    log.write_bytes(data[:-5])
    reader = stream(tmp_path)
    start = reader.initialOffset()
    torn = reader.latestOffset(start, ReadAllAvailable())
    assert torn == {"a": {"0": 3}}
    log.write_bytes(data)
    whole = reader.latestOffset(torn, ReadAllAvailable())
    assert rows(reader, start, torn) == [0, 1, 2]
    assert rows(reader, torn, whole) == [3, 4, 5, 6]


def test_steps_can_be_bounded_and_batches_still_come_once(tmp_path: Path) -> None:
    write_log(tmp_path, "a", [[3, 4], [5]])
    write_log(tmp_path, "a", [[2, 2]], partition=1)
    for mode, name in (("records", "offset"), ("batches", "base_offset")):
        reader = stream(tmp_path, mode, maxOffsetsPerTrigger=3)
        limit = reader.getDefaultReadLimit()
        assert isinstance(limit, ReadMaxRows)
        at, found, steps = reader.initialOffset(), [], 0
        while (end := reader.latestOffset(at, limit)) != at:
            found += rows(reader, at, end, name)
            at, steps = end, steps + 1
        assert steps >= 4
        expected = [*range(12), *range(4)] if mode == "records" else [0, 3, 7, 0, 2]
        assert sorted(found) == sorted(expected)
    reader.prepareForTriggerAvailableNow()
    write_log(tmp_path, "a", [[9]], partition=2)
    assert "2" not in reader.latestOffset(at, ReadAllAvailable())["a"]
    assert reader.reportLatestOffset() == at


def test_where_a_stream_begins_can_be_said(tmp_path: Path) -> None:
    write_log(tmp_path, "a", [[3, 4], [5]])
    assert stream(tmp_path, startingOffsets="latest").initialOffset() == {"a": {"0": 12}}
    assert stream(tmp_path, startingTimestamp=45).initialOffset() == {"a": {"0": 5}}
    assert stream(tmp_path, startingTimestamp=10**9).initialOffset() == {"a": {"0": 12}}
    named = '{"a": {"0": 8}}'
    assert stream(tmp_path, startingOffsets=named).initialOffset() == {"a": {"0": 8}}


def test_offsets_that_are_gone_stop_the_stream_unless_it_may_go_on(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[3, 4], [5]])
    reader, lenient = stream(tmp_path), stream(tmp_path, failOnDataLoss="false")
    start, end = {"a": {"0": 1}}, {"a": {"0": 12}}
    (folder / "00000000000000000000.log").unlink()
    with pytest.raises(StorageError, match=r"a-0 begins at 7, offsets from 1 on are gone"):
        reader.partitions(start, end)
    assert rows(lenient, start, end) == [7, 8, 9, 10, 11]
    ahead = {"a": {"0": 20}}
    with pytest.raises(StorageError, match=r"a-0 ends at 12, offsets up to 20 were there before"):
        reader.partitions({"a": {"0": 7}}, ahead)
    assert reader.latestOffset(ahead, ReadAllAvailable()) == ahead
    with pytest.raises(StorageError, match=r"b-0 is no longer there"):
        reader.partitions(end, {"b": {"0": 3}, **end})


def test_offsets_of_a_checkpoint_are_those_of_sparks_own_source() -> None:
    ends = {("b", 1): 5, ("a", 0): 7}
    assert by_topic(ends) == {"a": {"0": 7}, "b": {"1": 5}}
    assert by_partition(kept(by_topic(ends)), "offsets") == ends
    assert limited({("a", 0): 0}, {("a", 0): 90, ("b", 0): 10}, 10) == {("a", 0): 9, ("b", 0): 1}
    assert limited({}, {("a", 0): 9}, 10) == {("a", 0): 9}
