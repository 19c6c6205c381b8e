"""A cluster and its log directories together; each fact comes from the better of the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from pykafka_ops.spark.inputs.cluster import ClusterInputs
from pykafka_ops.spark.inputs.kept import InputQuery, Kept
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs


class BothInputs(Kept):
    """See ``Inputs``: batches, records and the cleaner from files, all else from the cluster.

    Commits are read from files if they have every partition of ``__consumer_offsets``.
    """

    def __init__(
        self,
        spark: SparkSession,
        properties: Mapping[str, str],
        locations: Sequence[str],
        query: InputQuery,
    ) -> None:
        self._cluster = ClusterInputs(spark, properties, query)
        now = self._cluster.now
        super().__init__(spark, query, now, {})
        self._files = LogDirInputs(spark, locations, query)
        self._cluster.problems = self._files.problems = self.problems
        self.source = {**self._cluster.source, **self._files.source}
        self._commits_in_files: bool | None = None

    def batches(self) -> DataFrame | None:
        """BATCHES from files."""
        return self._files.batches()

    def all_batches(self) -> DataFrame | None:
        """BATCHES from files."""
        return self._files.all_batches()

    def records(self) -> DataFrame | None:
        """KEYS from files."""
        return self._files.records()

    def cleaned(self) -> DataFrame | None:
        """CLEANED from files."""
        return self._files.cleaned()

    def partitions(self) -> DataFrame | None:
        """PARTITIONS from the cluster."""
        return self._cluster.partitions()

    def brokers(self) -> DataFrame | None:
        """BROKERS from the cluster."""
        return self._cluster.brokers()

    def log_dirs(self) -> DataFrame | None:
        """LOG_DIRS from the cluster."""
        return self._cluster.log_dirs()

    def configs(self) -> DataFrame | None:
        """CONFIGS from the cluster."""
        return self._cluster.configs()

    def groups(self) -> DataFrame | None:
        """GROUPS from the cluster."""
        return self._cluster.groups()

    def commits(self) -> DataFrame | None:
        """OFFSETS from files, else from the cluster."""
        if self._commits_in_files is None:
            partitions = self._cluster.offsets_partitions()
            self._commits_in_files = bool(partitions) and (
                partitions <= self._files.offsets_partitions
            )
        return self._files.commits() if self._commits_in_files else self._cluster.commits()

    def committed(self) -> DataFrame | None:
        """COMMITTED from the cluster."""
        return self._cluster.committed()

    def ends(self, moments: Sequence[int]) -> DataFrame | None:
        """ENDS from the cluster."""
        return self._cluster.ends(moments)

    def times(self) -> DataFrame | None:
        """TIMES from the cluster."""
        return self._cluster.times()

    def close(self) -> None:
        """Release what either keeps."""
        self._cluster.close()
        self._files.close()
