"""Keeps comparisons as ``pko spark`` keeps its runs (``pykafka_ops.runs.layout``), so that the
monitor shows them beside those. Takes pyarrow."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pykafka_ops.audit.rows import Row
from pykafka_ops.errors import StorageError, UsageError


class KeptField(NamedTuple):
    """A column: its type ("text", "number", "time"), title, unit and what it means."""

    kind: str
    title: str
    unit: str = ""
    doc: str = ""


_NUMBERS: Final = {
    "records_a": KeptField("number", "Records A", "records"),
    "records_b": KeptField("number", "Records B", "records"),
}
_PLACE: Final = {
    "topic": KeptField("text", "Topic"),
    "partition": KeptField("number", "Partition"),
}
SECTIONS: Final[Mapping[str, Mapping[str, KeptField]]] = {
    "partitions": {
        **_PLACE,
        "state": KeptField("text", "State"),
        **_NUMBERS,
        "missing": KeptField("number", "Missing", "records", "in B, of those in A"),
        "extra": KeptField("number", "Extra", "records", "in B, and not in A"),
        "duplicates": KeptField("number", "Duplicates", "records"),
        "altered": KeptField("number", "Altered", "records"),
        "reordered": KeptField("number", "Reordered", "records"),
        "pending": KeptField("number", "Pending", "records", "in A, on their way to B"),
        "differing": KeptField("number", "Buckets that differ"),
        "behind_ms": KeptField("number", "Behind", "ms", "B's latest record against A's"),
    },
    "buckets": {
        **_PLACE,
        "bucket": KeptField("time", "Bucket", "ms"),
        "state": KeptField("text", "State"),
        **_NUMBERS,
        "bytes_a": KeptField("number", "Bytes A", "bytes"),
        "bytes_b": KeptField("number", "Bytes B", "bytes"),
    },
    "records": {
        **_PLACE,
        "what": KeptField("text", "What"),
        "key": KeptField("text", "Key"),
        "offset_a": KeptField("number", "Offset A"),
        "offset_b": KeptField("number", "Offset B"),
        "timestamp": KeptField("time", "Timestamp", "ms"),
    },
}


def keep_run(
    root: str, now_ms: int, source: Sequence[str], rows: Mapping[str, Sequence[Row]]
) -> None:
    """Write a run: by section its rows. ``source`` is what was compared; runs over the same belong
    together. Raises StorageError, and UsageError without pyarrow."""
    mark = hashlib.sha256(repr(list(source)).encode()).hexdigest()[:8]
    day = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%d")
    name = f"{now_ms}-{mark}-{secrets.token_hex(4)}.parquet"
    for section, fields in SECTIONS.items():
        if section != "partitions" and not rows.get(section):
            continue
        folder = Path(root, "kind=audit", f"section={section}", f"date={day}")
        data = parquet_of(rows.get(section, ()), fields, now_ms)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            hidden = folder / f".{name}"
            hidden.write_bytes(data)
            os.replace(hidden, folder / name)
        except OSError as error:
            raise StorageError(f"{folder}: {error.strerror}") from None


def parquet_of(
    rows: Sequence[Row], fields: Mapping[str, KeptField], now_ms: int | None = None
) -> bytes:
    """Rows as a file of Parquet, the moment of the run first where it is given. Raises UsageError
    without pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet is written with pyarrow: pip install pyarrow") from None
    types: dict[str, Any] = {
        "text": pa.string(), "number": pa.int64(), "time": pa.timestamp("ms", "UTC"),
        "unsigned": pa.uint64(),
    }  # fmt: skip
    every = dict(fields) if now_ms is None else {"now": KeptField("time", "Now", "ms"), **fields}
    columns = []
    for key, field in every.items():
        values = [now_ms if key == "now" else row.get(key) for row in rows]
        columns.append(pa.array(values, types[field.kind]))
    schema = pa.schema(
        [
            pa.field(key, types[f.kind], metadata={"title": f.title, "unit": f.unit, "doc": f.doc})
            for key, f in every.items()
        ]
    )
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), out, compression="zstd")
    return out.getvalue()
