"""Inputs for what a person names: a cluster, log directories, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.inputs import InputQuery, Inputs
from pykafka_ops.spark.inputs.cluster import ClusterInputs
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.inputs.settings import read_settings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pykafka_ops.spark.inputs.sampling import Look


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
    servers = bool(properties and properties.get("bootstrap.servers"))
    if not locations and not servers:
        raise UsageError("what is to be read? give --bootstrap-server or --log-dirs")
    settings = read_settings(configs) if configs is not None else None
    if not locations:
        return ClusterInputs(spark, properties or {}, query)
    if servers:
        return _BothInputs(spark, properties or {}, locations, query)
    return LogDirInputs(spark, locations, query, settings)


class _BothInputs(ClusterInputs):
    """Each fact from the better of the two: batches, records and the cleaner from files, all else
    from the cluster; commits from files if they have every partition of ``__consumer_offsets``."""

    def __init__(
        self,
        spark: SparkSession,
        properties: Mapping[str, str],
        locations: Sequence[str],
        query: InputQuery,
    ) -> None:
        super().__init__(spark, properties, query)
        self._files = LogDirInputs(spark, locations, query)
        self._files.problems = self.problems
        self.source |= self._files.source
        self._files.source = self.source
        self.directories = self._files.directories

    def batches(self) -> DataFrame | None:
        return self._files.batches()

    def records(self, sample: float | None = None) -> DataFrame | None:
        return self._files.records(sample)

    def sampled(self, most: int, look: Look, schema: pa.Schema) -> DataFrame | None:
        return self._files.sampled(most, look, schema)

    def cleaned(self) -> DataFrame | None:
        return self._files.cleaned()

    def commits(self) -> DataFrame | None:
        return self._files.commits() if self._commits_in_files else super().commits()

    @cached_property
    def _commits_in_files(self) -> bool:
        partitions = self.offsets_partitions()
        return bool(partitions) and partitions <= self._files.offsets_partitions

    def close(self) -> None:
        super().close()
        self._files.close()
