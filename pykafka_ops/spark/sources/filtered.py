"""Readers whose rows meet conditions: those of the option ``where``, and of filters that an engine
hands down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pykafka_ops.spark.arrow import assembled
from pykafka_ops.spark.sources.conditions import Conditions

if TYPE_CHECKING:
    from pykafka_ops.spark.sources.options import SourceOptions
    from pykafka_ops.spark.sources.reader import TaskReader


class Wanted:
    """Columns and rows: ``read`` are the columns that it takes to judge rows, too."""

    def __init__(self, columns: pa.Schema, conditions: Conditions, every: pa.Schema) -> None:
        self.columns, self.conditions = columns, conditions
        more = [one.column for one in conditions if one.column not in columns.names]
        self.read = pa.schema([*columns, *(every.field(name) for name in dict.fromkeys(more))])

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """What is wanted of a batch that has the columns ``read``."""
        kept = self.conditions.kept(batch)
        if len(self.read) == len(self.columns):
            return kept
        arrays = [kept[name] for name in self.columns.names]
        return assembled(self.columns, arrays, kept.num_rows)

    def every(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same of many, without those that are empty."""
        return (made for batch in batches if (made := self.of(batch)).num_rows)


class FilteredReader:
    """As ``TaskReader``; the one beneath spares what holds no row that is wanted."""

    def __init__(self, inner: TaskReader, wanted: Wanted) -> None:
        self.inner, self.wanted, self.columns = inner, wanted, wanted.columns
        self.judged = wanted.columns
        self.conditions = wanted.conditions
        if self.conditions:
            inner.narrow(self.conditions)

    def narrow(self, conditions: Conditions) -> None:
        """Only rows that meet these, too, which are on its own columns."""
        self.wanted.conditions = Conditions((*self.conditions, *conditions))
        self.inner.narrow(self.wanted.conditions)

    def partitions(self) -> Sequence[Any]:
        """Tasks, as those of the reader beneath."""
        return self.inner.partitions()

    def read(self, task: Any) -> Iterator[pa.RecordBatch]:
        """The rows of one task that are wanted."""
        return self.wanted.every(iter(self.inner.read(task)))


def filtered(
    make: Callable[[pa.Schema], TaskReader],
    options: SourceOptions,
    columns: pa.Schema,
    every: pa.Schema,
) -> FilteredReader:
    """What ``make`` makes of the columns that it takes; ``every`` are all that there are."""
    wanted = Wanted(columns, options.where(every), every)
    return FilteredReader(make(wanted.read), wanted)
