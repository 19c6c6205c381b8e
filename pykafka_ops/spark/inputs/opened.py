"""Inputs for what a person names: a cluster, log directories, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.inputs.kept import InputQuery

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def open_inputs(
    spark: SparkSession,
    query: InputQuery,
    *,
    properties: Mapping[str, str] | None = None,
    locations: Sequence[str] = (),
    configs: str | None = None,
) -> Inputs:
    """``properties`` of a Kafka client with bootstrap.servers, ``locations`` of log directories,
    or both; ``configs`` is a file of settings for where only directories are read.

    Raises UsageError where neither is given, or a file or location is wrong, and StorageError
    where one cannot be read. No cluster is asked yet.
    """
    from pykafka_ops.spark.inputs.settings import read_settings

    servers = bool(properties and properties.get("bootstrap.servers"))
    if not locations and not servers:
        raise UsageError("what is to be read? give --bootstrap-server or --log-dirs")
    settings = read_settings(configs) if configs is not None else None
    if not locations:
        from pykafka_ops.spark.inputs.cluster import ClusterInputs

        return ClusterInputs(spark, properties or {}, query)
    if servers:
        from pykafka_ops.spark.inputs.both import BothInputs

        return BothInputs(spark, properties or {}, locations, query)
    from pykafka_ops.spark.inputs.log_dirs import LogDirInputs

    return LogDirInputs(spark, locations, query, settings)
