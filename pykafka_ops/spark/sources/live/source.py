"""``kafka-live``: the metadata of a running cluster, and its records, as Spark reads them.

``what`` names the table (``partitions`` by default); the rest are options of the tables, and
``kafka.*`` for the client. Connections are opened where Spark reads, a few requests per broker.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.schemas import ENDS, struct
from pykafka_ops.spark.sources.adapter import spark_reader
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

    def schema(self) -> StructType:
        """The columns of the table."""
        return struct(every_column(self.read_options))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads it once."""
        options = self.read_options.values()
        return spark_reader(reader(options, schema), options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Goes on reading: records, and ends of logs."""
        what, wanted = what_of(self.read_options), asked(self.read_options, schema)
        if what == RECORDS:
            from pykafka_ops.spark.sources.live.records.stream import record_stream

            return record_stream(self.read_options, wanted)
        if what == "ends":
            from pykafka_ops.spark.sources.filtered import Wanted
            from pykafka_ops.spark.sources.live.end_stream import EndStream
            from pykafka_ops.spark.sources.streams import ChangedStream

            rows = Wanted(wanted, self.read_options.where(ENDS), ENDS)
            return ChangedStream(EndStream(self.read_options, rows.read), rows.every)
        raise UsageError(f"what={what} cannot be a stream: records and ends can")
