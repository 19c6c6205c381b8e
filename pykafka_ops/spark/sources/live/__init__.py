"""``kafka-live``: the metadata of a running cluster, and its records, as Spark reads them.

``what`` names the table (``partitions`` by default); the rest are options of the tables, and
``kafka.*`` for the client. Connections are opened where Spark reads, a few requests per broker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.schemas import EVERY_RECORD, narrowed
from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.tables import TABLES
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

# Spark makes a source in a process of its own each time: what only reading takes is imported there.
RECORDS = "records"


class KafkaLive(DataSource):
    """The data source; ``what`` is one of the tables, or ``records``."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.read_options = SourceOptions(options)

    @classmethod
    def name(cls) -> str:
        """What ``spark.read.format`` takes."""
        return "kafka-live"

    def _what(self) -> str:
        return self.read_options.one_of("what", [*TABLES, RECORDS])

    def _narrowed(self, schema: StructType) -> StructType:
        full = EVERY_RECORD if self._what() == RECORDS else self.schema()
        return narrowed(schema, full, self.name())

    def schema(self) -> StructType:
        """The columns of the table."""
        what = self._what()
        return self.read_options.record_columns() if what == RECORDS else TABLES[what][0]

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads it once."""
        what, schema = self._what(), self._narrowed(schema)
        if what == RECORDS:
            from pykafka_ops.spark.sources.live.records.source import RecordsReader

            return RecordsReader(self.read_options, schema)
        return TableReader(what, self.read_options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Goes on reading: records, and ends of logs."""
        what, schema = self._what(), self._narrowed(schema)
        if what == RECORDS:
            from pykafka_ops.spark.sources.live.records.stream import RecordStream

            return RecordStream(self.read_options, schema)
        if what == "ends":
            from pykafka_ops.spark.sources.live.end_stream import EndStream

            return EndStream(self.read_options, schema)
        raise UsageError(f"what={what} cannot be a stream: records and ends can")


class TableReader(DataSourceReader):
    """One task that asks the cluster."""

    def __init__(self, what: str, options: SourceOptions, schema: StructType) -> None:
        self._what, self._options, self._schema = what, options, schema
        options.client()

    def partitions(self) -> Sequence[InputPartition]:
        """One: the questions go to all brokers side by side anyway."""
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The table's rows."""
        from pykafka_ops.spark.arrow import row_batches

        full, table = TABLES[self._what]
        with cluster_of(self._options) as cluster:
            rows = table(cluster, self._options, frozenset(self._schema.names))
            yield from row_batches(self._schema, rows, full.names)
