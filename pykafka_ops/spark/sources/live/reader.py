"""Asks a cluster for ``kafka-live``, whoever runs its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pykafka_ops.spark.schemas import EVERY_RECORD, arrow, narrowed
from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.pages import TablePage
from pykafka_ops.spark.sources.live.tables import TABLES
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.reader import TaskReader

# Spark makes a source in a process of its own each time: what only reading takes is imported there.
RECORDS = "records"


def what_of(options: SourceOptions) -> str:
    """The table, or ``records``; UsageError for another word."""
    return options.one_of("what", [*TABLES, RECORDS])


def every_column(options: SourceOptions) -> pa.Schema:
    """The columns of the table."""
    what = what_of(options)
    return options.record_columns() if what == RECORDS else TABLES[what].columns


def asked(options: SourceOptions, schema: object) -> pa.Schema:
    """The columns as Arrow has them; UsageError for one there is not."""
    full = EVERY_RECORD if what_of(options) == RECORDS else every_column(options)
    return narrowed(schema, full, "kafka-live")


def reader(options: Mapping[str, str], schema: object = None) -> TaskReader:
    """A reader of the columns in ``schema``, which may be fewer than all."""
    read = SourceOptions(options)
    wanted = asked(read, every_column(read) if schema is None else schema)
    if what_of(read) == RECORDS:
        from pykafka_ops.spark.sources.live.records.reader import RecordsReader

        return RecordsReader(read, wanted)
    return TableReader(what_of(read), read, wanted)


class TableReader:
    """Each task asks the cluster about one page."""

    def __init__(self, what: str, options: SourceOptions, schema: pa.Schema) -> None:
        self._what, self._options, self.columns = what, options, arrow(schema)
        options.client()

    def partitions(self) -> Sequence[TablePage]:
        """The pages of the table."""
        with cluster_of(self._options) as cluster:
            return TABLES[self._what].pages(cluster, self._options)

    def read(self, task: TablePage) -> Iterator[pa.RecordBatch]:
        """The rows of a page."""
        from pykafka_ops.spark.arrow import row_batches

        table = TABLES[self._what]
        with cluster_of(self._options) as cluster:
            rows = table.rows(cluster, self._options, frozenset(self.columns.names), task)
            yield from row_batches(self.columns, rows, table.columns.names)
