"""What replicas tell without their records being read, and look-ups by time and offset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.names import segment_file
from pykafka_ops.disk.record import Record
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.inputs.log_times import time_at
from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.inputs.replicas import end_of
from pykafka_ops.spark.sources.files import replicas
from pykafka_ops.spark.sources.log.plan import seeker
from tests.support.golden.segments import SEGMENTS


def looked(*locations: Path, topics: Names = ALL) -> LogDirInputs:
    return LogDirInputs(local_session(), [str(p) for p in locations], InputQuery(topics=topics))


def rows(frame: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = frame.toArrow().to_pylist()
    return sorted(found, key=lambda r: (r["topic"], r["partition"], r.get("log_dir")))


def batch(first: int, *stamps: int, gap: int = 1) -> bytes:
    records = [Record(first + n * gap, t, None, b"x" * 20, []) for n, t in enumerate(stamps)]
    return bytes(build_batch(records, base_offset=first))


def directory(folder: Path, name: str, **segments: bytes) -> Path:
    """A log directory with one partition; segments by ``at<offset>``."""
    (folder / name).mkdir(parents=True)
    for at, data in segments.items():
        (folder / name / segment_file(int(at[2:]))).write_bytes(data)
    return folder


def test_apaches_partitions_end_behind_their_last_batch() -> None:
    found = looked(SEGMENTS, topics=Names.of(["internal-.*"], regex=True))
    held = rows(found.log_dirs())
    assert [(row["topic"], row["partition"]) for row in held] == [
        (f"internal-{name}", n)
        for name in ("consumer-offsets", "transaction-state")
        for n in (0, 1)
    ]
    for row, replica in zip(rows(found.partitions()), held, strict=True):
        logs = sorted((SEGMENTS / f"{row['topic']}-{row['partition']}").glob("*.log"))
        headers = [h for log in logs for _, h in scan(memoryview(log.read_bytes()))]
        assert row["end_offset"] == max([h.next_offset for h in headers] or [0])
        newest = row["max_timestamp"]
        newest = newest and round(newest.timestamp() * 1000)
        assert newest == max((h.max_timestamp for h in headers), default=None)
        assert replica["size"] == sum(log.stat().st_size for log in logs)


def test_only_topics_that_are_meant_are_looked_at() -> None:
    found = looked(SEGMENTS, topics=Names.of(["internal-consumer-offsets"]))
    assert {row["topic"] for row in rows(found.partitions())} == {"internal-consumer-offsets"}


def test_the_newest_time_is_found_wherever_it_is(tmp_path: Path) -> None:
    folder = directory(tmp_path, "t-0", at0=batch(0, 50, 900, 60) + batch(3, 70, 80))
    assert [end_of(replica) for replica in replicas(str(folder))] == [(5, 900)]
    assert looked(folder).now == 900
    empty = directory(tmp_path / "other", "t-0", at9=b"")
    assert [end_of(replica) for replica in replicas(str(empty))] == [(9, None)]


def test_of_two_replicas_the_further_one_stands_for_the_partition(tmp_path: Path) -> None:
    one = directory(tmp_path / "1", "t-0", at0=batch(0, 1, 2, 3))
    two = directory(tmp_path / "2", "t-0", at0=batch(0, 1, 2))
    (one / "cleaner-offset-checkpoint").write_text("0\n2\nt 0 2\ngone 1 5\n")
    (two / "cleaner-offset-checkpoint").write_text("damaged")
    (one / "meta.properties").write_text("version=0\nbroker.id=4\n")
    found = looked(two, one)
    (partition,) = rows(found.partitions())
    assert (partition["end_offset"], partition["replicas"]) == (3, [4])
    assert [(row["log_dir"], row["offset_lag"]) for row in rows(found.log_dirs())] == [
        (str(one), 0), (str(two), 1)
    ]  # fmt: skip
    (cleaned,) = rows(found.cleaned())
    assert tuple(cleaned.values()) == (4, str(one), "t", 0, 2)
    assert [row["last_offset"] for row in rows(found.batches())] == [2]


def test_directories_are_looked_into_some_at_a_time(tmp_path: Path) -> None:
    """More than one task takes, in two locations, each with its own broker and checkpoints."""
    for broker in (1, 2):
        place = tmp_path / f"{broker}"
        for n in range(150):
            directory(place, f"t-{n}", at5=batch(5, *range(1, 2 + n % 3 + (n + broker) % 2)))
        (place / "meta.properties").write_text(f"version=0\nbroker.id={broker}\n")
        (place / "log-start-offset-checkpoint").write_text("0\n2\nt 0 6\nt 149 6\n")
        (place / "cleaner-offset-checkpoint").write_text("0\n1\nt 70 5\n")
    found = looked(tmp_path / "1", tmp_path / "2")
    partitions = {row["partition"]: row for row in rows(found.partitions())}
    assert sorted(partitions) == list(range(150))
    for n, row in partitions.items():
        assert row["replicas"] == [1, 2]
        assert row["start_offset"] == (6 if n in (0, 149) else 5)
        assert row["end_offset"] == 5 + 2 + n % 3
    lags = [(row["broker"], row["offset_lag"]) for row in rows(found.log_dirs())]
    assert sorted(lags) == sorted((b, 1 - (n + b) % 2) for n in range(150) for b in (1, 2))
    assert [row["broker"] for row in rows(found.cleaned())] == [1, 2]
    records = [row["records"] for row in rows(found.batches())]
    assert sum(records) == sum(2 + n % 3 for n in range(150))


@pytest.mark.parametrize(
    ("offset", "moment"), [(0, 10), (1, 11), (2, 20), (3, 20), (4, 21), (6, 30), (8, None)]
)
def test_the_time_at_an_offset_is_that_of_the_next_record(
    tmp_path: Path, offset: int, moment: int | None
) -> None:
    first = batch(0, 10, 11) + batch(3, 20, 21)
    folder = directory(tmp_path, "t-0", at0=first, at6=batch(7, 30))
    (found,) = replicas(str(folder))
    assert time_at(seeker(found), offset) == moment
