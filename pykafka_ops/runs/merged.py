"""Files with the runs of a whole day in them: a run is a row group, the footer names them all."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pykafka_ops.errors import CorruptError
from pykafka_ops.runs.layout import SCHEMA_VERSION, RunName, run_name

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_RUNS: Final = b"pko.runs"
_VERSION: Final = b"pko.schema_version"


class RunPart(NamedTuple):
    """A run of a file: its name, and the row group that has its rows (None: it has none)."""

    run: RunName
    group: int | None


def parts(file: pq.ParquetFile) -> list[RunPart]:
    """The runs of a file of a day, in their order. CorruptError where the footer does not name
    them, or a newer ``pko`` wrote it."""
    check_version(file)
    try:
        named = json.loads((file.metadata.metadata or {})[_RUNS])
        found, group = [], 0
        for name, rows in named:
            run = run_name(name)
            if run is None:
                raise ValueError(name)
            found.append(RunPart(run, group if rows else None))
            group += bool(rows)
    except (KeyError, TypeError, ValueError):
        raise CorruptError("its footer does not say which runs it has") from None
    if group != file.num_row_groups:
        raise CorruptError(f"it has {file.num_row_groups} row groups for {group} runs")
    return found


def check_version(file: pq.ParquetFile) -> None:
    """CorruptError for a file that a newer ``pko`` wrote: columns may mean something else there."""
    said = (file.metadata.metadata or {}).get(_VERSION, b"1")
    if not said.isdigit() or int(said) > SCHEMA_VERSION:
        version = said.decode("utf-8", "replace")[:20]
        raise CorruptError(f"a newer pko wrote it (schema version {version}): upgrade this one")


def read(file: pq.ParquetFile, part: RunPart) -> pa.Table:
    """The rows of a run."""
    if part.group is None:
        return file.schema_arrow.empty_table()
    return file.read_row_group(part.group)


def metadata(source: str) -> dict[str, str]:
    """What the footer of every file says."""
    return {"pko.source": source, _VERSION.decode(): str(SCHEMA_VERSION)}


def merged(source: str, runs: Sequence[tuple[RunName, pa.Table]]) -> bytes:
    """One file of these runs, oldest first; columns that some lack are null there.

    Raises what PyArrow raises where two runs have columns of types that do not go together.
    """
    import pyarrow.parquet as pq

    schemas = [_known(table) for _, table in reversed(runs)]
    schemas += [table.schema.remove_metadata() for _, table in runs[-1:]]
    schema = _unified(schemas)
    names = json.dumps([[run.name, table.num_rows] for run, table in runs])
    about = {**metadata(source), _RUNS.decode(): names}
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema.with_metadata(about), compression="zstd") as writer:
        for table in _fitting(schema.with_metadata(about), [table for _, table in runs]):
            if table.num_rows:
                writer.write_table(table, row_group_size=table.num_rows)
    return out.getvalue()


def _known(table: pa.Table) -> pa.Schema:
    """The columns that have a value: without any, a type was a guess."""
    import pyarrow as pa

    kept = [f for f in table.schema if table.column(f.name).null_count < table.num_rows]
    return pa.schema(kept)


def _unified(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The columns of all; the last schema only says of what type those are that none has."""
    import pyarrow as pa

    *known, last = schemas
    found = pa.unify_schemas(known, promote_options="permissive")
    fields = [found.field(f.name) if f.name in found.names else f for f in last]
    fields += [f for f in found if f.name not in last.names]
    return pa.schema(fields)


def _fitting(schema: pa.Schema, tables: Sequence[pa.Table]) -> Iterator[pa.Table]:
    import pyarrow as pa

    for table in tables:
        known = _known(table).names
        columns = [
            table.column(f.name).cast(f.type) if f.name in known else pa.nulls(len(table), f.type)
            for f in schema
        ]
        yield pa.Table.from_arrays(columns, schema=schema)
