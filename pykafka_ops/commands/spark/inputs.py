"""What the reports read: a cluster, directories, or both."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.commands.spark.ask import Ask
    from pykafka_ops.spark.inputs import Inputs


def look_first(asked: Ask) -> None:
    """Raises for what would fail in any case, before seconds are spent on starting Spark."""
    from pykafka_ops.spark.inputs.settings import read_settings
    from pykafka_ops.spark.sources.files import replicas

    if asked.configs is not None:
        read_settings(asked.configs)
    for location in asked.dirs:
        if "://" not in location and not os.access(location, os.R_OK):
            replicas(location)


def open_inputs(asked: Ask, spark: SparkSession) -> Inputs:
    """The inputs of a command line. Raises UsageError, StorageError."""
    from pykafka_ops.spark.inputs import opened
    from pykafka_ops.spark.inputs.kept import Query

    strict = bool(asked.options.get("strict"))
    query = Query(asked.now, asked.since, asked.until, asked.topics, asked.groups, strict)
    return opened.open_inputs(
        spark,
        query,
        properties=asked.properties or None,
        locations=asked.dirs,
        configs=asked.configs,
    )
