"""Rows, record batches and frames: to Arrow and from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, overload

import pyarrow as pa

from pykafka_ops.spark.engines import in_arrow
from pykafka_ops.spark.schemas import Row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS: Final = 1 << 12
"""Rows of a record batch, and rows that are taken out of one together, at most."""
_LAST: Final = (2**63 - 1) // 1000
"""The last ms that Spark can represent, in microseconds."""


def row_batches(
    schema: pa.Schema, rows: Iterable[Row], names: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Rows as batches of ``schema``: dicts, where what is left out is null, or values in the order
    of ``names`` (the schema's by default), which may be more. Times in ms, -1 for none."""
    left = iter(rows)
    order = names or schema.names
    while held := list(islice(left, ROWS)):
        values = ([r.get(n) for n in order] if isinstance(r, Mapping) else r for r in held)
        columns = dict(zip(order, zip(*values, strict=True), strict=True))
        yield assembled(schema, [array(columns[f.name], f.type) for f in schema], len(held))


def assembled(schema: pa.Schema, arrays: list[pa.Array], count: int) -> pa.RecordBatch:
    """The arrays as a batch, also where no column is asked for (``count()`` needs none)."""
    if arrays:
        return pa.RecordBatch.from_arrays(arrays, schema=schema)
    mask = pa.array([False] * count)
    return pa.RecordBatch.from_struct_array(pa.StructArray.from_arrays([], names=[], mask=mask))


def array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values as Arrow; of timestamps ms since 1970, where negative ones and None are null."""
    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    micros = [None if v is None or v < 0 else min(v, _LAST) * 1000 for v in values]
    return pa.array(micros, pa.int64()).cast(kind)


def map_rows(
    frame: DataFrame,
    function: Callable[[dict[str, Any]], Iterable[Row]],
    schema: pa.Schema,
    *,
    at_once: int = 500,
) -> DataFrame:
    """The rows of ``schema`` (see ``row_batches``) that ``function`` makes of each row; ``at_once``
    rows are taken out of Arrow together."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = rows_of(batches, at_once)
        return row_batches(schema, (made for row in rows for made in function(row)))

    return in_arrow(frame, task, schema)


def rows_of(batches: Iterable[pa.RecordBatch], at_once: int) -> Iterator[dict[str, Any]]:
    """The rows of batches as dicts, so many of them made together."""
    for batch in batches:
        for start in range(0, batch.num_rows, at_once):
            yield from batch.slice(start, at_once).to_pylist()


class ArrowRows(Sequence[Mapping[str, object]]):
    """The rows of ``table`` as dicts, made when asked for; a twentieth of the room of a list."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table.combine_chunks()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, object]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, object]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> Mapping[str, object] | Sequence[Mapping[str, object]]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return ArrowRows(self.table.slice(start, max(0, stop - start)))
            return [self[i] for i in range(start, stop, step)]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        found: list[Mapping[str, object]] = self.table.slice(place, 1).to_pylist()
        return found[0]

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        for start in range(0, len(self), ROWS):
            yield from self.table.slice(start, ROWS).to_pylist()
