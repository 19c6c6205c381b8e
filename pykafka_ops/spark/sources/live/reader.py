"""Asks a cluster for ``kafka-live``, whoever runs its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pykafka_ops.spark.schemas import EVERY_RECORD, arrow, narrowed
from pykafka_ops.spark.sources.filtered import FilteredReader, filtered
from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.pages import TablePage
from pykafka_ops.spark.sources.live.tables import TABLES
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.conditions import Conditions
    from pykafka_ops.spark.sources.reader import TaskReader

# Spark makes a source in a process of its own each time: what only reading takes is imported there.
RECORDS = "records"
_NAMES: Final = {"topic": ("subscribe", "subscribePattern"), "group": ("groups", "groupsPattern")}
"""The options that are about a column."""


def what_of(options: SourceOptions) -> str:
    """The table, or ``records``; UsageError for another word."""
    return options.one_of("what", [*TABLES, RECORDS])


def every_column(options: SourceOptions) -> pa.Schema:
    """The columns of the table, or those that the option ``columns`` names."""
    usual = options.record_columns() if what_of(options) == RECORDS else whole(options)
    return options.columns(usual, whole(options), "kafka-live")


def whole(options: SourceOptions) -> pa.Schema:
    """All that can be asked for."""
    what = what_of(options)
    return EVERY_RECORD if what == RECORDS else TABLES[what].columns


def asked(options: SourceOptions, schema: object) -> pa.Schema:
    """The columns as Arrow has them; UsageError for one there is not."""
    return narrowed(schema, whole(options), "kafka-live")


def reader(options: Mapping[str, str], schema: object = None) -> FilteredReader:
    """A reader of the columns in ``schema``, which may be fewer than all."""
    read = SourceOptions(options)
    wanted = asked(read, every_column(read) if schema is None else schema)

    def made(columns: pa.Schema) -> TaskReader:
        if what_of(read) == RECORDS:
            from pykafka_ops.spark.sources.live.records.reader import RecordsReader

            return RecordsReader(read, columns)
        return TableReader(what_of(read), read, columns)

    return filtered(made, read, wanted, whole(read))


class TableReader:
    """Each task asks the cluster about one page."""

    def __init__(self, what: str, options: SourceOptions, schema: pa.Schema) -> None:
        self._what, self._options, self.columns = what, options, arrow(schema)
        self._empty = False
        options.client()

    def narrow(self, conditions: Conditions) -> None:
        """Ask for the topics and groups alone that they leave."""
        for column, names in _NAMES.items():
            found = conditions.among(column)
            if found is not None:
                narrowed_ = self._options.only(*names, found)
                self._empty = self._empty or narrowed_ is None
                self._options = narrowed_ or self._options

    def partitions(self) -> Sequence[TablePage]:
        """The pages of the table."""
        if self._empty:
            return []
        with cluster_of(self._options) as cluster:
            return TABLES[self._what].pages(cluster, self._options)

    def read(self, task: TablePage) -> Iterator[pa.RecordBatch]:
        """The rows of a page."""
        from pykafka_ops.spark.arrow import row_batches

        table = TABLES[self._what]
        with cluster_of(self._options) as cluster:
            rows = table.rows(cluster, self._options, frozenset(self.columns.names), task)
            yield from row_batches(self.columns, rows, table.columns.names)
