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
from pykafka_ops.spark.inputs.asked_ends import (
    FIRST,
    AskedBack,
    AskedEnds,
    AskedLog,
    AskedPast,
    first_of,
)
from pykafka_ops.spark.schemas import LOG_ENDS, LOG_PASTS, PARTITIONS, TIMES, Row
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


def ends_of(
    partitions: DataFrame,
    options: Options,
    moments: Sequence[int],
    wanted: DataFrame | None = None,
) -> DataFrame:
    """LOG_ENDS at each of ``moments`` (ms, in order), of a frame of PARTITIONS that is kept;
    ``wanted`` as ``Inputs.ends``. A log whose records have no times is left out: nobody knows when
    it ended where."""
    f = functions_of(partitions)
    newest = f.unix_millis("max_timestamp").alias("newest")
    logs = partitions.select("topic", "partition", "leader", "start_offset", "end_offset", newest)
    if wanted is None:
        logs = logs.withColumn("since", f.lit(moments[0]))
    else:
        logs = wanted.join(logs, ["topic", "partition"], "left")
    known = logs.where(f.col("leader").isNotNull() & f.col("end_offset").isNotNull())
    ask = partial(_ends, moments=tuple(moments))
    return _asked(known, options, ask, LOG_ENDS, no_more_than=partitions)


def pasts_of(
    partitions: DataFrame,
    options: Options,
    moments: Sequence[int],
    readers: DataFrame | None = None,
    always: Sequence[int] = (),
) -> DataFrame:
    """LOG_PASTS of a frame of PARTITIONS that is kept, as ``Inputs.pasts``."""
    f = functions_of(partitions)
    start = f.coalesce("start_offset", f.lit(0)).alias("start")
    newest = f.unix_millis("max_timestamp").alias("newest")
    names = ("topic", "partition", "leader", "start", "end", "newest")
    logs = partitions.withColumnRenamed("end_offset", "end").select(
        *names[:3], start, "end", newest
    )
    held = logs.where(f.col("leader").isNotNull() & (f.col("start") < f.col("end")))
    if readers is None:
        ask = partial(_pasts, moments=tuple(moments))
        return _asked(held, options, ask, LOG_PASTS, no_more_than=partitions)
    found = readers.select("topic", "partition", "offset").join(
        held, ["topic", "partition"], "left"
    )
    inside = (f.col("start") <= f.col("offset")) & (f.col("offset") < f.col("end"))
    wanted = found.where(inside).groupBy(*names).agg(f.min("offset").alias("reach"))
    back = partial(_pasts_back, moments=tuple(moments), always=frozenset(always))
    return _asked(wanted, options, back, LOG_PASTS, no_more_than=partitions)


def times_of(committed: DataFrame, partitions: DataFrame, options: Options) -> DataFrame:
    """TIMES at every committed offset that lies inside its log; both frames are kept."""
    f = functions_of(partitions)
    logs = partitions.select("topic", "partition", "leader", "start_offset", "end_offset")
    places = committed.select("topic", "partition", "offset").distinct()
    found = places.join(logs, ["topic", "partition"], "left")
    inside = (f.col("start_offset") <= f.col("offset")) & (f.col("offset") < f.col("end_offset"))
    held = found.where(f.col("leader").isNotNull() & inside)
    wanted = held.select("topic", "partition", "leader", "offset")
    return _asked(wanted, options, _times, TIMES, no_more_than=committed)


def _asked(
    frame: DataFrame,
    options: Options,
    ask: _Ask,
    schema: pa.Schema,
    *,
    no_more_than: DataFrame | None = None,
) -> DataFrame:
    """What leaders say of the rows; ``no_more_than`` as ``dealt``."""
    task = _asking(dict(options), ask, schema)
    pages = dealt(frame, "leader", PARTITIONS_AT_ONCE, no_more_than=no_more_than)
    return in_arrow(pages, task, schema)


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
    logs = {
        (r["topic"], r["partition"]):
            AskedEnds(r["end_offset"], r["newest"], first_of(moments, r["since"]))
        for r in rows
    }  # fmt: skip
    _go_through(cluster, rows, logs, moments)
    timeless = _timeless(cluster, rows, logs)
    for p, log in logs.items():
        if p not in timeless:
            yield *p, log.pairs


def _timeless(cluster: Cluster, rows: Asked, logs: Mapping[Partition, AskedEnds]) -> set[Partition]:
    """Those that hold records, none of which has a time: no record is as new as ``FIRST``."""
    unsure = {}
    for r in rows:
        p = r["topic"], r["partition"]
        is_empty = (r["start_offset"] or 0) >= r["end_offset"]
        if r["newest"] is None and not is_empty and not logs[p].has_times:
            unsure[p] = r["leader"]
    found = offsets_at(cluster, unsure, FIRST, whole=False, leaders=unsure)
    return {p for p, at in found.items() if at.offset < 0}


def _pasts(cluster: Cluster, rows: Asked, moments: Sequence[int]) -> Iterator[Row]:
    """A leader finds the first record by its time without sending any."""
    logs = {(r["topic"], r["partition"]): AskedPast(r["end"], r["newest"]) for r in rows}
    _go_through(cluster, rows, logs, (FIRST, *moments))
    for p, log in logs.items():
        yield *p, log.pairs, log.first


def _pasts_back(
    cluster: Cluster, rows: Asked, moments: Sequence[int], always: frozenset[int]
) -> Iterator[Row]:
    logs = {
        (r["topic"], r["partition"]):
            AskedBack(r["start"], r["end"], r["newest"], r["reach"], always)
        for r in rows
    }  # fmt: skip
    _go_through(cluster, rows, logs, (*reversed(moments), FIRST))
    for p, log in logs.items():
        yield *p, log.pairs, log.first


def _go_through(
    cluster: Cluster, rows: Asked, logs: Mapping[Partition, AskedLog], moments: Sequence[int]
) -> None:
    """Moment by moment, of the logs alone whose earlier answers do not say it."""
    leaders = _leaders(rows)
    for moment in moments:
        asked = [p for p, log in logs.items() if log.asks(moment)]
        found = offsets_at(cluster, asked, max(0, moment), whole=False, leaders=leaders)
        for p, at in found.items():
            logs[p].told(moment, at.offset, at.timestamp)


def _times(cluster: Cluster, rows: Asked) -> Iterator[Row]:
    wanted = {((r["topic"], r["partition"]), r["offset"]) for r in rows}
    for (p, at), stamp in record_times(cluster, wanted, _leaders(rows)).items():
        yield *p, at, stamp
