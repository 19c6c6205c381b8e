"""Sums of judged rows: by group, by topic, and by group over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from pykafka_ops.analysis.commits.burrow import ORDER
from pykafka_ops.analysis.commits.fold import rank
from pykafka_ops.analysis.lag import rows as rules
from pykafka_ops.spark.arrow_map import map_arrow
from pykafka_ops.spark.reports.lag.judge import ROW
from pykafka_ops.spark.reports.lag.span import ReportSpan

if TYPE_CHECKING:
    import pyarrow as pa

GROUP: Final = t.StructType(
    [
        t.StructField("group", t.StringType()),
        t.StructField("state", t.StringType()),
        t.StructField("partitions", t.LongType()),
        t.StructField("lag", t.LongType()),
        t.StructField("max_lag", t.LongType()),
        t.StructField("lag_seconds", t.DoubleType()),
        t.StructField("rate_in", t.DoubleType()),
        t.StructField("rate_out", t.DoubleType()),
        t.StructField("catch_up_seconds", t.DoubleType()),
        t.StructField("lead", t.LongType()),
        t.StructField("status", t.StringType()),
        t.StructField("since", t.LongType()),
        t.StructField("last_commit", t.LongType()),
    ]
)
"""The fields of ``analysis.lag.rows.GroupLag``; when the verdict began; the last commit."""
_LAG_ROW: Final = rules.LagRow.__slots__
_PARTS: Final = [x for x in ROW.names if x in _LAG_ROW and x not in ("group", "client_id")]


def by_group(rows: DataFrame) -> DataFrame:
    """GROUP of a frame of ROW."""
    gathered = rows.groupBy("group").agg(
        f.collect_list(f.struct(*_PARTS)).alias("rows"), f.max("last_commit").alias("last_commit")
    )
    return map_arrow(gathered, _add_up, GROUP)


def _add_up(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    from pykafka_ops.spark.schemas import arrow

    schema = arrow(GROUP)
    for batch in batches:
        made: list[list[object]] = []
        for place in range(batch.num_rows):  # one group after the other: some are large
            group, found, last = (column[place].as_py() for column in batch.columns)
            found.sort(key=lambda r: (r["topic"], r["partition"]))
            rows = [rules.LagRow(group=group, client_id=None, **r) for r in found]
            (total,) = rules.by_group(rows)
            values = [getattr(total, name) for name in GROUP.names[:-2]]
            made.append([*values, _since(rows, total.status), last])
        arrays = [pa.array([row[i] for row in made], field.type) for i, field in enumerate(schema)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _since(rows: Sequence[rules.LagRow], status: str) -> int | None:
    """When the first of the partitions with the group's verdict came to it."""
    return min((r.since for r in rows if r.status == status and r.since is not None), default=None)


def by_topic(rows: DataFrame, logs: DataFrame | None, span: ReportSpan) -> DataFrame:
    """topic, groups, partitions, lag, max_lag; all (partitions), records and rate_in of its logs.

    Topics without a group are there, too, with null groups, where ``logs`` are known.
    """
    read = rows.groupBy("topic").agg(
        f.countDistinct("group").alias("groups"),
        f.countDistinct("partition").alias("partitions"),
        f.sum("lag").alias("lag"),
        f.max("lag").alias("max_lag"),
    )
    if logs is None:
        none = f.lit(None)
        return read.select("*", none.cast("bigint").alias("all"),
                           none.cast("bigint").alias("records"),
                           none.cast("double").alias("rate_in"))  # fmt: skip
    begin = f.lit(span.now - span.window)
    first = f.try_element_at(
        f.filter("ends", lambda pair: (pair[0] >= begin) & (pair[0] < span.now)), f.lit(1)
    )
    rate = (f.col("end") - first[1]) * 1000 / (span.now - first[0])
    totals = (
        logs.withColumn("rate", rate)
        .groupBy("topic")
        .agg(
            f.count("*").alias("all"),
            f.sum(f.col("end") - f.col("start")).alias("records"),
            f.round(f.sum("rate"), 3).alias("rate_in"),
        )
    )
    return read.join(totals, ["topic"], "full")


def over_time(rows: DataFrame, span: ReportSpan) -> DataFrame:
    """group, start, end, commits, moved, lag, status of each bucket, as
    ``analysis.commits.history.buckets`` has them."""
    each = rows.where("size(commits) > 0").select(
        "group",
        f.posexplode(f.arrays_zip("commits", "moved", "lags", "ranks")).alias("place", "of"),
    )
    sums = each.groupBy("group", "place").agg(
        f.sum("of.commits").alias("commits"),
        f.sum("of.moved").alias("moved"),
        f.sum("of.lags").alias("lag"),
        f.max("of.ranks").alias("rank"),
    )
    times = f.array(*[f.lit(time) for time in span.times])
    status: Any = f.lit(None).cast("string")
    for name in ORDER:
        status = f.when(f.col("rank").eqNullSafe(f.lit(rank(name))), name).otherwise(status)
    return sums.select(
        "group",
        f.element_at(times, f.col("place") + 1).alias("start"),
        f.element_at(times, f.col("place") + 2).alias("end"),
        "commits",
        "moved",
        "lag",
        status.alias("status"),
    )
