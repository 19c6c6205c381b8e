"""The ``kafka-log`` source: log directories of brokers as tables, with no broker in between.

``mode=batches`` (default) gives a row per record batch, read from headers alone; ``mode=records``
gives what Spark's own ``kafka`` source gives of a topic.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, Filter
from pyspark.sql.types import StructType

from pykafka_ops.spark.schemas import struct
from pykafka_ops.spark.sources.adapter import SparkReader
from pykafka_ops.spark.sources.log.reader import KafkaLogReader, asked, every_column, reader


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
        made = reader(self.options, schema)
        return PushingLogReader(made) if made.options.pushdown else SparkReader(made)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """A reader that follows the logs."""
        from pykafka_ops.spark.sources.log.stream import LogStreamReader

        return LogStreamReader(*asked(self.options, schema))


class PushingLogReader(SparkReader):
    """The same with ``pushdown=true``: filters spare directories and segments. Spark wants the
    setting ``spark.sql.python.filterPushdown.enabled`` for it."""

    inner: KafkaLogReader

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's
        """Take note of the filters; Spark applies all of them again."""
        from pykafka_ops.spark.sources.log.filters import pruning_of

        self.inner.pruning = pruning_of(filters, self.inner.options.mode)
        return filters
