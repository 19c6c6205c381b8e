"""Rows of plain values as Arrow record batches of exactly the schema asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.types import StructType

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas

ROWS: Final = 1 << 12
"""Rows of a record batch, at most."""
_LAST: Final = (2**63 - 1) // 1000
"""The last ms that Spark can represent, in microseconds."""
Row = Sequence[Any] | Mapping[str, Any]


def narrowed(schema: StructType, full: StructType, source: str) -> StructType:
    """``schema`` if ``full`` has all its columns, in any order; else UsageError."""
    types = {field.name: field.dataType for field in full}
    for field in schema:
        if field.name not in types:
            raise UsageError(f"{source} has no column {field.name}: it has {', '.join(types)}")
        if field.dataType != types[field.name]:
            wanted = types[field.name].simpleString()
            raise UsageError(
                f"{source}: column {field.name} is {wanted}, not {field.dataType.simpleString()}"
            )
    return schema


def row_batches(
    schema: StructType, rows: Iterable[Row], names: Sequence[str] = ()
) -> Iterator[pa.RecordBatch]:
    """Rows as batches of ``schema``: dicts, where what is left out is null, or values in the order
    of ``names`` (the schema's by default), which may be more. Times in ms, -1 for none."""
    arrow, left = schemas.arrow(schema), iter(rows)
    order = names or arrow.names
    while held := list(islice(left, ROWS)):
        values = ([r.get(n) for n in order] if isinstance(r, Mapping) else r for r in held)
        columns = dict(zip(order, zip(*values, strict=True), strict=True))
        yield assembled(arrow, [array(columns[f.name], f.type) for f in arrow], len(held))


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
