"""Lag as a stream tells each window once, whatever is done again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.reports.lag.stream import LagStream, console, parquet

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WIDTH = 10_000
ROWS = "group string, topic string, partition int, to bigint, time bigint, at bigint, end bigint"
Row = tuple[Any, ...]


def commit(at: int, time: int, to: int, group: str = "g") -> Row:
    return (group, "t", 0, to, time, at, None)


def moment(number: int, end: int) -> Row:
    return (None, "t", 0, None, number * WIDTH, None, end)


BATCHES: list[list[Row]] = [
    [commit(0, 5_000, 1), commit(1, 39_000, 3)],
    [moment(4, 10), moment(5, 12), commit(2, 45_000, 8), commit(3, 61_000, 14)],
    [moment(6, 15), moment(7, 20), moment(8, 20), commit(4, 79_999, 18, "h")],
    [moment(9, 20), commit(5, 85_000, -1)],
    [moment(n, 25) for n in range(10, 13)],
]
WANTED = {
    ("g", 40_000): (1, 5, 8, 12, 4),
    ("g", 50_000): (0, 0, 8, 15, 7),
    ("g", 60_000): (1, 6, 14, 20, 6),
    ("g", 70_000): (0, 0, 14, 20, 6),
    ("g", 80_000): (1, 0, None, 20, None),
    ("h", 70_000): (1, 0, 18, 20, 2),
    ("h", 80_000): (0, 0, 18, 20, 2),
    ("h", 90_000): (0, 0, 18, 25, 7),
    ("h", 100_000): (0, 0, 18, 25, 7),
}
"""Commits, moved, committed, end and lag of each window, by its start."""


class Run:
    """A stream whose micro-batches are made by hand."""

    def __init__(self, spark: SparkSession, root: Path, delay: int = WIDTH) -> None:
        self.spark, self.out = spark, str(root / "windows")
        self.stream = LagStream({}, str(root / "checkpoint"), WIDTH, delay)

    def do(self, number: int) -> None:
        frame = self.spark.createDataFrame(BATCHES[number], ROWS)
        self.stream.step(frame, number, parquet(self.out))

    def windows(self) -> list[Row]:
        found: DataFrame = self.spark.read.parquet(self.out)
        return [
            (
                (row["group"], round(row["start"].timestamp() * 1000)),
                tuple(row[n] for n in ("commits", "moved", "committed", "log_end", "lag")),
            )
            for row in found.collect()
        ]


def test_windows_are_told_once_though_batches_are_done_again(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(spark, tmp_path)
    run.do(0)
    run.do(1)
    run.do(2)
    run.do(2)
    run.do(3)
    run.do(4)
    run.do(4)
    found = run.windows()
    assert len(found) == len(dict(found))
    assert dict(found) == WANTED
    kept = {path.name for path in (tmp_path / "checkpoint" / "lag-state").iterdir()}
    assert kept == {"3", "4"}
    capsys.readouterr()
    console(3)(spark.read.parquet(run.out), 0)
    shown = capsys.readouterr().out
    assert "log_end" in shown
    assert "only showing top 3 rows" in shown


def test_a_stream_cannot_go_on_without_its_state(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, tmp_path)
    with pytest.raises(StorageError, match="begin anew with an empty checkpoint"):
        run.do(3)


def test_windows_of_another_length_or_run_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    run = Run(spark, tmp_path)
    run.do(0)
    other = LagStream({}, str(tmp_path / "checkpoint"), 2 * WIDTH)
    with pytest.raises(UsageError, match="windows of 10000 ms, not of 20000"):
        other.step(spark.createDataFrame(BATCHES[1], ROWS), 1, parquet(run.out))
    with pytest.raises(UsageError, match="at least 1 ms long"):
        LagStream({}, str(tmp_path), 0).start(spark, parquet(run.out))
    sink, row = parquet(run.out), spark.createDataFrame([(1,)], "n int")
    sink(row, 7)
    with pytest.raises(UsageError, match="windows of another run"):
        sink(row, 2)
