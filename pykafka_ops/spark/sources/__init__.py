"""Python Data Sources of Spark over Kafka's files and clusters."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCES: tuple[str, ...] = (
    "log.source:KafkaLogSource",
    "live.source:KafkaLive",
    "offsets.source:KafkaOffsets",
)
"""``module:Class`` of every source, below this package."""


def register(spark: SparkSession) -> None:
    """Let ``spark.read.format(...)`` know every source by its short name, and hand filters down to
    those that ask for it: of any session, one of Spark Connect too."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    for name in SOURCES:
        module, _, kind = name.partition(":")
        spark.dataSource.register(getattr(import_module(f"{__name__}.{module}"), kind))
