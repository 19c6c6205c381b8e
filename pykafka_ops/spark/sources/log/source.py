"""The ``kafka-log`` source: log directories of brokers as tables, with no broker in between.

``mode=batches`` (default) gives a row per record batch, read from headers alone; ``mode=records``
gives what Spark's own ``kafka`` source gives of a topic.
"""

from __future__ import annotations

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pykafka_ops.spark.schemas import struct
from pykafka_ops.spark.sources.adapter import spark_reader
from pykafka_ops.spark.sources.log.reader import asked, every_column, reader
from pykafka_ops.spark.sources.options import SourceOptions


class KafkaLogSource(DataSource):
    """``spark.read.format("kafka-log")``; options: ``log_options``."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "kafka-log"

    def schema(self) -> StructType:
        """All columns of the mode."""
        return struct(every_column(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the columns in ``schema``, which may be fewer than all."""
        return spark_reader(reader(self.options, schema), self.options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """A reader that follows the logs."""
        from pykafka_ops.spark.sources.log.stream import log_stream

        return log_stream(SourceOptions(self.options), *asked(self.options, schema))
