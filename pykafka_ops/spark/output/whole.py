"""Sections of which a report holds the first rows alone, written as whole tables: by executors with
Spark's writers, or here from Arrow, batch by batch. The driver never has all rows."""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pykafka_ops.errors import StorageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.engines import batches_here, dealt_to, in_arrow, schema_of
from pykafka_ops.spark.model import Column
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.history import RunChanges
from pykafka_ops.spark.output.outlets import Outlet
from pykafka_ops.spark.output.stores import Store
from pykafka_ops.spark.output.table_rows import TableRun
from pykafka_ops.spark.output.whole_rows import LINES, WholeRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pykafka_ops.analysis.owners import OwnerRules
    from pykafka_ops.spark.output.history import History
    from pykafka_ops.spark.output.tables import CatalogTables

FILE_ROWS: Final = 100_000
"""Rows of a file that a task of Spark writes, about."""
CSV: Final = "csv"
_STAMPS: Final = "spark.sql.parquet.outputTimestampType"


@dataclass(slots=True)
class WholePlaces:
    """Where whole sections of all reports go: ``outlets`` by form (csv, parquet), and ``tables``.

    What Spark writes lies beside its place until ``settle`` renames it; ``files`` are made here,
    and written with the others.
    """

    outlets: Mapping[str, Outlet]
    tables: CatalogTables | None
    source: str
    files: dict[Outlet, dict[str, bytes]] = field(default_factory=dict)
    _staged: list[tuple[Store, str, str]] = field(default_factory=list)
    _written: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def sections(self, form: str, folder: str) -> list[str]:
        """What is written whole in a form into a folder ("" or one that ends in /); of tables the
        form is ``table``, and the folder the kind of report."""
        return self._written.get((form, folder), [])

    def settle(self) -> None:
        """Put what Spark wrote in its place. Raises StorageError."""
        while self._staged:
            store, part, name = self._staged[-1]
            store.clear(name)
            store.rename(part, name)
            self._staged.pop()

    def drop(self) -> None:
        """Remove what Spark wrote for a report that failed."""
        while self._staged:
            store, part, _ = self._staged.pop()
            with suppress(StorageError):
                store.clear(part)

    def writer(
        self, kind: str, folder: str, now: int, owners: OwnerRules | None, history: History | None
    ) -> Callable[[str, DataFrame, Sequence[Column]], str] | None:
        """What writes the whole sections of one report (``ReportOptions.whole``); None where nobody
        asked for tables. Without ``history`` nothing is compared."""
        if not self.outlets and self.tables is None:
            return None

        changes = None if history is None else RunChanges(kind, history)

        def write(section: str, rows: DataFrame, columns: Sequence[Column]) -> str:
            change = None if changes is None else changes.of(section)
            made = WholeRows(columns, schema_of(rows), owners, change)
            dealt = dealt_to(rows, FILE_ROWS)  # counts the rows, which is once for all forms
            where = [
                self._file(form, outlet, folder, section, _Whole(dealt, made))
                for form, outlet in self.outlets.items()
            ]
            if self.tables is not None:
                run = TableRun(self.source, now)
                frame = in_arrow(dealt, made.table(run), made.table_schema())
                where.append(self.tables.write_frame(kind, section, frame, run))
                self._note("table", kind, section)
            return " and ".join(place for place in where if place)

        return write

    def _note(self, form: str, folder: str, section: str) -> None:
        self._written.setdefault((form, folder), []).append(section)

    def _file(self, form: str, outlet: Outlet, folder: str, section: str, whole: _Whole) -> str:
        """Write a section as a file or a directory; where that is, "" where Spark cannot."""
        name, store = f"{folder}{section}.{form}", outlet.store
        data = whole.here(form)
        if data is not None:
            self.files.setdefault(outlet, {})[name] = data
        else:
            part = f"{folder}.{section}.{form}.{secrets.token_hex(4)}{atomic.PART}"
            uri = store.spark_uri(part)
            if uri is None:
                return ""
            self._staged.append((store, part, name))
            whole.by_spark(form, uri)
            if not any(file.startswith("part-") for file in store.names(part)):
                raise StorageError(
                    f"{outlet.text}: executors wrote {name} elsewhere: name a directory that all "
                    "of them and this machine share, or a URI"
                )
        self._note(form, folder, section)
        return uris.joined(outlet.text, name)


@dataclass(frozen=True, slots=True)
class _Whole:
    """A frame, and what its rows become."""

    frame: DataFrame
    rows: WholeRows

    def here(self, form: str) -> bytes | None:
        """The file, made batch by batch from a frame that is here; None of one of Spark's."""
        if form == CSV:
            batches = batches_here(in_arrow(self.frame, self.rows.csv(), LINES))
            return None if batches is None else _csv(batches)
        schema = self.rows.parquet_schema()
        batches = batches_here(in_arrow(self.frame, self.rows.parquet(), schema))
        return None if batches is None else _parquet(batches, self.rows.columns, schema)

    def by_spark(self, form: str, uri: str) -> None:
        """Have executors write the files of a directory."""
        if form == CSV:
            in_arrow(self.frame, self.rows.csv(), LINES).write.text(uri)
            return
        made = in_arrow(self.frame, self.rows.parquet(), self.rows.parquet_schema())
        conf = made.sparkSession.conf
        before = conf.get(_STAMPS, None)
        conf.set(_STAMPS, "TIMESTAMP_MILLIS")  # as in small sections
        try:
            made.write.option("compression", "zstd").parquet(uri)
        finally:
            conf.unset(_STAMPS) if before is None else conf.set(_STAMPS, before)


def _csv(batches: Iterator[pa.RecordBatch]) -> bytes:
    out = io.BytesIO()
    for batch in batches:
        for line in batch.column(0).to_pylist():
            out.write(line.encode())
            out.write(b"\n")
    return out.getvalue()


def _parquet(
    batches: Iterator[pa.RecordBatch], columns: Sequence[Column], schema: pa.Schema
) -> bytes:
    """As ``output.arrow.parquet_bytes`` makes it: moments in ms, columns that say what they are."""
    import pyarrow.parquet as pq

    def field_of(column: Column, kind: pa.DataType) -> pa.Field:
        is_moment = pa.types.is_timestamp(kind)
        about = {"title": column.title, "unit": column.unit, "doc": column.doc}
        made = pa.timestamp("ms", "UTC") if is_moment else kind
        return pa.field(column.name, made, metadata=about)

    wanted = pa.schema(list(map(field_of, columns, schema.types)))
    out = io.BytesIO()
    with pq.ParquetWriter(out, wanted, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch.cast(wanted))
    return out.getvalue()
