"""The runs of one day in a history: files of their own, or one of many. Days that are over are
merged, since hundreds of small files cost more to open than to read."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.runs import merged
from pykafka_ops.runs.layout import RunName, day_name, file_of_day, run_name
from pykafka_ops.runs.read import short
from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.output.stores import Store

if TYPE_CHECKING:
    import pyarrow as pa

LEAST: Final = 8
"""Files of a day that are worth merging."""
_DAYS: Final = 7
"""Days back that are looked at for it."""


@dataclass(frozen=True, slots=True)
class DayRun:
    """A run: its file, and what reads its rows from there (raises what PyArrow raises)."""

    run: RunName
    file: str
    table: Callable[[], pa.Table]

    @property
    def now(self) -> int:
        """When it was (ms since 1970)."""
        return self.run.now


def day_runs(store: Store, day: str, source: str | None, problems: list[Problem]) -> list[DayRun]:
    """The runs in the folder of a day over a source (None: over any), newest first; of the same
    moment the one with a file of its own first. A file of many that cannot be read is a problem."""
    own, others = [], []
    for name in store.names(day):
        run, many = run_name(name), day_name(name)
        if run is not None and source in (None, run.source):
            own.append(DayRun(run, f"{day}/{name}", _one(store, f"{day}/{name}")))
        elif many is not None and source in (None, many.source):
            try:
                others += _many(store, f"{day}/{name}")
            except Exception as error:  # whatever is in the file
                problems.append(left_out(store, f"{day}/{name}", error))
    return sorted([*own, *others], key=lambda kept: kept.now, reverse=True)


def _one(store: Store, name: str) -> Callable[[], pa.Table]:
    def table() -> pa.Table:
        file = _file(store, name)
        merged.check_version(file)
        return file.read()

    return table


def _many(store: Store, name: str) -> list[DayRun]:
    file = _file(store, name)

    def reader(part: merged.RunPart) -> Callable[[], pa.Table]:
        return lambda: merged.read(file, part)

    return [DayRun(part.run, name, reader(part)) for part in merged.parts(file)]


def _file(store: Store, name: str) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(io.BytesIO(store.read(name) or b""))


def left_out(store: Store, name: str, error: Exception) -> Problem:
    """What is said of a file that cannot be read."""
    return Problem(f"{store.root}/{name}", f"left out of the history: {short(error)}")


def compact(store: Store, kind: str, source: str, today: str) -> list[Problem]:
    """Merge the files of the newest day before ``today`` that has enough of them, in each section.

    The new file is there before the others go, and whoever reads in between counts each run once;
    of two that do this at the same time both files are right.
    """
    problems: list[Problem] = []
    root = f"kind={kind}"
    for section in (s for s in store.names(root) if s.startswith("section=")):
        folders = store.names(f"{root}/{section}")
        over = sorted(d for d in folders if d.startswith("date=") and d < f"date={today}")
        for day in reversed(over[-_DAYS:]):
            folder = f"{root}/{section}/{day}"
            mine = [r for n in store.names(folder) if (r := run_name(n)) and r.source == source]
            if len(mine) >= LEAST:
                problems += _merge(store, folder, source)
                break
    return problems


def _merge(store: Store, day: str, source: str) -> list[Problem]:
    damaged: list[Problem] = []
    runs: dict[int, tuple[RunName, pa.Table]] = {}
    files, unread = set(), set()
    for kept in day_runs(store, day, source, damaged):
        try:
            runs.setdefault(kept.now, (kept.run, kept.table()))
            files.add(kept.file)
        except Exception:  # it stays as it is; who reads it says so
            unread.add(kept.file)
    if not runs:
        return []
    ordered = [runs[now] for now in sorted(runs)]
    name = f"{day}/{file_of_day([run for run, _ in ordered])}"
    try:
        made = merged.merged(source, ordered)
    except Exception as error:  # of PyArrow, about types that do not go together
        return [Problem(f"{store.root}/{day}", f"its runs are not merged: {short(error)}")]
    store.write({name: made})
    store.remove(sorted(files - unread - {name}))
    return []
