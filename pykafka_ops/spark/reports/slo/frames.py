"""Commits and ends of logs to how each group was in each topic at some moments, in executors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.analysis.freshness import BURNS, FreshnessRules, budget, states
from pykafka_ops.analysis.kept_days import by_day
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import ArrowTask, functions_of, in_arrow
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.pieces import PLACE
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KEY: Final = ("group", "topic", "partition")
_PLACED: Final = columns(
    "group string, topic string, partition int, place bigint, offset bigint, log_offset bigint"
)
_STATES: Final = columns("group string, topic string, partition int, states longs")
BUDGETS: Final = columns(
    "group string, topic string, partitions bigint, fresh bigint, late bigint, unknown bigint,"
    "share double, left double, burn_1h double, burn_6h double, burn_3d double, status string,"
    "days days",
    days=array_of(columns("day bigint, fresh bigint, late bigint, unknown bigint")),
)
"""The fields of ``analysis.freshness.ErrorBudget``, and the same day by day."""
GONE: Final = -1


def budgets(
    inputs: Inputs, commits: DataFrame, moments: Sequence[int], rules: FreshnessRules
) -> DataFrame:
    """BUDGETS of every group in every topic."""
    f = functions_of(commits)
    placed = in_arrow(
        commits.select(*KEY, "offset", f.unix_millis("commit_timestamp").alias("at"), "log_offset"),
        _placing(moments),
        _PLACED,
    )
    last = placed.groupBy(*KEY, "place").agg(f.max_by("offset", "log_offset").alias("offset"))
    found = last.groupBy(*KEY).agg(f.collect_list(f.struct("place", "offset")).alias("commits"))
    found = _with_ends(inputs, found, [moment - rules.limit_ms for moment in moments])
    times = list(moments)

    def state(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        pairs = sorted((c["place"], c["offset"]) for c in row["commits"])
        ends = dict(row["ends"] or ())
        held = [(place, None if offset == GONE else offset) for place, offset in pairs]
        bounds = row["start"], row["end"]
        yield {name: row[name] for name in KEY} | {
            "states": states(held, ends, bounds, times, rules.limit_ms)
        }

    each = map_rows(found, state, _STATES)
    together = each.groupBy("group", "topic").agg(
        f.collect_list(f.struct("partition", "states")).alias("states")
    )

    def total(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        worst = [max(column) for column in zip(*(s["states"] for s in row["states"]), strict=True)]
        said = budget(worst, times, rules.objective)
        names = ("burn_1h", "burn_6h", "burn_3d")[: len(BURNS)]
        yield {
            "group": row["group"],
            "topic": row["topic"],
            "partitions": len(row["states"]),
            **{name: getattr(said, name) for name in ("fresh", "late", "unknown", "share", "left")},
            **dict(zip(names, said.burns, strict=True)),
            "status": said.status,
            "days": [
                {"day": day, **spans._asdict()} for day, spans in by_day(worst, times).items()
            ],
        }

    return map_rows(together, total, BUDGETS, at_once=1)


def _placing(moments: Sequence[int]) -> ArrowTask:
    """What a task does with commits: each with the number of the first moment from its time on;
    those after the last moment are left out."""
    borders = np.array(moments, np.int64)

    def place(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            times = batch.column("at").fill_null(-1).to_numpy(zero_copy_only=False)
            places = np.searchsorted(borders, times)
            keep = pa.array((times >= 0) & (places < len(borders)))
            arrays = [batch.column(name) for name in KEY]
            offsets = batch.column("offset").fill_null(GONE)
            arrays += [pa.array(places.astype(np.int64)), offsets, batch.column("log_offset")]
            yield pa.RecordBatch.from_arrays(arrays, schema=_PLACED).filter(keep)

    return place


def _with_ends(inputs: Inputs, found: DataFrame, moments: Sequence[int]) -> DataFrame:
    """With the bounds of each log, and where it ended at the moments."""
    f = functions_of(found)
    partitions, ends = inputs.partitions(), inputs.ends(moments)
    if partitions is None:
        none = f.lit(None).cast("bigint")
        found = found.withColumn("start", none).withColumn("end", none)
    else:
        bounds = partitions.select(
            *PLACE, f.col("start_offset").alias("start"), f.col("end_offset").alias("end")
        )
        found = found.join(bounds, list(PLACE), "left")
    if ends is None:
        return found.withColumn("ends", f.lit(None).cast("array<array<bigint>>"))
    return found.join(ends, list(PLACE), "left")
