"""Sums of judged rows: by group, by topic, and by group over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.analysis.commits.burrow import ORDER
from pykafka_ops.analysis.commits.fold import rank
from pykafka_ops.analysis.lag import rows as rules
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import ArrowTask, functions_of, in_arrow
from pykafka_ops.spark.reports.lag.judge import ROW
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.schemas import Row, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GROUP: Final = columns(
    "group string, state string, partitions bigint, unknown_partitions bigint, lag bigint,"
    "max_lag bigint, lag_seconds double, rate_in double, rate_out double,"
    "catch_up_seconds double, lead bigint, status string,"
    "since bigint, last_commit bigint"
)
"""The fields of ``analysis.lag.rows.GroupLag``; when the verdict began; the last commit."""
_TOTALS: Final = columns("topic string, records bigint, rate double")
"""Of a log: how many records it has, and records per second that are written to it."""
_BUCKET: Final = columns(
    "group string, place bigint, commits bigint, moved bigint, lag bigint, rank bigint"
)
"""Of a partition of a group in one bucket of time: the fields of JUDGED."""
_LAG_ROW: Final = rules.LagRow.__slots__
_PARTS: Final = [x for x in ROW.names if x in _LAG_ROW and x not in ("group", "client_id")]


def by_group(rows: DataFrame) -> DataFrame:
    """GROUP of a frame of ROW."""
    f = functions_of(rows)
    gathered = rows.groupBy("group").agg(
        f.collect_list(f.struct(*_PARTS)).alias("rows"), f.max("last_commit").alias("last_commit")
    )
    return map_rows(gathered, _add_up, GROUP, at_once=1)  # some groups are large


def _add_up(gathered: Mapping[str, Any]) -> Iterator[Row]:
    found = sorted(gathered["rows"], key=lambda r: (r["topic"], r["partition"]))
    rows = [rules.LagRow(group=gathered["group"], client_id=None, **r) for r in found]
    (total,) = rules.by_group(rows)
    values = [getattr(total, name) for name in GROUP.names[:-2]]
    yield *values, _since(rows, total.status), gathered["last_commit"]


def _since(rows: Sequence[rules.LagRow], status: str) -> int | None:
    """When the first of the partitions with the group's verdict came to it."""
    return min((r.since for r in rows if r.status == status and r.since is not None), default=None)


def by_topic(rows: DataFrame, logs: DataFrame | None, span: ReportSpan) -> DataFrame:
    """topic, groups, partitions, unknown_partitions, lag, max_lag, and the rank of the worst
    verdict; all (partitions), records and rate_in of its logs.

    Topics without a group are there, too, with null groups, where ``logs`` are known.
    """
    f = functions_of(rows)
    read = rows.groupBy("topic").agg(
        f.countDistinct("group").alias("groups"),
        f.countDistinct("partition").alias("partitions"),
        f.sum(f.col("lag").isNull().cast("bigint")).alias("unknown_partitions"),
        f.sum("lag").alias("lag"),
        f.max("lag").alias("max_lag"),
        f.max(place_of(f, rules.STATUSES)).alias("rank"),
    )
    if logs is None:
        none = f.lit(None)
        return read.select("*", none.cast("bigint").alias("all"),
                           none.cast("bigint").alias("records"),
                           none.cast("double").alias("rate_in"))  # fmt: skip
    totals = (
        in_arrow(logs.select("topic", "start", "end", "ends"), rating(span), _TOTALS)
        .groupBy("topic")
        .agg(
            f.count("*").alias("all"),
            f.sum("records").alias("records"),
            f.round(f.sum("rate"), 3).alias("rate_in"),
        )
    )
    return read.join(totals, ["topic"], "full")


def place_of(f: Any, statuses: Sequence[str]) -> Any:
    """The place of the verdict among some, from 1 on."""
    found: Any = f.lit(0)
    for place, name in enumerate(statuses, 1):
        found = f.when(f.col("status") == name, place).otherwise(found)
    return found


def rating(span: ReportSpan) -> ArrowTask:
    """What a task does with batches of ``logs``: TOTALS, where the rate is that since the first
    moment of the window at which the end of the log is known."""

    def rate(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            ends, starts = batch.column("ends"), batch.column("end")
            rows = pc.list_parent_indices(ends).to_numpy(zero_copy_only=False)
            pairs = pc.list_flatten(pc.list_flatten(ends)).to_numpy(zero_copy_only=False)
            times, offsets = pairs.reshape(-1, 2).T
            inside = np.flatnonzero((times >= span.now - span.window) & (times < span.now))
            found, first = np.unique(rows[inside], return_index=True)
            at = np.full((2, batch.num_rows), -1, np.int64)
            at[:, found] = times[inside[first]], offsets[inside[first]]
            known = at[0] >= 0
            now = pa.array(at[1], mask=~known)
            moved = pc.multiply(pc.subtract(starts, now), 1000).cast(pa.float64())
            over = pa.array(np.where(known, span.now - at[0], 1).astype(np.float64))
            records = pc.subtract(starts, batch.column("start"))
            arrays = [batch.column("topic"), records, pc.divide(moved, over)]
            yield pa.RecordBatch.from_arrays(arrays, schema=_TOTALS)

    return rate


def buckets(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does with batches of JUDGED: a row per bucket of time."""
    for batch in batches:
        lists = [batch.column(name) for name in ("commits", "moved", "lags", "ranks")]
        lengths = pc.fill_null(pc.list_value_length(lists[0]), 0).to_numpy(zero_copy_only=False)
        rows = np.repeat(np.arange(batch.num_rows), lengths)
        begins = np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = pa.array(np.arange(len(rows), dtype=np.int64) - begins)
        groups = batch.column("group").take(pa.array(rows))
        arrays = [groups, places, *(pc.list_flatten(values) for values in lists)]
        yield pa.RecordBatch.from_arrays(arrays, schema=_BUCKET)


def over_time(rows: DataFrame, span: ReportSpan) -> DataFrame:
    """group, start, end, commits, moved, lag, status of each bucket, as
    ``analysis.commits.history.buckets`` has them."""
    f = functions_of(rows)
    each = in_arrow(rows.select("group", "commits", "moved", "lags", "ranks"), buckets, _BUCKET)
    sums = each.groupBy("group", "place").agg(
        f.sum("commits").alias("commits"),
        f.sum("moved").alias("moved"),
        f.sum("lag").alias("lag"),
        f.max("rank").alias("rank"),
    )
    status: Any = f.lit(None).cast("string")
    for name in ORDER:
        status = f.when(f.col("rank") == rank(name), name).otherwise(status)
    step = span.times[1] - span.times[0]
    start = f.col("place") * step + span.times[0]
    return sums.select(
        "group",
        start.alias("start"),
        (start + step).alias("end"),
        "commits",
        "moved",
        "lag",
        status.alias("status"),
    )
