"""The ``kafka-log`` source: log directories of brokers as tables, with no broker in between.

``mode=batches`` (default) gives a row per record batch, read from headers alone; ``mode=records``
gives what Spark's own ``kafka`` source gives of a topic.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.schemas import EVERY_LOG_RECORD, struct
from pykafka_ops.spark.sources.adapter import spark_reader
from pykafka_ops.spark.sources.filtered import FilteredReader
from pykafka_ops.spark.sources.formats.choice import (
    decoded_of,
    decoded_reader,
    has_formats,
    table,
)
from pykafka_ops.spark.sources.log.reader import asked, every_column, reader
from pykafka_ops.spark.sources.options import SourceOptions


class KafkaLogSource(DataSource):
    """``spark.read.format("kafka-log")``; options: ``log_options``."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "kafka-log"

    def schema(self) -> StructType | str:
        """All columns of the mode."""
        options = SourceOptions(self.options)
        if has_formats(options):
            return table(options, self._records())
        return struct(every_column(self.options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the columns in ``schema``, which may be fewer than all."""
        options = SourceOptions(self.options)
        if has_formats(options):
            self._records()
            made = decoded_reader(options, schema, EVERY_LOG_RECORD, self._reader)
            return spark_reader(made, self.options)
        return spark_reader(reader(self.options, schema), self.options)

    def _reader(self, columns: pa.Schema) -> FilteredReader:
        return reader(self.options, columns)

    def _records(self) -> pa.Schema:
        """The columns of records; UsageError in the other mode, which has no keys and values."""
        options = SourceOptions(self.options)
        if options.text("mode") != "records":
            raise UsageError("options key_format and value_format want mode=records")
        return options.record_columns()

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """A reader that follows the logs."""
        from pykafka_ops.spark.sources.log.stream import log_stream
        from pykafka_ops.spark.sources.streams import ChangedStream

        options = SourceOptions(self.options)
        if has_formats(options):
            self._records()
            decoded = decoded_of(options, schema, EVERY_LOG_RECORD)
            made = log_stream(options, *asked(self.options, decoded.read))
            return ChangedStream(made, decoded.every)
        return log_stream(options, *asked(self.options, schema))
