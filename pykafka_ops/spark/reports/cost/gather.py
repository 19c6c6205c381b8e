"""Partitions added up to topics, in executors: what comes here grows with topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.cost import CostRules
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.arrow import row_batches, rows_of
from pykafka_ops.spark.engines import ArrowTask, functions_of, in_arrow
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.cost.fold import SUMS, TopicCost
from pykafka_ops.spark.reports.pieces import PLACE, Policies

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_CHUNK: Final = 1000
_DEFAULTS: Final = RetentionPolicy()


def topic_sums(
    inputs: Inputs, figures: DataFrame, policies: Policies, rules: CostRules
) -> list[Mapping[str, Any]]:
    """SUMS of each topic of a frame of FIGURES, by name."""
    found = with_copies(inputs, figures, rules.replication).repartition("topic")
    rows = in_arrow(found, _adding(policies, rules), SUMS).toArrow().to_pylist()
    return sorted(rows, key=lambda row: str(row["topic"]))


def with_copies(inputs: Inputs, figures: DataFrame, asked: int | None) -> DataFrame:
    """FIGURES with ``sizes`` of the replicas that were found, and how many are ``wanted``, as
    ``asked`` or as a cluster tells; null: not known."""
    f, place = functions_of(figures), list(PLACE)
    dirs, partitions = inputs.log_dirs(), inputs.partitions()
    if dirs is None:
        found = figures.withColumn("sizes", f.lit(None).cast("array<bigint>"))
    else:
        is_held = f.col("topic").isNotNull() & ~f.coalesce("future", f.lit(False))
        held = dirs.where(is_held & f.col("size").isNotNull()).groupBy(*place)
        found = figures.join(held.agg(f.collect_list("size").alias("sizes")), place, "left")
    if asked is not None or partitions is None or not inputs.source.get("servers"):
        return found.withColumn("wanted", f.lit(asked).cast("int"))
    count = f.size("replicas")
    wanted = partitions.select(*place, f.when(count > 0, count).alias("wanted"))
    return found.join(wanted, place, "left")


def _adding(policies: Policies, rules: CostRules) -> ArrowTask:
    """What a task does with all partitions of some topics."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        topics: dict[str, TopicCost] = {}
        for row in rows_of(batches, _CHUNK):
            topics.setdefault(row["topic"], TopicCost(row["topic"])).add(row)
        yield from row_batches(SUMS, (one.sums(policy(one.name), rules) for one in topics.values()))

    def policy(topic: str) -> RetentionPolicy:
        known = policies.get(topic)
        return _DEFAULTS if known is None else known[0]

    return task
