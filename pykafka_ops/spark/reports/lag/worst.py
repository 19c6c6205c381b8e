"""Partitions of groups: how many there are, and those that matter most, which is all of them but
where they are many."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.spark.engines import first_rows, functions_of
from pykafka_ops.spark.reports.lag.judge import ROW
from pykafka_ops.spark.reports.lag.totals import place_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_ROWS: Final = 20_000
"""Rows of a section that a report holds."""
_SOONEST: Final = 100
"""Partitions that are shown in any case, since what nobody has read there goes first."""
_NAMES: Final = [("group", "ascending"), ("topic", "ascending"), ("partition", "ascending")]
_WORST: Final = [("_grave", "descending"), ("_lag", "descending"), *_NAMES]


class PartitionTotals(NamedTuple):
    """``loss``: seconds until the first loss, None where there is none, or none is known;
    ``unknown_losses``: partitions of which nobody knows."""

    partitions: int = 0
    loss: float | None = None
    unknown_losses: int = 0


NOTHING: Final = PartitionTotals()


def partition_totals(rows: DataFrame) -> PartitionTotals:
    """Sums over a frame of ROW."""
    f = functions_of(rows)
    loss = f.col("loss_in_seconds")
    sums = rows.groupBy(f.lit(True).alias("every")).agg(
        f.count("*").alias("partitions"),
        f.min(loss).alias("loss"),
        f.sum(loss.isNull().cast("bigint")).alias("unknown"),
    )
    (row,) = sums.toArrow().to_pylist() or [{"partitions": 0, "loss": None, "unknown": 0}]
    first = None if row["loss"] == inf else row["loss"]
    return PartitionTotals(row["partitions"], first, row["unknown"] or 0)


def worst_first(rows: DataFrame, count: int) -> pa.Table:
    """ROW by severest verdict, then largest lag, then by name; of more than MOST_ROWS the first,
    and those that retention takes first from."""
    f = functions_of(rows)
    frame = rows.select(
        *ROW.names,
        place_of(f, STATUSES).alias("_grave"),
        f.coalesce("lag", f.lit(-1)).alias("_lag"),
    )
    found = first_rows(frame, _WORST, MOST_ROWS)
    if count > MOST_ROWS:
        at_risk = frame.where(f.col("loss_in_seconds").isNotNull() & (f.col("_lag") > 0))
        soonest = first_rows(at_risk, [("loss_in_seconds", "ascending"), *_NAMES], _SOONEST)
        both = pa.concat_tables([found, soonest.cast(found.schema)])
        found = both.group_by(both.column_names, use_threads=False).aggregate([]).sort_by(_WORST)
    return found.select(ROW.names)
