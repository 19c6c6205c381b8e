"""Columns of plain values as Arrow record batches of exactly the schema asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

ROWS: Final = 1 << 16
"""Rows of a record batch, at most."""
_LAST: Final = (2**63 - 1) // 1000
"""The last ms that Spark can represent, in microseconds."""
Columns = Mapping[str, Sequence[Any]]


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


def record_batches(schema: StructType, columns: Columns) -> Iterator[pa.RecordBatch]:
    """The columns of ``schema``, of which ``columns`` may have more; times in ms, -1 for none."""
    import pyarrow as pa

    arrow = schemas.arrow(schema)
    count = len(next(iter(columns.values()), ()))
    for begin in range(0, count, ROWS):
        arrays = [array(columns[f.name][begin : begin + ROWS], f.type) for f in arrow]
        if arrays:
            yield pa.RecordBatch.from_arrays(arrays, schema=arrow)
        else:  # count() asks for no column
            rows = pa.StructArray.from_arrays([], names=[], mask=_none(min(ROWS, count - begin)))
            yield pa.RecordBatch.from_struct_array(rows)


def _none(count: int) -> pa.Array:
    import pyarrow as pa

    return pa.array([False] * count)


def array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values as Arrow; of timestamps ms since 1970, where negative ones and None are null."""
    import pyarrow as pa

    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    micros = [None if v is None or v < 0 else min(v, _LAST) * 1000 for v in values]
    return pa.array(micros, pa.int64()).cast(kind)
