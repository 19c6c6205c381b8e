"""The runs of a report, kept as Parquet files, and what changed since the last one.

They lie as ``pykafka_ops.runs.layout`` says, with ``now``, ``run_id`` and ``schema_version`` as
first columns. Files appear whole, and each run has its own, so that runs at the same time do not
collide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pykafka_ops.runs import merged
from pykafka_ops.runs.layout import SCHEMA_VERSION, STAMPS, TRENDS, file_of_run, run_id
from pykafka_ops.runs.read import plain_rows
from pykafka_ops.spark.model import Column, Problem, Report, Row, Section
from pykafka_ops.spark.output.arrow import parquet_bytes
from pykafka_ops.spark.output.kept_runs import DayRun, day_runs, left_out
from pykafka_ops.spark.output.stores import Store

RUNS = 200
"""Earlier runs that are read at most."""
ROWS = 200_000
"""Rows of a section that are read at most; the last run is read whatever its size."""

_STAMPS = (
    Column("now", "Now", "ms", "the moment that the run is about"),
    Column("run_id", "Run", doc="the run: the same if it is made again"),
    Column("schema_version", "Version", doc="of these columns", kind="number"),
)

History = dict[str, list[dict[str, object]]]


def source_id(source: Mapping[str, object]) -> str:
    """Eight hex digits that stand for what a report reads."""
    text = repr(sorted((k, str(v)) for k, v in source.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def append(store: Store, report: Report, source: str) -> None:
    """Keep a run, instead of an earlier one over the same at the same moment. StorageError."""
    name, run = file_of_run(report.now, source), run_id(report.now, source)
    stamp = {"now": report.now, "run_id": run, "schema_version": SCHEMA_VERSION}
    files = {}
    for section in report.sections:
        columns = [*_STAMPS, *(c for c in section.columns if c.name not in STAMPS)]
        rows = [{**row, **stamp} for row in section.rows]
        stamped = Section(section.name, section.title, columns, rows)
        where = f"kind={report.kind}/section={section.name}/date={day_of(report.now)}"
        files[f"{where}/{name}"] = parquet_bytes(stamped, merged.metadata(source))
    store.write(files)


def day_of(now: int) -> str:
    """The day in UTC of a moment (ms)."""
    return datetime.fromtimestamp(now / 1000, UTC).strftime("%Y-%m-%d")


def load(store: Store, kind: str, source: str, before: int) -> tuple[History, list[Problem]]:
    """Rows of the runs before ``before`` (ms) by section, oldest first; what cannot be read.

    At most RUNS runs and about ROWS rows of each section: of days and files beyond them nothing is
    read. A directory that is not there yet is an empty history; StorageError for one that cannot be
    listed.
    """
    problems: list[Problem] = []
    found: History = {}
    root = f"kind={kind}"
    for section in store.names(root):
        if section.startswith("section="):
            rows = _rows(store, f"{root}/{section}", (source, before), problems)
            found[section.partition("=")[2]] = rows
    return found, problems


def _rows(
    store: Store, section: str, wanted: tuple[str, int], problems: list[Problem]
) -> list[dict[str, object]]:
    runs: list[list[dict[str, object]]] = []
    total = 0
    for rows in _newest_first(store, section, wanted, problems):
        runs.append(rows)
        total += len(rows)
        if len(runs) >= RUNS or total >= ROWS:
            break
    return [row for run in reversed(runs) for row in run]


def _newest_first(
    store: Store, section: str, wanted: tuple[str, int], problems: list[Problem]
) -> Iterator[list[dict[str, object]]]:
    """The rows of each run, read as they are taken."""
    source, before = wanted
    seen = set()
    days = (day for day in store.names(section) if day.startswith("date="))
    for day in sorted((d for d in days if d <= f"date={day_of(before)}"), reverse=True):
        for kept in day_runs(store, f"{section}/{day}", source, problems):
            if kept.now >= before or kept.now in seen:
                continue
            rows = _read(store, kept, problems)
            if rows is not None:
                seen.add(kept.now)
                yield rows


def _read(store: Store, kept: DayRun, problems: list[Problem]) -> list[dict[str, object]] | None:
    try:
        rows = plain_rows(kept.table())
    except Exception as e:  # whatever is in the file, the report goes on
        problems.append(left_out(store, kept.file, e))
        return None
    return [{"now": kept.now, **row} for row in rows]


def with_trends(report: Report, history: Mapping[str, Sequence[Row]]) -> Report:
    """The report with ``FIELD_change`` columns: now less the last run; None for a row new since.

    ``summary`` gets ``previous_run``, the moment of that run in ms (None: this is the first).
    """
    changes = RunChanges(report.kind, history)
    sections = []
    for section in report.sections:
        change = changes.of(section.name)
        sections.append(section if change is None else change.of(section))
    summary = {**report.summary, "previous_run": changes.last}
    return replace(report, sections=sections, summary=summary)


@dataclass(frozen=True, slots=True)
class SectionChange:
    """What the field ``name`` of a section was in the last run, by the values of ``keys``."""

    keys: tuple[str, ...]
    name: str
    old: Mapping[tuple[str, ...], object]

    def columns(self, known: Sequence[Column]) -> list[Column]:
        """The columns of the section, with that of the change."""
        return with_change(known, self.name)

    def row(self, row: Row) -> Row:
        """A row with its change."""
        change = _difference(row.get(self.name), self.old.get(_key(row, self.keys)))
        return {**row, f"{self.name}_change": change}

    def of(self, section: Section) -> Section:
        """The section with its changes."""
        rows = [self.row(row) for row in section.rows]
        return replace(section, columns=self.columns(section.columns), rows=rows)


class RunChanges:
    """What of a kind of reports changed since the last run in a history, whose moment is ``last``
    (ms; None: there is none)."""

    def __init__(self, kind: str, history: Mapping[str, Sequence[Row]]) -> None:
        self._wanted, self._history = TRENDS.get(kind, {}), history
        moments = (int(str(r["now"])) for n in self._wanted for r in history.get(n, ()))
        self.last = max(moments, default=None)

    def of(self, section: str) -> SectionChange | None:
        """The change of a section; None where none is looked at."""
        if section not in self._wanted:
            return None
        keys, name = self._wanted[section]
        before = [row for row in self._history.get(section, ()) if row.get("now") == self.last]
        return SectionChange(keys, name, {_key(row, keys): row.get(name) for row in before})


def _key(row: Row, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row.get(k)) for k in keys)


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
