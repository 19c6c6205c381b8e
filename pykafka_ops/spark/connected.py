"""Which kind of session it is. Imports nothing of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_connected(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, which has no JVM here."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")
