"""``kafka-offsets``: the history of committed offsets, from files or a live cluster.

A row per commit that held, and per tombstone. ``path`` or ``paths`` name log directories, partition
directories or segments of ``__consumer_offsets``; else ``kafka.bootstrap.servers`` is asked.
"""

from __future__ import annotations

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import narrowed, struct
from pykafka_ops.spark.sources.adapter import spark_reader
from pykafka_ops.spark.sources.options import SourceOptions


class KafkaOffsets(DataSource):
    """The data source; its options are those of ``CommitFilter``."""

    @classmethod
    def name(cls) -> str:
        """What ``spark.read.format`` takes."""
        return "kafka-offsets"

    def schema(self) -> StructType:
        """OFFSETS, or the columns of it that the option ``columns`` names."""
        options = SourceOptions(self.options)
        return struct(options.columns(schemas.OFFSETS, schemas.OFFSETS, self.name()))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads what is there now."""
        from pykafka_ops.spark.sources.offsets.reader import reader

        return spark_reader(reader(self.options, schema), self.options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Goes on reading as groups commit."""
        from pykafka_ops.spark.sources.offsets.fold import CommitFilter
        from pykafka_ops.spark.sources.offsets.stream import OffsetsStream

        wanted = narrowed(schema, schemas.OFFSETS, self.name())
        return OffsetsStream(CommitFilter(SourceOptions(self.options)), wanted)
