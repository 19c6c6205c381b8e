"""Reads runs from a directory of this machine. Whatever is in its files, a reader goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pykafka_ops.errors import CorruptError, PkoError, StorageError, UsageError
from pykafka_ops.runs.layout import KINDS, STAMPS, RunName, day_name, run_name
from pykafka_ops.runs.merged import check_version, parts

MOST_RUNS: Final = 200
"""Runs of a kind that are named: the newest."""
MOST_FILES: Final = 20_000
"""Names of a directory that are looked at."""
MOST_BYTES: Final = 256 << 20
"""Of a file that is read."""
Row = dict[str, Any]


class KeptColumn(NamedTuple):
    """A column as the report described it; ``unit`` as ``page.units.value_text`` knows it."""

    name: str
    title: str
    unit: str
    doc: str


class KeptSection(NamedTuple):
    """A section of a run: its columns, its first rows, how many there are."""

    name: str
    columns: Sequence[KeptColumn]
    rows: Sequence[Row]
    total: int


def runs(root: Path) -> dict[str, list[RunName]]:
    """The newest runs by kind, newest first; kinds without any are left out. Raises StorageError
    for a directory that cannot be listed."""
    if not root.is_dir():
        raise StorageError(f"{root}: there is no such directory")
    found = {kind: _runs(root / f"kind={kind}") for kind in KINDS}
    return {kind: names for kind, names in found.items() if names}


def sections(root: Path, kind: str, run: str) -> list[str]:
    """The sections that a run has, by name. Raises StorageError."""
    folders = [name for name in _names(root / f"kind={kind}") if name.startswith("section=")]
    found = [f for f in sorted(folders) if _place(root / f"kind={kind}" / f, run) is not None]
    return [folder.partition("=")[2] for folder in found]


def section(root: Path, kind: str, run: str, name: str, most: int) -> KeptSection:
    """A section of a run with its first ``most`` rows. Raises StorageError for a file that cannot
    be read, CorruptError for a damaged one, UsageError without pyarrow."""
    file, groups = _opened(root, kind, run, name)
    try:
        total = sum(file.metadata.row_group(n).num_rows for n in groups)
        columns = kept_columns(file.schema_arrow)
        batch = (
            next(file.iter_batches(batch_size=most, row_groups=groups), None) if groups else None
        )
        rows = [] if batch is None else plain_rows(_table(batch))
    except Exception as error:  # pyarrow raises what it likes about bytes that are wrong
        raise CorruptError(f"section {name}: {short(error)}") from None
    return KeptSection(name, columns, rows, total)


def total(root: Path, kind: str, run: str, name: str, field: str) -> float | None:
    """The sum of a field over a section of a run; None where it is known of no row. Raises as
    ``section``."""
    file, groups = _opened(root, kind, run, name)
    try:
        values = file.read_row_groups(groups, columns=[field]).column(field).to_pylist()
    except Exception as error:
        raise CorruptError(f"section {name}: {short(error)}") from None
    known = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return sum(known) if known else None


def _runs(kind: Path) -> list[RunName]:
    """The newest runs that any section of a kind has."""
    found: dict[str, RunName] = {}
    for folder in (kind / name for name in _names(kind) if name.startswith("section=")):
        mine = 0
        days = sorted((d for d in _names(folder) if d.startswith("date=")), reverse=True)
        for day in days:
            names = [run for n in _names(folder / day) for run in _runs_in(folder / day / n)]
            found.update({r.name: r for r in names})
            mine += len(names)
            if mine >= MOST_RUNS:
                break
    return sorted(found.values(), key=lambda r: (-r.now, r.name))[:MOST_RUNS]


def _names(folder: Path) -> list[str]:
    found: list[str] = []
    try:
        for path in folder.iterdir():
            found.append(path.name)
            if len(found) >= MOST_FILES:
                break
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(f"{folder}: {error.strerror or error}") from None
    return found


def _runs_in(path: Path) -> list[RunName]:
    """The runs of a file; none of a damaged one with several, or another file."""
    run = run_name(path.name)
    if run is not None:
        return [run]
    if day_name(path.name) is None:
        return []
    try:
        import pyarrow.parquet as pq

        return [part.run for part in parts(pq.ParquetFile(path))]
    except Exception:  # its damage is told where it is read
        return []


def _place(folder: Path, run: str) -> Path | None:
    """The file in a section that has a run: its own, or that of its day."""
    wanted = run_name(run)
    for day in _names(folder):
        if not day.startswith("date="):
            continue
        if (folder / day / run).is_file():
            return folder / day / run
        for name in _names(folder / day):
            found = day_name(name)
            if found is None or wanted is None or found.source != wanted.source:
                continue
            if found.first <= wanted.now <= found.last and wanted in _runs_in(folder / day / name):
                return folder / day / name
    return None


def _opened(root: Path, kind: str, run: str, name: str) -> tuple[Any, list[int]]:
    """The file, and the row groups that the run has in it."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("runs of reports are read with pyarrow: pip install pyarrow") from None
    path = _place(root / f"kind={kind}" / f"section={name}", run)
    if path is None:
        raise StorageError(f"section {name}: the run has no such section")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StorageError(f"section {name}: {path.stat().st_size} bytes are too many to read")
        file = pq.ParquetFile(path)
        if run_name(path.name) is not None:
            check_version(file)
            return file, list(range(file.num_row_groups))
        groups = [part.group for part in parts(file) if part.run.name == run]
        return file, [group for group in groups if group is not None]
    except PkoError:
        raise
    except Exception as error:  # pyarrow raises what it likes about bytes that are wrong
        raise CorruptError(f"section {name}: {short(error)}") from None


def kept_columns(schema: Any) -> list[KeptColumn]:
    """The columns of a section's file, without those that say which run it is."""
    return [_column(field) for field in schema if field.name not in STAMPS]


def _column(field: Any) -> KeptColumn:
    metadata: Mapping[bytes, bytes] = field.metadata or {}
    title, unit, doc = (
        metadata.get(key, b"").decode("utf-8", "replace") for key in (b"title", b"unit", b"doc")
    )
    return KeptColumn(field.name, title or field.name, unit, doc)


def _table(batch: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def plain_rows(made: Any) -> list[Row]:
    """Rows of a section, without what says which run they are of; moments in ms."""
    import pyarrow as pa

    made = made.drop_columns([name for name in STAMPS if name in made.column_names])

    for i, field in enumerate(made.schema):
        if pa.types.is_timestamp(field.type):
            made = made.set_column(i, field.name, made.column(i).cast(pa.int64()))
    rows: list[Row] = made.to_pylist()
    return rows


def short(error: Exception) -> str:
    """What an error says, in a line of at most 200 characters."""
    return " ".join(str(error).split())[:200] or type(error).__name__
