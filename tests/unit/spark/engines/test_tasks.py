"""Frames whose rows are dealt to tasks, against the same frames in one piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pykafka_ops.spark.engines import cores_of, dealt, scattered, spread, together
from pykafka_ops.spark.engines.local import functions as f
from pykafka_ops.spark.engines.local.frame import LocalFrame, SpreadFrame
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.schemas import columns
from tests.support.spark.log_tables import write_log
from tests.support.spark.pickled_tasks import PickledTasks

FIELDS = columns("k string, v bigint, x double")
ROWS = [("abc"[n % 3] if n % 5 else None, n if n % 4 else None, n / 4) for n in range(40)]
DOUBLED = columns("k string, twice bigint")


def doubled(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        twice = pc.multiply(batch.column("v"), 2)
        yield pa.RecordBatch.from_arrays([batch.column("k"), twice], schema=DOUBLED)


QUERIES: dict[str, Callable[[Any], Any]] = {
    "rows": lambda frame: frame,
    "columns": lambda frame: frame.select("k", (f.col("v") + 1).alias("more")),
    "conditions": lambda frame: frame.where(f.col("v") > 7).withColumn("one", f.lit(1)),
    "tasks": lambda frame: frame.select("k", "v").mapInArrow(doubled, DOUBLED),
    "sums": lambda frame: frame.groupBy("k").agg(
        f.count("*").alias("rows"), f.sum("v").alias("sum"), f.max("x").alias("most"),
        f.min(f.when(f.col("v") > 9, f.col("v"))).alias("least"),
    ),
    "the latest": lambda frame: frame.groupBy("k").agg(
        f.max_by(f.struct("v", "x"), "v").alias("last"), f.count("*").alias("rows")
    ),
    "lists": lambda frame: frame.groupBy("k").agg(f.collect_list("v").alias("all")),
    "distinct rows": lambda frame: frame.select("k").distinct(),
    "joins": lambda frame: frame.join(
        frame.groupBy("k").agg(f.sum("v").alias("sum")), ["k"], "left"
    ),
    "sums of sums": lambda frame: frame.groupBy("k", "v").agg(f.sum("x").alias("x")).groupBy("k")
    .agg(f.sum("x").alias("x")),
}  # fmt: skip


def frame(runner: PickledTasks | None, rows: list[Any]) -> Any:
    return LocalSession(runner).createDataFrame(rows, FIELDS)


def sorted_rows(found: Any) -> list[str]:
    return sorted(
        repr({k: sorted(v) if isinstance(v, list) else v for k, v in row.items()})
        for row in found.toArrow().to_pylist()
    )


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("count", [40, 1, 0])
def test_a_frame_in_tasks_has_the_rows_of_one_in_one_piece(name: str, count: int) -> None:
    runner = PickledTasks()
    alone = QUERIES[name](scattered(frame(None, ROWS[:count]), 4))
    dealt_out = QUERIES[name](scattered(frame(runner, ROWS[:count]), 4))
    assert isinstance(scattered(frame(runner, ROWS), 4), SpreadFrame)
    assert not isinstance(scattered(frame(None, ROWS), 4), SpreadFrame)
    assert dealt_out.columns == alone.columns
    assert dealt_out.toArrow().schema.types == alone.toArrow().schema.types
    assert sorted_rows(dealt_out) == sorted_rows(alone)
    assert runner.ran >= min(max(count, 1), 4)


def test_sums_leave_a_task_as_a_row_for_each_group() -> None:
    came = []

    class Counting(PickledTasks):
        def run(self, pieces: Any, work: Any) -> Iterator[pa.RecordBatch]:
            for batch in super().run(pieces, work):
                came.append(batch.num_rows)
                yield batch

    rows = [("a", n, 0.0) for n in range(1000)]
    sums = scattered(frame(Counting(), rows), 5).groupBy("k").agg(f.sum("v").alias("sum"))
    assert sums.toArrow().to_pylist() == [{"k": "a", "sum": 499_500}]
    assert sum(came) == 5


def test_what_is_kept_is_made_once() -> None:
    runner = PickledTasks()
    kept: LocalFrame = scattered(frame(runner, ROWS), 4).persist()  # type: ignore[assignment]
    for _ in range(2):
        assert kept.select("v").count() == len(ROWS)
        assert kept.groupBy("k").agg(f.count("*").alias("rows")).count() == 4
        assert kept.select("k", "v").mapInArrow(doubled, DOUBLED).count() == len(ROWS)
    assert runner.ran == 4


def test_rows_with_the_same_key_are_in_one_task() -> None:
    runner = PickledTasks(cores=3)
    found = dealt(frame(runner, ROWS), "k", 1000)

    def keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = {key for batch in batches for key in batch.column("k").to_pylist()}
        yield pa.RecordBatch.from_pylist([{"k": repr(key)} for key in held])

    seen = found.mapInArrow(keys, columns("k string")).toArrow()["k"].to_pylist()
    assert sorted(seen) == ["'a'", "'b'", "'c'", "None"]
    assert runner.ran == 3
    assert cores_of(found) == 3


def test_rows_that_are_to_come_together_do() -> None:
    counts = columns("rows bigint")

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pylist([{"rows": sum(batch.num_rows for batch in batches)}])

    spread_out = scattered(frame(PickledTasks(), ROWS), 4)
    there: Any = spread_out.select("k", "v").mapInArrow(count, counts)  # type: ignore[arg-type]
    assert there.toArrow()["rows"].to_pylist() == [10, 10, 10, 10]
    for whole in (spread_out.repartition("k"), together(spread_out, ["k"])):
        here: Any = whole.select("k", "v").mapInArrow(count, counts)  # type: ignore[arg-type]
        assert here.toArrow()["rows"].to_pylist() == [40]


def test_numbers_are_dealt_out_from_the_first_to_the_last() -> None:
    runner = PickledTasks()
    session: Any = LocalSession(runner)
    assert spread(session, 10, 5).toArrow()["id"].to_pylist() == [*range(10)]  # type: ignore[index]
    assert runner.ran == 2


def test_sources_are_read_in_tasks(tmp_path: Path) -> None:
    write_log(tmp_path, "orders", [[10, 20], [30]])
    runner = PickledTasks()
    for topic in ("orders", "nothing"):
        found = [
            LocalSession(some)
            .read.format("kafka-log")
            .options(path=str(tmp_path), subscribePattern=topic)
            .load()
            for some in (runner, None)
        ]
        assert sorted_rows(found[0]) == sorted_rows(found[1])
        assert found[0].toArrow().schema == found[1].toArrow().schema
    assert runner.ran
