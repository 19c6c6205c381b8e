"""Everything known of each partition of each group in one frame: FACTS of ``lag_judge``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType

from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.lag_fold import KEY, PARTS, parts
from pykafka_ops.spark.reports.lag_judge import FACTS
from pykafka_ops.spark.reports.lag_span import Span

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

    from pykafka_ops.spark.reports.lag_checkpoints import Jobs

PLACE = ("topic", "partition")
UNKNOWN_STATE = "Unknown"
JOB_STATE = "Spark"
"""State of a group that is a job with a checkpoint."""
SETTINGS = {
    "cleanup_policy": "cleanup.policy",
    "retention_ms": "retention.ms",
    "retention_bytes": "retention.bytes",
}


def facts(inputs: Inputs, span: Span, jobs: Jobs, ends: DataFrame | None) -> DataFrame | None:
    """FACTS of all groups, None where no offsets are known; ``ends`` as ``logs`` gives it."""
    pairs = _pairs(inputs, jobs)
    if pairs is None:
        return None
    history = _union(inputs.commits(), jobs.commits(inputs.spark))
    if history is None:
        folded = inputs.spark.createDataFrame([], PARTS).select(
            *KEY, f.array(f.struct(*PARTS.names[3:])).alias("parts")
        )
    else:
        folded = parts(history, span.borders)
    found = pairs.join(folded, list(KEY), "full")
    found = _with_states(inputs, jobs, found)
    if ends is not None:
        found = found.join(ends, list(PLACE), "left")
    times = inputs.times()
    if times is not None:
        stamps = times.groupBy(*PLACE, f.col("offset").alias("committed")).agg(
            f.min(f.unix_millis("timestamp")).alias("next_timestamp")
        )
        found = found.join(stamps, [*PLACE, "committed"], "left")
    found = found.withColumn("listed", f.coalesce("listed", f.lit(False)))
    return _complete(found)


def _complete(frame: DataFrame) -> DataFrame:
    """The columns of FACTS, null where the frame has none; a setting that is no number is none."""
    there = set(frame.columns)

    def one(field: StructField) -> Column:
        if field.name not in there:
            return f.lit(None).cast(field.dataType).alias(field.name)
        if isinstance(field.dataType, ArrayType):  # no cast to elements that are never null
            return f.col(field.name)
        return f.col(field.name).try_cast(field.dataType).alias(field.name)

    return frame.select(*map(one, FACTS))


def _union(first: DataFrame | None, second: DataFrame | None) -> DataFrame | None:
    if first is None or second is None:
        return first if second is None else second
    return first.unionByName(second)


def _pairs(inputs: Inputs, jobs: Jobs) -> DataFrame | None:
    """Partitions that are committed or assigned: KEY, committed, client_id, listed."""
    committed = _union(inputs.committed(), jobs.committed(inputs.spark))
    if committed is None:
        return None
    found = committed.where("offset >= 0").groupBy(*KEY).agg(f.max("offset").alias("committed"))
    groups = inputs.groups()
    if groups is None:
        found = found.withColumn("client_id", f.lit(None).cast("string"))
    else:
        assigned = (
            groups.where("topic is not null")
            .groupBy(*KEY)
            .agg(f.min("client_id").alias("client_id"))
        )
        found = found.join(assigned, list(KEY), "full")
    return found.withColumn("listed", f.lit(True))


def _with_states(inputs: Inputs, jobs: Jobs, found: DataFrame) -> DataFrame:
    """With the state of each group, and whether its readers are known."""
    groups = inputs.groups()
    if groups is None:
        found = found.withColumn("state", f.lit(None).cast("string"))
    else:
        states = groups.groupBy("group").agg(f.max("state").alias("state"))
        found = found.join(states, ["group"], "left")
    found = found.withColumn("readers_known", f.col("state").isNotNull())
    names = [job.name for job in jobs.found]
    state = f.when(f.col("group").isin(names), JOB_STATE) if names else f.lit(None)
    return found.withColumn("state", f.coalesce("state", state, f.lit(UNKNOWN_STATE)))


def logs(inputs: Inputs, span: Span) -> DataFrame | None:
    """What is known of each partition, whoever reads it: PLACE, start, end, newest (ms), ends
    (pairs of a time and an offset, by time), bytes, and the SETTINGS of its topic."""
    partitions = inputs.partitions()
    if partitions is None:
        return None
    found = partitions.select(
        *PLACE,
        f.col("start_offset").alias("start"),
        f.col("end_offset").alias("end"),
        f.coalesce(f.unix_millis("max_timestamp"), f.lit(span.now)).alias("newest"),
    )
    ends = inputs.ends(span.asked)
    if ends is None:
        found = found.withColumn("ends", f.lit(None).cast("array<array<bigint>>"))
    else:
        known = ends.where("offset >= 0").groupBy(*PLACE)
        pair = f.array(f.unix_millis("at"), f.col("offset"))
        found = found.join(known.agg(f.sort_array(f.collect_set(pair)).alias("ends")),
                           list(PLACE), "left")  # fmt: skip
    return _with_settings(inputs, _with_sizes(inputs, found))


def _with_sizes(inputs: Inputs, found: DataFrame) -> DataFrame:
    """With the bytes of the largest replica of each partition."""
    dirs = inputs.log_dirs()
    if dirs is None:
        return found.withColumn("bytes", f.lit(None).cast("bigint"))
    sizes = dirs.where("topic is not null and not coalesce(future, false)").groupBy(*PLACE)
    return found.join(sizes.agg(f.max("size").alias("bytes")), list(PLACE), "left")


def _with_settings(inputs: Inputs, found: DataFrame) -> DataFrame:
    configs = inputs.configs()
    if configs is None:
        for name in SETTINGS:
            found = found.withColumn(name, f.lit(None).cast("string"))
        return found
    values = [
        f.max(f.when(f.col("name") == setting, f.col("value"))).alias(name)
        for name, setting in SETTINGS.items()
    ]
    kept = configs.where(f.col("name").isin(list(SETTINGS.values())))
    return found.join(kept.groupBy("topic").agg(*values), ["topic"], "left")
