"""Sections as Arrow tables and Parquet files, with the same type in every run."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pykafka_ops.spark.model import Column, Section
from pykafka_ops.spark.output.document import plain

if TYPE_CHECKING:
    import pyarrow as pa

DOUBLES = ("bytes/s", "records/s", "seconds", "share", "percent", "days", "money")


def table(section: Section) -> pa.Table:
    """The rows of a section; moments are timestamps in UTC, lists and dicts keep their parts."""
    import pyarrow as pa

    rows = section.rows
    arrays = [_array([row.get(c.name) for row in rows], c) for c in section.columns]
    fields = [
        pa.field(c.name, a.type, metadata={"title": c.title, "unit": c.unit, "doc": c.doc})
        for c, a in zip(section.columns, arrays, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def parquet_bytes(section: Section, metadata: Mapping[str, str]) -> bytes:
    """A section as a Parquet file, ``metadata`` in its footer."""
    import pyarrow.parquet as pq

    made = table(section)
    made = made.replace_schema_metadata({**(made.schema.metadata or {}), **metadata})
    out = io.BytesIO()
    pq.write_table(made, out, compression="zstd")
    return out.getvalue()


def _array(values: Sequence[object], column: Column) -> pa.Array:
    """Numbers by their unit, so that a run without any has the type of the others."""
    import pyarrow as pa

    known = [plain(v) for v in values]
    kind = _type(column, known)
    if kind is None:
        try:
            return pa.array(known)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            return pa.array([None if v is None else str(v) for v in known], pa.string())
    if pa.types.is_integer(kind) or pa.types.is_timestamp(kind):
        known = [int(v) if isinstance(v, (int, float)) else None for v in known]
    return pa.array(known, kind)


def _type(column: Column, known: Sequence[object]) -> pa.DataType | None:
    """The type of a column; None where Arrow infers it."""
    import pyarrow as pa

    if column.unit == "ms":
        return pa.timestamp("ms", tz="UTC")
    kinds = {type(v) for v in known if v is not None}
    if not kinds <= {int, float}:
        return None
    if column.unit in DOUBLES or float in kinds:
        return pa.float64()
    if column.unit in ("bytes", "records") or int in kinds:
        return pa.int64()
    return pa.string()
