"""The runs that a history holds, in a directory here or in an object store; Spark is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.errors import CorruptError, StorageError
from pykafka_ops.objects import uris
from pykafka_ops.runs.layout import KINDS
from pykafka_ops.runs.read import kept_columns, plain_rows, short
from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.output.arrow_store import ArrowStore
from pykafka_ops.spark.output.history import day_of
from pykafka_ops.spark.output.kept_runs import DayRun, day_runs, left_out
from pykafka_ops.spark.output.stores import LocalStore, Store

if TYPE_CHECKING:
    from pykafka_ops.runs.read import KeptColumn, Row


def opened(place: str) -> Store:
    """The directory at a path or URI. StorageError where it is not there or does not answer,
    UsageError for a URI that ``pyarrow.fs`` does not open."""
    if uris.is_remote(place):
        return ArrowStore(place)
    path = Path(uris.local_path(place) if uris.is_uri(place) else place).expanduser()
    if not path.is_dir():
        raise StorageError(f"{place}: there is no such directory")
    return LocalStore(path)


class HistoryRuns:
    """The runs of a history. ``problems`` grows by the files that cannot be read."""

    def __init__(self, place: str) -> None:
        """Raises as ``opened``."""
        self.place = uris.shown(place)
        self._store = opened(place)
        self.problems: list[Problem] = []

    def kinds(self) -> list[str]:
        """The kinds of reports that it has runs of."""
        return [kind for kind in KINDS if self.sections(kind)]

    def sections(self, kind: str) -> list[str]:
        """The sections that runs of a kind have."""
        found = self._store.names(f"kind={kind}")
        return sorted(n.partition("=")[2] for n in found if n.startswith("section="))

    def runs(
        self, kind: str, section: str, *, since: int = 0, until: int, source: str | None = None
    ) -> Iterator[DayRun]:
        """The runs of a section from ``since`` to before ``until`` (ms), newest first; of days
        outside nothing is read."""
        folder = f"kind={kind}/section={section}"
        days = (name.partition("=")[2] for name in self._store.names(folder))
        first, last = day_of(since), day_of(until)
        for day in sorted((d for d in days if first <= d <= last), reverse=True):
            for kept in day_runs(self._store, f"{folder}/date={day}", source, self.problems):
                if since <= kept.now < until:
                    yield kept

    def left_out(self, kept: DayRun, error: Exception) -> None:
        """Take note of a run that cannot be read."""
        self.problems.append(left_out(self._store, kept.file, error))

    def newest(self, kind: str, until: int, source: str | None = None) -> dict[str, DayRun]:
        """The newest run before ``until`` (ms) that any section has, by the sections that have it;
        empty where there is none."""
        found: dict[str, list[DayRun]] = {}
        for section in self.sections(kind):
            runs = self.runs(kind, section, until=until, source=source)
            for _, newest in groupby(runs, key=lambda kept: kept.now):
                found[section] = list(newest)
                break
        heads = (kept[0].run for kept in found.values())
        run = max(heads, key=lambda run: run.now, default=None)
        had = ((name, [one for one in runs if one.run == run]) for name, runs in found.items())
        return {name: same[0] for name, same in had if same}


def kept_rows(section: str, kept: DayRun) -> tuple[list[Row], list[KeptColumn]]:
    """The rows of a section of a run, and its columns. CorruptError for a damaged file."""
    try:
        table = kept.table()
    except Exception as error:  # pyarrow raises what it likes about bytes that are wrong
        raise CorruptError(f"section {section}: {short(error)}") from None
    return plain_rows(table), kept_columns(table.schema)


def document_bytes(place: str, most: int) -> bytes:
    """A file here or in an object store, of which at most ``most`` bytes are read. Raises OSError
    for a file of this machine, StorageError and UsageError for one behind a URI."""
    if not uris.is_remote(place):
        path = uris.local_path(place) if uris.is_uri(place) else place
        with Path(path).expanduser().open("rb") as file:
            return file.read(most)
    folder, name = uris.split_file(place)
    data = ArrowStore(folder).read(name, most) if name else None
    if data is None:
        raise StorageError(f"{uris.shown(place)}: there is no such file")
    return data
