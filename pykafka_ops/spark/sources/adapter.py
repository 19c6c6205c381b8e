"""Our readers as Spark wants them: its classes around ours, which do without Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.reader import TaskReader


class SparkReader(DataSourceReader):
    """Plans on the driver, reads in the executors."""

    def __init__(self, inner: TaskReader) -> None:
        self.inner = inner

    def partitions(self) -> list[InputPartition]:
        """The tasks, each as a value of Spark's own."""
        return [InputPartition(task) for task in self.inner.partitions()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        if partition.value is None:  # Spark's own where there is nothing to read
            return iter(())
        return iter(self.inner.read(partition.value))
