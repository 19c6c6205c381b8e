"""Python Data Sources of Spark over Kafka's files and clusters."""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Final

from pykafka_ops.errors import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SOURCES: tuple[str, ...] = (
    "log.source:KafkaLogSource",
    "live.source:KafkaLive",
    "offsets.source:KafkaOffsets",
)
"""``module:Class`` of every source, below this package."""
PUSHDOWN: Final = "spark.sql.python.filterPushdown.enabled"
_log = logging.getLogger(__name__)


def register(spark: SparkSession) -> None:
    """Let ``spark.read.format(...)`` know every source by its short name: in any session, one of
    Spark Connect too.

    It sets PUSHDOWN, of this session alone, which the option ``pushdown`` wants. Where it may not
    be set, that option alone is refused, by Spark, which says so.
    """
    try:
        spark.conf.set(PUSHDOWN, "true")
    except Exception as error:  # PySpark's and Spark Connect's have no common base
        _log.info("%s may not be set: %s", PUSHDOWN, first_line(error))
    for name in SOURCES:
        module, _, kind = name.partition(":")
        spark.dataSource.register(getattr(import_module(f"{__name__}.{module}"), kind))
