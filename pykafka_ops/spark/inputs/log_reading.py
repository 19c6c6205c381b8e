"""Logs planned and read where Spark's tasks run: a task for some partitions says which bytes of
which segments are to be read, others read some of these each, whosever they are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.sampled import rate_of
from pykafka_ops.spark import schemas
from pykafka_ops.spark.arrow import map_rows, row_batches
from pykafka_ops.spark.engines import cores_of, functions_of, in_arrow, kept, scattered
from pykafka_ops.spark.inputs.replicas import unpacked
from pykafka_ops.spark.sources.log.options import LATEST, Bound, LogOptions
from pykafka_ops.spark.sources.log.plan import (
    LogTask,
    ReplicaSpan,
    SegmentPart,
    bytes_of,
    high_of,
    low_of,
    parts_of,
    sample_of,
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
_UNITS: Final = schemas.columns("units bigint, of_units bigint")
_SUMS: Final = ("rows", *_COUNTS.names, *_UNITS.names, "of_range")
_PLANNED: Final = pa.schema(
    [
        ("packed", pa.binary()),
        ("topic", pa.string()),
        *schemas.columns("rows bigint"),
        *_COUNTS,
        *_UNITS,
        *schemas.columns("of_range bigint"),
    ]
)
"""What a task reads; without ``packed`` counts: of each topic that is sampled, ``of_range`` are the
bytes of which its units are, and of all others together."""
_RANGED: Final = schemas.columns("topic string, packed binary, high bigint, size bigint")
"""Replicas with the bytes that a read of them goes through."""


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """How many segments and bytes are read, and how many there are; of a sample units, too, where
    topics are not read whole."""

    segments: int = 0
    bytes: int = 0
    of_segments: int = 0
    of_bytes: int = 0
    units: int | None = None
    of_units: int | None = None


class PlannedLogs:
    """A read of LOGS, planned at once and kept in executors until ``close``; ``plan`` says how much
    it is."""

    def __init__(
        self, logs: DataFrame, stored: int, options: LogOptions, sample: float | None = None
    ) -> None:
        """``stored`` bytes are there in all; of a ``sample`` each unit has that probability."""
        self._options = options
        f = functions_of(logs)
        size = size_for(round(stored * (sample or 1.0)), 2 * cores_of(logs), options)
        some = logs.where(f.col("read")).select("topic", "packed", "high")
        ranged = None
        if sample is not None:
            ranged = kept(map_rows(some, partial(_ranged, options), _RANGED))
            sums = ranged.groupBy("topic").agg(f.sum("size").alias("of_topic"))
            some = ranged.join(sums, ["topic"], "left")
        self._planned = kept(in_arrow(some, _planning(options, size, sample), _PLANNED))
        sums = self._planned.groupBy("topic").agg(*(f.sum(name).alias(name) for name in _SUMS))
        found = sums.toArrow().to_pylist()
        if ranged is not None:
            ranged.unpersist()
        self._tasks, *counts = (sum(row[name] or 0 for row in found) for name in _SUMS[:-1])
        self.plan = ReadPlan(*(counts if sample is not None else counts[: len(_COUNTS)]))
        self._rates = {
            row["topic"]: row["bytes"] / row["of_range"] for row in found if row["of_range"]
        }

    def rows(self, schema: pa.Schema) -> DataFrame:
        """What is read, of the columns in ``schema``."""
        f = functions_of(self._planned)
        tasks = self._planned.where(f.col("packed").isNotNull()).select("packed")
        reading = _reading(self._options, schema, self._rates)
        return in_arrow(scattered(tasks, self._tasks), reading, schema)

    def close(self) -> None:
        """Free what executors keep."""
        self._planned.unpersist()


def _ranged(options: LogOptions, row: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    span = _span(row, options)
    yield row["topic"], row["packed"], row["high"], bytes_of(span)


def _planning(options: LogOptions, size: int, sample: float | None) -> Any:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tally = _Tally()
        rows = (row for batch in batches for row in batch.to_pylist())
        parts = (part for row in rows for part in _parts(row, options, size, sample, tally))
        tasks = ({"packed": pickle.dumps(task.parts), "rows": 1} for task in tasks_of(parts, size))
        yield from row_batches(_PLANNED, tasks)
        yield from row_batches(_PLANNED, tally.rows())

    return task


class _Tally:
    """Counts what is planned, by topic where a sample is of it."""

    def __init__(self) -> None:
        self._counts: dict[str | None, dict[str, int]] = {}
        self._last: tuple[str, str] | None = None

    def add(self, topic: str | None, **counts: int) -> None:
        own = self._counts.setdefault(topic, dict.fromkeys(_SUMS, 0))
        for name, count in counts.items():
            own[name] += count

    def part(self, topic: str | None, part: SegmentPart) -> None:
        where = part.replica.path, part.name
        self.add(topic, segments=where != self._last, bytes=part.part.end - part.part.start)
        self._last = where

    def rows(self) -> Iterator[dict[str, Any]]:
        """The counts as _PLANNED has them."""
        return ({"topic": topic, **counts} for topic, counts in self._counts.items())


def _span(row: Mapping[str, Any], options: LogOptions) -> ReplicaSpan:
    replica = unpacked(row["packed"])
    if row["high"] is not None and options.ending.moment is None:
        ending = Bound(offsets={replica.key: row["high"]}, otherwise=LATEST)
        options = replace(options, ending=ending)
    return ReplicaSpan(replica, low_of(options, replica), high_of(options, replica))


def _parts(
    row: Mapping[str, Any], options: LogOptions, size: int, sample: float | None, tally: _Tally
) -> Iterator[SegmentPart]:
    span = _span(row, options)
    segments = span.replica.segments
    rate = None if sample is None else rate_of(sample, row["of_topic"])
    topic = None if rate is None else row["topic"]
    tally.add(topic, of_segments=len(segments), of_bytes=sum(s.size for s in segments))
    if rate is None:
        for part in parts_of(span, options, size):
            tally.part(topic, part)
            yield part
        return
    tally.add(topic, of_range=row["size"])
    for parts, units in sample_of(span, options, rate):
        tally.add(topic, units=len(parts) if units else 0, of_units=units)
        for part in parts:
            tally.part(topic, part)
            yield part


def _reading(options: LogOptions, schema: pa.Schema, rates: Mapping[str, float]) -> Any:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for packed in batch.column("packed").to_pylist():
                parts = [_found(part, rates) for part in pickle.loads(packed)]
                yield from read(LogTask(parts), options, schema)

    return task


def _found(part: SegmentPart, rates: Mapping[str, float]) -> SegmentPart:
    """The part, of a sample with the rate that came of what was chosen."""
    if part.group is None or part.replica.topic is None:
        return part
    return replace(part, rate=rates[part.replica.topic])


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
