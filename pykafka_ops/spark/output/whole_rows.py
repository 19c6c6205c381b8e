"""Rows of frames as rows of a section's table, where tasks have them: the names, values and types
that small sections have.

Pure.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import ArrowTask
from pykafka_ops.spark.model import Column, Row
from pykafka_ops.spark.output.arrow import DOUBLES
from pykafka_ops.spark.output.document import plain
from pykafka_ops.spark.output.files import csv_cells
from pykafka_ops.spark.output.history import SectionChange
from pykafka_ops.spark.output.table_rows import (
    COUNTS,
    RUN_DATE,
    RUN_ID,
    RUN_SOURCE,
    RUN_TIME,
    TableRun,
)
from pykafka_ops.spark.owned import TOPIC, owned, with_owner
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pykafka_ops.analysis.owners import OwnerRules

LINES: Final = columns("value string")
"""Lines of a CSV file."""
_RUN: Final = columns(f"{RUN_ID} string, {RUN_DATE} string, {RUN_TIME} timestamp")
_STAMP: Final = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True, slots=True)
class WholeRows:
    """A section whose ``known`` columns are in a frame of ``schema``, with what a report adds to
    its rows: ``owners``, and the ``change`` since the run before."""

    known: Sequence[Column]
    schema: pa.Schema
    owners: OwnerRules | None = None
    change: SectionChange | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """Those of the section, as small ones have them."""
        known = self.known
        if self.owners is not None and any(column.name == TOPIC for column in known):
            known = with_owner(known)
        return known if self.change is None else self.change.columns(known)

    def of(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        """The rows of the section."""
        for batch in batches:
            for row in batch.to_pylist():
                made: Row = row if self.owners is None else owned(row, self.owners)
                yield made if self.change is None else self.change.row(made)

    # --- Parquet ----------------------------------------------------------------------------

    def parquet_schema(self) -> pa.Schema:
        """Types of a Parquet file; moments in microseconds."""
        return pa.schema([(c.name, self._type(c)) for c in self.columns])

    def parquet(self) -> ArrowTask:
        """What a task does with batches of the frame: ``parquet_schema``."""
        schema = self.parquet_schema()
        readers = [_reader(field) for field in schema]

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = ([read(row) for read in readers] for row in self.of(batches))
            return row_batches(schema, rows)

        return task

    # --- tables of a catalog ------------------------------------------------------------------

    def table_schema(self) -> pa.Schema:
        """Types of a table of a catalog, behind the columns of the run."""
        fields = [pa.field(c.name, self._table_type(c)) for c in self.columns]
        return pa.schema([*_RUN, (RUN_SOURCE, pa.string()), *fields])

    def table(self, run: TableRun) -> ArrowTask:
        """What a task does with batches of the frame: ``table_schema``."""
        schema = self.table_schema()
        readers = [_reader(schema.field(c.name)) for c in self.columns]
        stamp = [run.id, run.date, run.now, run.source]

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = ([*stamp, *(read(row) for read in readers)] for row in self.of(batches))
            return row_batches(schema, rows)

        return task

    # --- CSV ----------------------------------------------------------------------------------

    def csv(self) -> ArrowTask:
        """What a task does with batches of the frame: LINES, names first, where there are rows."""
        shown = self.columns

        def lines(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str]]:
            first = True
            for row in self.of(batches):
                if first:
                    yield (csv_line([c.name for c in shown]),)
                    first = False
                yield (csv_line(csv_cells(row, shown)),)

        return lambda batches: row_batches(LINES, lines(batches))

    def _type(self, column: Column) -> pa.DataType:
        """As ``output.arrow`` has it, by the type in the frame where that goes by values."""
        found = self._found(column)
        if column.unit == "ms":
            return _STAMP
        if found is not None and pa.types.is_list(found):
            return array_of(found.value_type)
        if column.unit in DOUBLES or (found is not None and pa.types.is_floating(found)):
            return pa.float64()
        if found is not None and pa.types.is_boolean(found):
            return pa.bool_()
        is_count = column.unit in COUNTS or column.kind == "number"
        if is_count or (found is not None and pa.types.is_integer(found)):
            return pa.int64()
        return pa.string()

    def _table_type(self, column: Column) -> pa.DataType:
        """As ``table_rows`` has it: counts are whole, what has parts is JSON."""
        found = self._type(column)
        if column.unit in COUNTS:
            return pa.int64()
        return pa.string() if pa.types.is_list(found) else found

    def _found(self, column: Column) -> pa.DataType | None:
        """The type in the frame; that of the column which a change is of."""
        name = column.name
        if name not in self.schema.names and self.change is not None:
            name = self.change.name
        if name in self.schema.names and (name == column.name or column.name.endswith("_change")):
            return self.schema.field(name).type
        return array_of(pa.string()) if column.kind == "list" else None


def csv_line(cells: Iterable[object]) -> str:
    """A line as ``output.files.csv_bytes`` writes it, without its end."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue().encode("utf-8", "backslashreplace").decode()


def _reader(field: pa.Field) -> Any:
    """What takes the value of a field out of a row."""
    name, kind = field.name, field.type

    def read(row: Mapping[str, Any]) -> Any:
        found = plain(row.get(name))
        if found is None:
            return None
        if pa.types.is_string(kind):
            return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        if pa.types.is_floating(kind):
            return float(found)  # type: ignore[arg-type]
        if pa.types.is_integer(kind):
            return round(found)  # type: ignore[call-overload]
        return found

    return read
