"""Logs planned and read where Spark's tasks run: a task for some partitions says which bytes of
which segments are to be read, others read some of these each, whosever they are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.spark import schemas
from pykafka_ops.spark.arrow import map_rows, row_batches
from pykafka_ops.spark.engines import cores_of, functions_of, in_arrow, kept, scattered
from pykafka_ops.spark.inputs.replicas import unpacked
from pykafka_ops.spark.sources.log.options import LATEST, Bound, LogOptions
from pykafka_ops.spark.sources.log.plan import (
    LogTask,
    ReplicaSpan,
    SegmentPart,
    high_of,
    low_of,
    parts_of,
    size_for,
    tasks_of,
)
from pykafka_ops.spark.sources.log.read import read
from pykafka_ops.spark.sources.offsets.files import FilesReader, new_segments
from pykafka_ops.spark.sources.offsets.fold import CommitFilter
from pykafka_ops.spark.sources.pruning import MAX_OFFSET

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COUNTS: Final = schemas.columns(
    "segments bigint, bytes bigint, of_segments bigint, of_bytes bigint"
)
"""As ReadPlan."""
_PLANNED: Final = pa.schema([("packed", pa.binary()), *_COUNTS])
"""What a task reads; without ``packed`` counts."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """How many segments and bytes are read, and how many there are."""

    segments: int = 0
    bytes: int = 0
    of_segments: int = 0
    of_bytes: int = 0


class PlannedLogs:
    """A read of LOGS, planned at once and kept in executors until ``close``; ``plan`` says how much
    it is."""

    def __init__(self, logs: DataFrame, stored: int, options: LogOptions) -> None:
        """``stored`` bytes are there in all."""
        self._options = options
        f = functions_of(logs)
        size = size_for(stored, 2 * cores_of(logs), options)
        some = logs.where(f.col("read")).select("packed", "high")
        self._planned = kept(in_arrow(some, _planning(options, size), _PLANNED))
        of_task = f.col("packed").isNotNull()
        sums = self._planned.groupBy(of_task.alias("task")).agg(
            f.count("*").alias("rows"),
            *(f.sum(name).alias(name) for name in _COUNTS.names),
        )
        found = {row["task"]: row for row in sums.toArrow().to_pylist()}
        self._tasks = found[True]["rows"] if True in found else 0
        own = found.get(False)
        self.plan = ReadPlan(*(own[name] for name in _COUNTS.names)) if own else ReadPlan()

    def rows(self, schema: pa.Schema) -> DataFrame:
        """What is read, of the columns in ``schema``."""
        f = functions_of(self._planned)
        tasks = self._planned.where(f.col("packed").isNotNull()).select("packed")
        return in_arrow(scattered(tasks, self._tasks), _reading(self._options, schema), schema)

    def close(self) -> None:
        """Free what executors keep."""
        self._planned.unpersist()


def _planning(options: LogOptions, size: int) -> Any:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = dict.fromkeys(_COUNTS.names, 0)
        rows = (row for batch in batches for row in batch.to_pylist())
        parts = (part for row in rows for part in _parts(row, options, size, counts))
        tasks = ({"packed": pickle.dumps(task.parts)} for task in tasks_of(parts, size))
        yield from row_batches(_PLANNED, tasks)
        if counts["of_segments"]:
            yield from row_batches(_PLANNED, [counts])

    return task


def _parts(
    row: Mapping[str, Any], options: LogOptions, size: int, counts: dict[str, int]
) -> Iterator[SegmentPart]:
    replica = unpacked(row["packed"])
    if row["high"] is not None and options.ending.moment is None:
        ending = Bound(offsets={replica.key: row["high"]}, otherwise=LATEST)
        options = replace(options, ending=ending)
    span = ReplicaSpan(replica, low_of(options, replica), high_of(options, replica))
    counts["of_segments"] += len(replica.segments)
    counts["of_bytes"] += sum(segment.size for segment in replica.segments)
    last = None
    for part in parts_of(span, options, size):
        counts["segments"] += part.name != last
        counts["bytes"] += part.part.end - part.part.start
        last = part.name
        yield part


def _reading(options: LogOptions, schema: pa.Schema) -> Any:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for packed in batch.column("packed").to_pylist():
                yield from read(LogTask(pickle.loads(packed)), options, schema)

    return task


def commits_in(logs: DataFrame, count: int, wish: CommitFilter) -> DataFrame:
    """OFFSETS of the ``count`` replicas of ``__consumer_offsets`` in LOGS that are read; a task
    reads whole partitions."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader = FilesReader(wish, schemas.OFFSETS)
        for batch in batches:
            for row in batch.to_pylist():
                high = MAX_OFFSET if row["high"] is None else row["high"]
                yield from reader.commits(unpacked(row["packed"]), high)

    f = functions_of(logs)
    some = logs.where(f.col("read")).select("packed", "high")
    tasks = min(count, 2 * cores_of(logs))
    return in_arrow(scattered(some, tasks), task, schemas.OFFSETS)


def commits_plan(logs: DataFrame, since: int) -> ReadPlan:
    """What ``commits_in`` reads from ``since`` (ms) on."""

    def count(row: Mapping[str, Any]) -> Iterator[tuple[int, ...]]:
        replica = unpacked(row["packed"])
        wanted = [segment.size for segment in new_segments(replica, since)]
        every = [segment.size for segment in replica.segments]
        yield len(wanted), sum(wanted), len(every), sum(every)

    f = functions_of(logs)
    found = map_rows(logs.where(f.col("read")).select("packed"), count, _COUNTS).toArrow()
    return ReadPlan(*(sum(found[name].to_pylist()) for name in _COUNTS.names))
