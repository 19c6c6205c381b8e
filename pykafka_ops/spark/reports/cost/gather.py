"""Partitions added up to topics, in executors: what comes here grows with topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.cost import CostRules
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.cost.fold import SUMS, Row, TopicCost
from pykafka_ops.spark.reports.pieces import PLACE, Policies
from pykafka_ops.spark.reports.topics import added_by_topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DEFAULTS: Final = RetentionPolicy()


def topic_sums(
    inputs: Inputs, figures: DataFrame, policies: Policies, rules: CostRules
) -> list[Mapping[str, Any]]:
    """SUMS of each topic of a frame of FIGURES, by name."""

    def sums(topic: TopicCost) -> Row:
        known = policies.get(topic.name)
        return topic.sums(_DEFAULTS if known is None else known[0], rules)

    found = with_copies(inputs, figures, rules.replication)
    rows = added_by_topic(found, TopicCost, sums, SUMS).toArrow().to_pylist()
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
