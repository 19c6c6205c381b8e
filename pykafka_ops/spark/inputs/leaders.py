"""What the leaders of partitions know of their logs, asked where Spark runs: rows are dealt to
tasks by leader, so that each leader gets few questions and no task holds all partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pykafka_ops.client import offsets as o
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.record_times import record_times
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import ArrowTask, dealt, functions_of, in_arrow
from pykafka_ops.spark.schemas import ENDS, PARTITIONS, TIMES, Row
from pykafka_ops.spark.sources.live._cluster import cluster_of, offsets_at
from pykafka_ops.spark.sources.live.pages import PARTITIONS_AT_ONCE
from pykafka_ops.spark.sources.live.tables import newest_of, offset_of
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Options = Mapping[str, str]
"""``kafka.*`` options of a client."""
Asked = Sequence[Mapping[str, Any]]
_Ask = Callable[[Cluster, Asked], Iterator[Row]]


def with_offsets(placed: DataFrame, options: Options) -> DataFrame:
    """PARTITIONS of a frame that has topic, partition, leader, replicas and isr."""
    return _asked(placed, options, _offsets, PARTITIONS)


def ends_of(partitions: DataFrame, options: Options, moments: Sequence[int]) -> DataFrame:
    """ENDS at each of ``moments`` (ms), of a frame of PARTITIONS."""
    f = functions_of(partitions)
    known = partitions.where(f.col("leader").isNotNull() & f.col("end_offset").isNotNull())
    led = known.select("topic", "partition", "leader", "end_offset")
    return _asked(led, options, partial(_ends, moments=tuple(moments)), ENDS)


def firsts_of(partitions: DataFrame, options: Options) -> DataFrame:
    """TIMES of the first record of each log that has one."""
    f = functions_of(partitions)
    held = partitions.where(
        f.col("leader").isNotNull() & (f.col("start_offset") < f.col("end_offset"))
    )
    places = held.select("topic", "partition", "leader", f.col("start_offset").alias("offset"))
    return _asked(places, options, _times, TIMES)


def times_of(committed: DataFrame, partitions: DataFrame, options: Options) -> DataFrame:
    """TIMES at every committed offset that lies inside its log."""
    f = functions_of(partitions)
    logs = partitions.select("topic", "partition", "leader", "start_offset", "end_offset")
    places = committed.select("topic", "partition", "offset").distinct()
    found = places.join(logs, ["topic", "partition"], "left")
    inside = (f.col("start_offset") <= f.col("offset")) & (f.col("offset") < f.col("end_offset"))
    held = found.where(f.col("leader").isNotNull() & inside)
    return _asked(held.select("topic", "partition", "leader", "offset"), options, _times, TIMES)


def _asked(frame: DataFrame, options: Options, ask: _Ask, schema: pa.Schema) -> DataFrame:
    task = _asking(dict(options), ask, schema)
    return in_arrow(dealt(frame, "leader", PARTITIONS_AT_ONCE), task, schema)


def _asking(options: Options, ask: _Ask, schema: pa.Schema) -> ArrowTask:
    """What a task does with rows that have a ``leader``."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return
        table = pa.Table.from_batches(held).sort_by("leader")
        with cluster_of(SourceOptions(options)) as cluster:
            for begin in range(0, table.num_rows, PARTITIONS_AT_ONCE):
                rows = table.slice(begin, PARTITIONS_AT_ONCE).to_pylist()
                yield from row_batches(schema, ask(cluster, rows))

    return task


def _leaders(rows: Asked) -> dict[Partition, int]:
    return {(r["topic"], r["partition"]): r["leader"] for r in rows if r["leader"] is not None}


def _offsets(cluster: Cluster, rows: Asked) -> Iterator[Row]:
    """What a leader does not tell is null."""
    leaders = _leaders(rows)
    starts, ends = (
        offsets_at(cluster, leaders, time, whole=False, leaders=leaders)
        for time in (o.EARLIEST, o.LATEST)
    )
    newest = newest_of(cluster, leaders, whole=False, leaders=leaders)
    for r in rows:
        key = r["topic"], r["partition"]
        offsets = offset_of(starts.get(key)), offset_of(ends.get(key))
        yield *key, r["leader"], r["replicas"], r["isr"], *offsets, newest.get(key)


def _ends(cluster: Cluster, rows: Asked, moments: Sequence[int]) -> Iterator[Row]:
    """The end of the log where no record is as new."""
    leaders = _leaders(rows)
    latest = {(r["topic"], r["partition"]): r["end_offset"] for r in rows}
    for moment in moments:
        found = offsets_at(cluster, leaders, max(0, moment), whole=False, leaders=leaders)
        for p, at in found.items():
            yield *p, moment, at.offset if at.offset >= 0 else latest[p]


def _times(cluster: Cluster, rows: Asked) -> Iterator[Row]:
    wanted = {((r["topic"], r["partition"]), r["offset"]) for r in rows}
    for (p, at), stamp in record_times(cluster, wanted, _leaders(rows)).items():
        yield *p, at, stamp
