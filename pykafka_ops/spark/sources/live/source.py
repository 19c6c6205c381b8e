"""``kafka-live``: the metadata of a running cluster, and its records, as Spark reads them.

``what`` names the table (``partitions`` by default); the rest are options of the tables, and
``kafka.*`` for the client. Connections are opened where Spark reads, a few requests per broker.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.schemas import ENDS, EVERY_RECORD, struct
from pykafka_ops.spark.sources.adapter import spark_reader
from pykafka_ops.spark.sources.formats.choice import (
    decoded_of,
    decoded_reader,
    has_formats,
    table,
)
from pykafka_ops.spark.sources.live.reader import RECORDS, asked, every_column, reader, what_of
from pykafka_ops.spark.sources.options import SourceOptions


class KafkaLive(DataSource):
    """The data source; ``what`` is one of the tables, or ``records``."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.read_options = SourceOptions(options)

    @classmethod
    def name(cls) -> str:
        """What ``spark.read.format`` takes."""
        return "kafka-live"

    def schema(self) -> StructType | str:
        """The columns of the table."""
        if self._decodes():
            return table(self.read_options, self.read_options.record_columns())
        return struct(every_column(self.read_options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads it once."""
        options = self.read_options.values()
        if self._decodes():
            made = decoded_reader(
                self.read_options, schema, EVERY_RECORD, lambda columns: reader(options, columns)
            )
            return spark_reader(made, options)
        return spark_reader(reader(options, schema), options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Goes on reading: records, and ends of logs."""
        from pykafka_ops.spark.sources.streams import ChangedStream  # Spark 4.1 has no such streams

        what = what_of(self.read_options)
        if what == RECORDS:
            from pykafka_ops.spark.sources.live.records.stream import record_stream

            if self._decodes():
                decoded = decoded_of(self.read_options, schema, EVERY_RECORD)
                raw = record_stream(self.read_options, asked(self.read_options, decoded.read))
                return ChangedStream(raw, decoded.every)
            return record_stream(self.read_options, asked(self.read_options, schema))
        wanted = asked(self.read_options, schema)
        if what == "ends":
            from pykafka_ops.spark.sources.filtered import Wanted
            from pykafka_ops.spark.sources.live.end_stream import EndStream

            rows = Wanted(wanted, self.read_options.where(ENDS), ENDS)
            return ChangedStream(EndStream(self.read_options, rows.read), rows.every)
        raise UsageError(f"what={what} cannot be a stream: records and ends can")

    def _decodes(self) -> bool:
        """Whether keys or values are to be typed; UsageError of what has none."""
        if not has_formats(self.read_options):
            return False
        if what_of(self.read_options) != RECORDS:
            raise UsageError("options key_format and value_format want what=records")
        return True
