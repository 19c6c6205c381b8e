"""The runs of a report, kept as Parquet files, and what changed since the last one.

They lie as ``pykafka_ops.runs.layout`` says, with ``now`` of the run as first column. Names are
unique and files appear whole, so that runs at the same time do not collide.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pykafka_ops.runs.layout import TRENDS, run_name
from pykafka_ops.runs.read import rows_of
from pykafka_ops.spark.model import Column, Problem, Report, Row, Section
from pykafka_ops.spark.output.arrow import parquet_bytes
from pykafka_ops.spark.output.stores import Store

RUNS = 200
"""Earlier runs that are read at most."""
ROWS = 200_000
"""Rows of a section that are read at most; the last run is read whatever its size."""

_NOW = Column("now", "Now", "ms", "the moment that the run is about")

History = dict[str, list[dict[str, object]]]


def source_id(source: Mapping[str, object]) -> str:
    """Eight hex digits that stand for what a report reads."""
    text = repr(sorted((k, str(v)) for k, v in source.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def append(store: Store, report: Report, source: str) -> None:
    """Keep a run. Raises StorageError."""
    day = datetime.fromtimestamp(report.now / 1000, UTC).strftime("%Y-%m-%d")
    name = f"{report.now}-{source}-{secrets.token_hex(4)}.parquet"
    files = {}
    for section in report.sections:
        columns = [_NOW, *(c for c in section.columns if c.name != "now")]
        rows = [{**row, "now": report.now} for row in section.rows]
        stamped = Section(section.name, section.title, columns, rows)
        where = f"kind={report.kind}/section={section.name}/date={day}"
        files[f"{where}/{name}"] = parquet_bytes(stamped, {"pko.source": source})
    store.write(files)


def load(store: Store, kind: str, source: str, before: int) -> tuple[History, list[Problem]]:
    """Rows of the runs before ``before`` (ms) by section, oldest first; what cannot be read.

    At most RUNS runs and about ROWS rows of each section. A directory that is not there yet is an
    empty history; StorageError for one that cannot be listed.
    """
    problems: list[Problem] = []
    found: History = {}
    root = f"kind={kind}"
    for section in store.names(root):
        if section.startswith("section="):
            names = _runs(store, f"{root}/{section}", source, before)
            found[section.partition("=")[2]] = _rows(store, names, problems)
    return found, problems


def _runs(store: Store, section: str, source: str, before: int) -> list[tuple[int, str]]:
    """The files of earlier runs, newest first."""
    found: list[tuple[int, str]] = []
    days = (day for day in store.names(section) if day.startswith("date="))
    for day in sorted(days, reverse=True):
        for name in store.names(f"{section}/{day}"):
            match = run_name(name)
            if match and match.source == source and match.now < before:
                found.append((match.now, f"{section}/{day}/{name}"))
        if len(found) >= RUNS:
            break
    return sorted(found, reverse=True)[:RUNS]


def _rows(
    store: Store, names: Sequence[tuple[int, str]], problems: list[Problem]
) -> list[dict[str, object]]:
    runs: list[list[dict[str, object]]] = []
    total = 0
    for now, name in names:
        if total >= ROWS:
            break
        try:
            rows = rows_of(store.read(name) or b"")
        except Exception as e:  # whatever is in the file, the report goes on
            where = f"{store.root}/{name}"
            problems.append(Problem(where, f"left out of the history: {_short(e)}"))
            continue
        runs.append([{**row, "now": now} for row in rows])
        total += len(rows)
    return [row for run in reversed(runs) for row in run]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def with_trends(report: Report, history: Mapping[str, Sequence[Row]]) -> Report:
    """The report with ``FIELD_change`` columns: now less the last run; None for a row new since.

    ``summary`` gets ``previous_run``, the moment of that run in ms (None: this is the first).
    """
    wanted = TRENDS.get(report.kind, {})
    last = max((int(str(r["now"])) for n in wanted for r in history.get(n, ())), default=None)
    sections = [
        _with_changes(s, *wanted[s.name], _last_run(history.get(s.name, ()), last))
        if s.name in wanted
        else s
        for s in report.sections
    ]
    return replace(report, sections=sections, summary={**report.summary, "previous_run": last})


def _last_run(rows: Sequence[Row], last: int | None) -> list[Row]:
    return [row for row in rows if row.get("now") == last]


def _with_changes(
    section: Section, keys: tuple[str, ...], name: str, before: Sequence[Row]
) -> Section:
    def key(row: Row) -> tuple[str, ...]:
        return tuple(str(row.get(k)) for k in keys)

    old = {key(row): row.get(name) for row in before}
    columns = with_change(section.columns, name)
    rows = [
        {**row, f"{name}_change": _difference(row.get(name), old.get(key(row)))}
        for row in section.rows
    ]
    return replace(section, columns=columns, rows=rows)


def with_change(columns: Sequence[Column], name: str) -> list[Column]:
    """The columns, with that of the change behind the one of that name."""
    found: list[Column] = []
    for column in columns:
        found.append(column)
        if column.name == name:
            doc = f"{column.title} now less that of the last run in the history; empty: new since"
            title = f"{column.title} +/-"
            found.append(Column(f"{name}_change", title, column.unit, doc, spare=True))
    return found


def _difference(now: object, before: object) -> float | int | None:
    if not isinstance(now, (int, float)) or not isinstance(before, (int, float)):
        return None
    return now - before
