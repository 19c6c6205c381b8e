"""What replicas tell without their records being read, and look-ups by time and offset."""

from __future__ import annotations

from pathlib import Path

import pytest

from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.names import segment_file
from pykafka_ops.disk.record import Record
from pykafka_ops.spark.inputs.log_times import time_at
from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.inputs.replicas import (
    cleaned_rows,
    dir_rows,
    known,
    partition_rows,
)
from pykafka_ops.spark.schemas import LOG_DIRS
from pykafka_ops.spark.sources.log.plan import seeker
from tests.support.golden.segments import SEGMENTS


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
    found = known([str(SEGMENTS)], Names.of(["internal-.*"], regex=True))
    assert {k.replica.topic for k in found} == {
        "internal-consumer-offsets",
        "internal-transaction-state",
    }
    rows = partition_rows(found)
    assert [row[1] for row in rows] == [0, 1, 0, 1]
    for k, (*_, end, newest) in zip(found, rows, strict=True):
        logs = sorted(Path(k.replica.path).glob("*.log"))
        headers = [h for log in logs for _, h in scan(memoryview(log.read_bytes()))]
        assert end == max([h.next_offset for h in headers] or [0])
        assert newest == max((h.max_timestamp for h in headers), default=None)
        assert k.size == sum(log.stat().st_size for log in logs)


def test_only_topics_that_are_meant_are_looked_at() -> None:
    found = known([str(SEGMENTS)], Names.of(["internal-consumer-offsets"]))
    assert [k.replica.key for k in found] == [("internal-consumer-offsets", n) for n in (0, 1)]


def test_the_newest_time_is_found_wherever_it_is(tmp_path: Path) -> None:
    folder = directory(tmp_path, "t-0", at0=batch(0, 50, 900, 60) + batch(3, 70, 80))
    (tail,) = (k.tail for k in known([str(folder)], ALL))
    assert (tail.end, tail.newest) == (5, 900)
    empty = directory(tmp_path / "other", "t-0", at9=b"")
    (tail,) = (k.tail for k in known([str(empty)], ALL))
    assert (tail.end, tail.newest) == (9, None)


def test_of_two_replicas_the_further_one_stands_for_the_partition(tmp_path: Path) -> None:
    one = directory(tmp_path / "1", "t-0", at0=batch(0, 1, 2, 3))
    two = directory(tmp_path / "2", "t-0", at0=batch(0, 1, 2))
    (one / "cleaner-offset-checkpoint").write_text("0\n2\nt 0 2\ngone 1 5\n")
    (two / "cleaner-offset-checkpoint").write_text("damaged")
    (one / "meta.properties").write_text("version=0\nbroker.id=4\n")
    found = known([str(two), str(one)], ALL)
    ((_, _, _, replicas, _, _, end, _),) = partition_rows(found)
    assert (end, replicas) == (3, [4])
    lag = LOG_DIRS.names.index("offset_lag")
    assert [row[lag] for row in dir_rows(found)] == [1, 0]
    assert cleaned_rows(found) == [(4, str(one), "t", 0, 2)]


@pytest.mark.parametrize(
    ("offset", "moment"), [(0, 10), (1, 11), (2, 20), (3, 20), (4, 21), (6, 30), (8, None)]
)
def test_the_time_at_an_offset_is_that_of_the_next_record(
    tmp_path: Path, offset: int, moment: int | None
) -> None:
    first = batch(0, 10, 11) + batch(3, 20, 21)
    folder = directory(tmp_path, "t-0", at0=first, at6=batch(7, 30))
    (found,) = known([str(folder)], ALL)
    assert time_at(seeker(found.replica), offset) == moment
