"""All that retention of a partition depends on in one row: its pieces, who still has to read what,
how far the cleaner got.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.lag.checkpoints import Jobs
from pykafka_ops.spark.reports.lag.frames import recent_facts
from pykafka_ops.spark.reports.lag.judge import judged
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.reports.pieces import PLACE
from pykafka_ops.spark.schemas import array_of, columns, sql_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

READER: Final = columns(
    "group string, committed bigint, end bigint, rate_in double, rate_out double"
)
"""A group that reads a partition; records per second."""


def states(inputs: Inputs, logs: DataFrame, readers: DataFrame | None) -> DataFrame:
    """A row per partition of LOGS (see ``pieces``; or what it has for ``cut``), and of those that
    are known without a log: PLACE, ``pieces``, ``readers``, ``cleaned`` (offset), ``empty``
    (whether its offsets say so)."""
    f, found = functions_of(logs), logs
    partitions = inputs.partitions()
    if partitions is None:
        found = found.withColumn("empty", f.lit(False))
    else:
        is_empty = f.coalesce(f.col("start_offset") >= f.col("end_offset"), f.lit(False))
        found = found.join(partitions.select(*PLACE, is_empty.alias("empty")), list(PLACE), "full")
    if readers is None:
        found = found.withColumn("readers", f.lit(None).cast(sql_type(array_of(READER))))
    else:
        lists = readers.groupBy(*PLACE).agg(
            f.collect_list(f.struct(*READER.names)).alias("readers")
        )
        found = found.join(lists, list(PLACE), "left")
    cleaned = inputs.cleaned()
    if cleaned is None:
        return found.withColumn("cleaned", f.lit(None).cast("bigint"))
    # Files without meta.properties are of no broker: null goes with null.
    at = (f.coalesce("broker", f.lit(-1)).alias("at_broker"),
          f.coalesce("log_dir", f.lit("")).alias("at_dir"))  # fmt: skip
    marks = cleaned.select(*PLACE, *at, f.col("offset").alias("cleaned"))
    joined = found.select("*", *at).join(marks, [*PLACE, "at_broker", "at_dir"], "left")
    return joined.select(*PLACE, "pieces", "readers", "cleaned", "empty")


def readers(
    inputs: Inputs, window: int | None, jobs: Jobs | None = None, *, behind: bool = True
) -> DataFrame | None:
    """PLACE and READER of the groups (``behind``: only those that have not read all), with the
    figures of the lag report; None where no offsets are known. ``jobs`` count as groups."""
    span = ReportSpan.recent(inputs.now, window)
    known = recent_facts(inputs, span, jobs or Jobs())
    if known is None:
        return None
    f = functions_of(known)
    wanted = f.col("listed") & (f.col("lag") > 0) if behind else f.col("listed")
    return (
        judged(known, span)
        .where(wanted)
        .select(
            *PLACE,
            "group",
            f.col("current_offset").alias("committed"),
            f.col("log_end_offset").alias("end"),
            "rate_in",
            "rate_out",
        )
    )
