"""All that retention of a partition depends on in one row: its segments by age, who still has to
read what, how far the cleaner got. Batches are folded in executors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.damage import damaged_place
from pykafka_ops.spark.reports.lag.checkpoints import Jobs
from pykafka_ops.spark.reports.lag.frames import facts, logs
from pykafka_ops.spark.reports.lag.judge import judged
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.schemas import columns

HOUR: Final = UNITS["h"]
#: Borders of the age classes of bytes, in hours; below the first: timestamps in the future.
EDGES: Final = (0, 1, 6, 24, 72, 168, 336, 720, 2160, 8760)
#: Hours that are counted one by one.
FINE: Final = 168
#: Where a cluster alone is asked where its logs ended: hours before now.
ASKED: Final = (1, 6, 12, 18, 24, 48, 72, 96, 120, 144, 168, 336, 720, 2160, 8760)
PLACE: Final = ("topic", "partition")

PIECE: Final = columns(
    "segment string, age int, base bigint, last bigint, bytes bigint, records bigint,"
    "first bigint, newest bigint, old bigint, damage string"
)
"""Part of a segment with one age: hours (-1: in the future; from FINE on the first hour of the
EDGES it is between; null: no time). ``old`` bytes are beyond ``retention.ms``. With ``damage`` it
says where and what cannot be read, ``bytes`` are those given up."""
BITS: Final = t.StructType(
    [*columns("topic string, partition int, broker int, log_dir string"), *PIECE]
)
READER: Final = columns(
    "group string, committed bigint, end bigint, rate_in double, rate_out double"
)
"""A group that has not read all of a partition; records per second."""


def bits(batches: DataFrame, now: int, cutoffs: DataFrame) -> DataFrame:
    """BITS of a frame with BATCHES' columns; ``cutoffs`` are topics with the ms before which their
    time limit lets nothing stay."""
    newest = f.unix_millis("max_timestamp")
    keyed = batches.join(f.broadcast(cutoffs), ["topic"], "left").select(
        *PLACE, "broker", "log_dir", "segment", "base_offset", "last_offset", "size", "cutoff",
        _age(now).alias("age"),
        f.when(f.col("control"), 0).otherwise(f.col("records")).alias("records"),
        f.unix_millis("first_timestamp").alias("first"),
        newest.alias("newest"),
        damaged_place().alias("damage"),
    )  # fmt: skip
    return keyed.groupBy(*PLACE, "broker", "log_dir", "segment", "age", "damage").agg(
        f.min("base_offset").alias("base"),
        f.max("last_offset").alias("last"),
        f.sum("size").cast("long").alias("bytes"),
        f.sum("records").cast("long").alias("records"),
        f.min("first").alias("first"),
        f.max("newest").alias("newest"),
        f.sum(f.when(f.col("newest") < f.col("cutoff"), f.col("size")).otherwise(0))
        .cast("long")
        .alias("old"),
    ).select(*BITS.names)  # fmt: skip


def _age(now: int) -> Any:
    """``age`` of PIECE."""
    behind = f.lit(now) - f.unix_millis("max_timestamp")
    hours = f.floor(behind / HOUR).cast("int")
    found = f.when(behind < 0, -1).when(hours < FINE, hours)
    coarse = [edge for edge in EDGES if edge >= FINE]
    for edge, after in pairwise(coarse):
        found = found.when(hours < after, edge)
    return found.when(hours.isNotNull(), coarse[-1])


def bits_of_cluster(inputs: Inputs, cutoffs: DataFrame) -> DataFrame | None:
    """BITS where no batch can be read: stretches of the logs between the moments of ASKED, with
    bytes in proportion to their offsets; None where nothing is known."""
    partitions, dirs = inputs.partitions(), inputs.log_dirs()
    if partitions is None or dirs is None:
        return None
    sizes = dirs.where("topic is not null and not coalesce(future, false)").groupBy(*PLACE)
    found = partitions.select(
        *PLACE, f.col("start_offset").alias("start"), f.col("end_offset").alias("end"),
        f.unix_millis("max_timestamp").alias("newest"),
    ).join(sizes.agg(f.max("size").alias("bytes")), list(PLACE), "left")  # fmt: skip
    ends = inputs.ends([inputs.now - HOUR * hours for hours in reversed(ASKED)])
    if ends is None:
        found = found.withColumn("ends", f.lit(None).cast("array<struct<at:bigint,offset:bigint>>"))
    else:
        pair = f.struct(f.unix_millis("at").alias("at"), "offset")
        lists = ends.where("offset >= 0").groupBy(*PLACE).agg(f.collect_set(pair).alias("ends"))
        found = found.join(lists, list(PLACE), "left")
    found = found.join(f.broadcast(cutoffs), ["topic"], "left")
    return map_rows(found, partial(slices, now=inputs.now), BITS)


def slices(row: Mapping[str, Any], now: int) -> Iterator[dict[str, Any]]:
    """The stretches of one log: topic, partition, start, end, bytes, newest (ms), cutoff (ms), and
    ``ends`` with ``at`` and ``offset``."""
    start, end, size = row["start"] or 0, row["end"] or 0, row["bytes"] or 0
    if end <= start:
        return
    newest = min(now, row["newest"]) if row["newest"] is not None else now
    borders = sorted((e["at"], e["offset"]) for e in row["ends"] or ())
    before, since = start, None
    for at, offset in [*((at, min(o, end)) for at, o in borders if at < newest), (newest, end)]:
        if offset <= before:
            since = at
            continue
        hours = (now - at) // HOUR
        held = size * (offset - start) // (end - start) - size * (before - start) // (end - start)
        limit = row["cutoff"]
        yield {
            "topic": row["topic"],
            "partition": row["partition"],
            "segment": f"{before:020d}.log",
            "age": hours if hours < FINE else max(e for e in EDGES if e <= hours),
            "base": before,
            "last": offset - 1,
            "bytes": held,
            "records": offset - before,
            "first": at if since is None else since,
            "newest": at,
            "old": held if limit is not None and at < limit else 0,
        }
        before, since = offset, at


def states(inputs: Inputs, pieces: DataFrame, readers: DataFrame | None) -> DataFrame:
    """A row per partition: PLACE, ``pieces``, ``readers``, ``cleaned`` (offset), ``start``."""
    found = pieces.groupBy(*PLACE).agg(
        f.collect_list(f.struct(*PIECE.names)).alias("pieces"),
        f.max("broker").alias("broker"),
        f.max("log_dir").alias("log_dir"),
    )
    partitions = inputs.partitions()
    if partitions is None:
        found = found.withColumn("start", f.lit(None).cast("bigint"))
    else:
        starts = partitions.select(*PLACE, f.col("start_offset").alias("start"))
        found = found.join(starts, list(PLACE), "full")
    if readers is None:
        found = found.withColumn("readers", f.array().cast(t.ArrayType(READER)))
    else:
        lists = readers.groupBy(*PLACE).agg(
            f.collect_list(f.struct(*READER.names)).alias("readers")
        )
        found = found.join(lists, list(PLACE), "left")
    cleaned = inputs.cleaned()
    if cleaned is None:
        return found.withColumn("cleaned", f.lit(None).cast("bigint"))
    marks = cleaned.select(
        *(f.col(name).alias(f"at_{name}") for name in (*PLACE, "broker", "log_dir")),
        f.col("offset").alias("cleaned"),
    )
    same = [f.col(f"at_{name}").eqNullSafe(found[name])
            for name in (*PLACE, "broker", "log_dir")]  # fmt: skip
    joined = found.join(marks, same[0] & same[1] & same[2] & same[3], "left")
    return joined.select(*PLACE, "pieces", "readers", "cleaned", "start")


def readers(inputs: Inputs, window: int | None) -> DataFrame | None:
    """PLACE and READER of the groups that have not read all, with the figures of the lag report;
    None where no offsets are known."""
    span = ReportSpan.of(inputs.now, inputs.since, inputs.until, window)
    known = facts(inputs, span, Jobs(), logs(inputs, span))
    if known is None:
        return None
    return (
        judged(known, span)
        .where("listed and lag > 0")
        .select(
            *PLACE,
            "group",
            f.col("current_offset").alias("committed"),
            f.col("log_end_offset").alias("end"),
            "rate_in",
            "rate_out",
        )
    )


def cutoffs(inputs: Inputs, limits: Sequence[tuple[str, int]]) -> DataFrame:
    """``cutoff`` (ms) of the topics that have a time limit (ms)."""
    rows = [(topic, inputs.now - limit) for topic, limit in limits]
    return inputs.spark.createDataFrame(rows, columns("topic string, cutoff bigint"))
