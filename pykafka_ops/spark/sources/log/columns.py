"""Runs of batches as the columns of ``kafka-log``; only those asked for are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pykafka_ops.disk.batch import (
    CONTROL_FLAG,
    DELETE_HORIZON_FLAG,
    LOG_APPEND_TIME_FLAG,
    LOG_OVERHEAD,
    TRANSACTIONAL_FLAG,
)
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.spark.arrow import assembled
from pykafka_ops.spark.decode.records import Columns, Plain, header_column
from pykafka_ops.spark.sources.log.scan import BatchRun

TIMESTAMP = pa.timestamp("us", tz="UTC")
_MOST_MS = (2**63 - 1) // 1000
_CODECS = pa.array([*CODEC_NAMES, "unknown", "unknown", "unknown"])
Ints = npt.NDArray[np.int64]
Heads = npt.NDArray[Any]


def times(ms: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Timestamps of ms since 1970; null where ``missing``, or outside the years of Spark."""
    ms = ms.astype(np.int64)
    out = (ms > _MOST_MS) | (ms < -_MOST_MS)
    if missing is not None:
        out |= missing
    micros = np.where(out, 0, ms) * 1000
    mask = out if out.any() else None
    return pa.array(micros, pa.int64(), mask=mask).view(TIMESTAMP)


def _flag(bit: int) -> Callable[[Heads], pa.Array]:
    return lambda heads: pa.array((heads["attributes"] & bit) != 0)


def _field(name: str, kind: type) -> Callable[[Heads], pa.Array]:
    return lambda heads: pa.array(heads[name].astype(kind))


def _first_times(heads: Heads) -> pa.Array:
    """A batch's first timestamp; the cleaner writes another time in its place (KIP-534)."""
    appended = (heads["attributes"] & LOG_APPEND_TIME_FLAG) != 0
    first = np.where(appended, heads["max_timestamp"], heads["base_timestamp"])
    horizon = (heads["attributes"] & DELETE_HORIZON_FLAG) != 0
    return times(first, (first < 0) | (horizon & ~appended))


_OF_HEADS: Mapping[str, Callable[[Heads], pa.Array]] = {
    "base_offset": _field("base_offset", np.int64),
    "last_offset": lambda h: pa.array(h["base_offset"].astype(np.int64) + h["last_delta"]),
    "records": _field("records", np.int32),
    "first_timestamp": _first_times,
    "max_timestamp": lambda h: times(h["max_timestamp"], h["max_timestamp"] < 0),
    "timestamp_type": lambda h: pa.array(
        ((h["attributes"] & LOG_APPEND_TIME_FLAG) != 0).astype(np.int32)
    ),
    "size": lambda h: pa.array(h["length"].astype(np.int32) + np.int32(LOG_OVERHEAD)),
    "codec": lambda h: _CODECS.take(pa.array((h["attributes"] & 7).astype(np.int8))),
    "magic": _field("magic", np.int32),
    "leader_epoch": _field("leader_epoch", np.int32),
    "producer_id": _field("producer_id", np.int64),
    "producer_epoch": _field("producer_epoch", np.int32),
    "base_sequence": _field("base_sequence", np.int32),
    "transactional": _flag(TRANSACTIONAL_FLAG),
    "control": _flag(CONTROL_FLAG),
}


def batch_rows(schema: pa.Schema, same: Mapping[str, object], run: BatchRun) -> pa.RecordBatch:
    """A row per batch of ``run``."""
    count = len(run.heads)
    arrays = []
    for field in schema:
        make = _OF_HEADS.get(field.name)
        if make is not None:
            arrays.append(make(run.heads))
        elif field.name == "position":
            arrays.append(pa.array(run.positions))
        else:
            arrays.append(constant(same.get(field.name), field.type, count))
    return assembled(schema, arrays, count)


def plain_rows(
    schema: pa.Schema,
    same: Mapping[str, object],
    rows: Sequence[Mapping[str, object]],
    *,
    keep_missing: bool = False,
) -> pa.RecordBatch:
    """Rows of values by column name, timestamps in ms; what a row does not name is null.

    A timestamp of -1 means none; Spark's ``kafka`` source shows it all the same
    (``keep_missing``).
    """
    arrays = []
    for field in schema:
        named = same.get(field.name)
        values = [row.get(field.name, named) for row in rows]
        if field.type == TIMESTAMP:
            ms = [value if isinstance(value, int) else -1 for value in values]
            stamps = np.array([min(max(v, -1), 2**63 - 1) for v in ms], np.int64)
            arrays.append(times(stamps, None if keep_missing else stamps < 0))
        else:
            arrays.append(pa.array(values, field.type))
    return assembled(schema, arrays, len(rows))


def record_rows(
    schema: pa.Schema, same: Mapping[str, object], plain: Plain, found: Columns
) -> pa.RecordBatch:
    """A row per record, with the columns of Spark's ``kafka`` source."""
    owners = found.owners
    made: dict[str, Callable[[], pa.Array]] = {
        "key": lambda: found.keys,
        "value": lambda: found.values,
        "key_size": lambda: _sizes(found.key_sizes),
        "value_size": lambda: _sizes(found.value_sizes),
        "offset": lambda: pa.array(found.offsets),
        "timestamp": lambda: times(found.timestamps),
        "timestampType": lambda: pa.array(
            ((plain.heads["attributes"] & LOG_APPEND_TIME_FLAG) != 0).astype(np.int32)[owners]
        ),
    }
    arrays = []
    for field in schema:
        if field.name == "headers":
            if (found.headers >= 0).any():
                arrays.append(header_column(plain.data, found.headers.tolist(), field.type))
            else:
                arrays.append(pa.nulls(found.number, field.type))
        elif field.name in made:
            arrays.append(made[field.name]())
        else:
            arrays.append(constant(same.get(field.name), field.type, found.number))
    return assembled(schema, arrays, found.number)


def _sizes(sizes: npt.NDArray[np.int32]) -> pa.Array:
    missing = sizes < 0
    return pa.array(sizes, mask=missing if missing.any() else None)


def constant(value: object, kind: pa.DataType, count: int) -> pa.Array:
    """``count`` times the same value."""
    if value is None:
        return pa.nulls(count, kind)
    return pa.repeat(pa.scalar(value, kind), count)


def overlapping(run: BatchRun, low: int, high: int, *, owned: bool = False) -> BatchRun:
    """The batches of ``run`` with an offset from ``low`` to below ``high``; with ``owned`` those
    whose last offset is there, so that ranges side by side share none."""
    base = run.heads["base_offset"].astype(np.int64)
    last = base + run.heads["last_delta"]
    keep = (last >= low) & ((last if owned else base) < high)
    if keep.all():
        return run
    return run._replace(positions=run.positions[keep], heads=run.heads[keep])
