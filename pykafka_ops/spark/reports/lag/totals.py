"""Sums of judged rows: by group, by topic, and by group over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from pykafka_ops.analysis.commits.burrow import ORDER
from pykafka_ops.analysis.commits.fold import rank
from pykafka_ops.analysis.lag import rows as rules
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.reports.lag.judge import ROW
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.schemas import Row, columns

GROUP: Final = columns(
    "group string, state string, partitions bigint, unknown_partitions bigint, lag bigint,"
    "max_lag bigint, lag_seconds double, rate_in double, rate_out double,"
    "catch_up_seconds double, lead bigint, status string,"
    "since bigint, last_commit bigint"
)
"""The fields of ``analysis.lag.rows.GroupLag``; when the verdict began; the last commit."""
_LAG_ROW: Final = rules.LagRow.__slots__
_PARTS: Final = [x for x in ROW.names if x in _LAG_ROW and x not in ("group", "client_id")]


def by_group(rows: DataFrame) -> DataFrame:
    """GROUP of a frame of ROW."""
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
    read = rows.groupBy("topic").agg(
        f.countDistinct("group").alias("groups"),
        f.countDistinct("partition").alias("partitions"),
        f.sum(f.col("lag").isNull().cast("bigint")).alias("unknown_partitions"),
        f.sum("lag").alias("lag"),
        f.max("lag").alias("max_lag"),
        f.max(f.array_position(f.lit(list(rules.STATUSES)), f.col("status"))).alias("rank"),
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
