"""Everything known of each partition of each group in one frame: FACTS of ``judge``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.lag.fold import KEY, PART, folded, plain
from pykafka_ops.spark.reports.lag.judge import FACTS
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.schemas import sql_type

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from pykafka_ops.spark.reports.lag.checkpoints import Jobs

PLACE = ("topic", "partition")
UNKNOWN_STATE = "Unknown"
JOB_STATE = "Spark"
"""State of a group that is a job with a checkpoint."""
NO_OFFSETS = "neither a cluster nor __consumer_offsets was read"
"""Why groups are not known."""


def facts(
    inputs: Inputs,
    span: ReportSpan,
    jobs: Jobs,
    ends: DataFrame | None,
    leaving: DataFrame | None = None,
) -> DataFrame | None:
    """FACTS of all groups, None where no offsets are known; ``ends`` as ``logs`` gives it,
    ``leaving`` as ``departures``."""
    found = _standing(inputs, span, jobs, ends)
    if found is None:
        return None
    f = functions_of(found)
    if leaving is not None:
        found = found.join(leaving.select(*PLACE, "leaves"), list(PLACE), "left")
    times = inputs.times()
    if times is not None:
        stamps = times.groupBy(*PLACE, f.col("offset").alias("committed")).agg(
            f.min(f.unix_millis("timestamp")).alias("next_timestamp")
        )
        found = found.join(stamps, [*PLACE, "committed"], "left")
    return _complete(found if ends is None else _with_earlier(inputs, span, found))


def recent_facts(inputs: Inputs, span: ReportSpan, jobs: Jobs) -> DataFrame | None:
    """FACTS as far as rates and lags of the window of ``ReportSpan.recent`` need them."""
    found = _standing(inputs, span, jobs, logs(inputs, span))
    return None if found is None else _complete(found)


def _standing(
    inputs: Inputs, span: ReportSpan, jobs: Jobs, ends: DataFrame | None
) -> DataFrame | None:
    """What groups say of their partitions, and what is known of these whoever reads them."""
    found = _pairs(inputs, span, jobs)
    if found is None:
        return None
    found = _with_states(inputs, jobs, found)
    return found if ends is None else found.join(ends, list(PLACE), "left")


def in_force(inputs: Inputs, jobs: Jobs) -> DataFrame | None:
    """PLACE and the ``offset`` that each group would go on from; None where no offsets are
    known."""
    committed = _union(inputs.committed(), jobs.committed(inputs.spark))
    if committed is None:
        return None
    f = functions_of(committed)
    return committed.where(f.col("offset") >= 0).select(*PLACE, "offset")


def _with_earlier(inputs: Inputs, span: ReportSpan, found: DataFrame) -> DataFrame:
    """With ``earlier``: where logs ended at the other moments of the span, as far back as commits
    go. Where the record at a committed offset gave no time, all of them: they estimate it."""
    f, known = functions_of(found), span.samples[0]
    asked = [t for t in span.asked if t != known]
    if not asked:
        return found
    for name in ("since", "next_timestamp"):
        if name not in found.columns:
            found = found.withColumn(name, f.lit(None).cast("bigint"))
    found = inputs.keep(("standing", span), lambda: found)
    is_inside = (f.col("start") <= f.col("committed")) & (f.col("committed") < f.col("end"))
    is_untimed = is_inside & f.col("next_timestamp").isNull()
    after = [t for t in asked if t > known]
    first = f.col("since")
    if after:  # from the moment that is known on they need no earlier one
        is_later = (first >= known) & (first < after[0])
        first = f.when(is_later, f.lit(after[0])).otherwise(first)
    since = f.when(is_untimed, f.lit(asked[0])).otherwise(first).alias("since")
    some = found.select(*PLACE, since).where(f.col("since").isNotNull())
    earlier = inputs.ends(asked, some.groupBy(*PLACE).agg(f.min("since").alias("since")))
    if earlier is None:
        return found
    return found.join(earlier.select(*PLACE, f.col("ends").alias("earlier")), list(PLACE), "left")


def _complete(frame: DataFrame) -> DataFrame:
    """The columns of FACTS, null where the frame has none; a setting that is no number is none."""
    f, there = functions_of(frame), set(frame.columns)

    def one(field: pa.Field) -> Any:
        if field.name not in there:
            return f.lit(None).cast(sql_type(field.type)).alias(field.name)
        if pa.types.is_list(field.type):  # no cast to elements that are never null
            return f.col(field.name)
        return f.col(field.name).try_cast(sql_type(field.type)).alias(field.name)

    return frame.select(*map(one, FACTS))


def _union(first: DataFrame | None, second: DataFrame | None) -> DataFrame | None:
    if first is None or second is None:
        return first if second is None else second
    return first.unionByName(second)


def _pairs(inputs: Inputs, span: ReportSpan, jobs: Jobs) -> DataFrame | None:
    """KEY, committed, client_id, parts, since (ms, their first commit) and listed (committed or
    assigned now) in one row.

    Rows of every kind under each other and grouped once: cheaper than to join them.
    """
    committed = _union(inputs.committed(), jobs.committed(inputs.spark))
    if committed is None:
        return None
    f = functions_of(committed)
    listed = f.lit(True).alias("listed")
    in_force = committed.where(f.col("offset") >= 0)
    rows = [in_force.select(*KEY, f.col("offset").alias("committed"), listed)]
    groups = inputs.groups()
    if groups is not None:
        rows.append(groups.where(f.col("topic").isNotNull()).select(*KEY, "client_id", listed))
    history = _union(inputs.commits(), jobs.commits(inputs.spark))
    if history is not None:
        folded_rows = folded(plain(history), span.borders)
        part = f.struct(*PART.names).alias("part")
        rows.append(folded_rows.select(*KEY, part, f.array_min("times").alias("since")))
    known = {
        "committed": f.max("committed"),
        "client_id": f.min("client_id"),
        "listed": f.coalesce(f.max("listed"), f.lit(False)),
        "part": f.collect_list("part"),
        "since": f.min("since"),
    }
    return _grouped(rows, KEY, known).withColumnRenamed("part", "parts")


def _grouped(
    rows: Sequence[DataFrame], key: Sequence[str], known: Mapping[str, Column]
) -> DataFrame:
    """A row per key: each of ``known`` columns over those of the frames that have it."""
    every = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), rows)
    there = [(name, column) for name, column in known.items() if name in every.columns]
    return every.groupBy(*key).agg(*(column.alias(name) for name, column in there))


def _with_states(inputs: Inputs, jobs: Jobs, found: DataFrame) -> DataFrame:
    """With the state of each group, and whether its readers are known."""
    f, groups = functions_of(found), inputs.groups()
    if groups is None:
        found = found.withColumn("state", f.lit(None).cast("string"))
    else:
        states = groups.groupBy("group").agg(f.max("state").alias("state"))
        found = found.join(states, ["group"], "left")
    found = found.withColumn("readers_known", f.col("state").isNotNull())
    names = [job.name for job in jobs.found]
    state = f.when(f.col("group").isin(names), JOB_STATE) if names else f.lit(None)
    return found.withColumn("state", f.coalesce("state", state, f.lit(UNKNOWN_STATE)))


def logs(inputs: Inputs, span: ReportSpan) -> DataFrame | None:
    """What is known of each partition, whoever reads it: PLACE, start, end, newest (ms), and ends
    (pairs of a time and an offset) at the begin of the window."""
    partitions = inputs.partitions()
    if partitions is None:
        return None
    f = functions_of(partitions)
    found = partitions.select(
        *PLACE,
        f.col("start_offset").alias("start"),
        f.col("end_offset").alias("end"),
        f.coalesce(f.unix_millis("max_timestamp"), f.lit(span.now)).alias("newest"),
    )
    ends = inputs.ends(span.samples[:1])
    if ends is None:
        return found.withColumn("ends", f.lit(None).cast("array<array<bigint>>"))
    return found.join(ends, list(PLACE), "left")
