"""A run of a report as it was kept: a document of ``-o json``, or a run of ``--history`` by its
time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pykafka_ops.analysis.moments import moment, moment_text
from pykafka_ops.errors import CorruptError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.inputs.history_runs import HistoryRuns, document_bytes, kept_rows
from pykafka_ops.spark.output.kept_runs import DayRun

VERSION: Final = 1
_MOST_BYTES: Final = 1 << 30
_MOST_ROWS: Final = 1_000_000
_END: Final = "-report"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptRun:
    """``sections`` have rows and the units of their columns; ``now`` is in ms, ``name`` where it
    is. ``source`` says what it was over (empty: it does not tell)."""

    name: str
    kind: str
    now: int
    source: str
    sections: Mapping[str, tuple[Sequence[Row], Mapping[str, str]]]


def from_file(file: str, kind: str | None) -> KeptRun:
    """The report of that kind in a document, or the only one. Raises UsageError, CorruptError."""
    file, place = uris.shown(file), file
    try:
        data = document_bytes(place, _MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{file}: more than {_MOST_BYTES >> 30} GiB")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise UsageError(f"{file}: not JSON: it takes what -o json of a report writes") from None
    try:
        return _run(file, _of_kind(file, found, kind))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptError(f"{file}: no whole report: {type(error).__name__} {error}") from None


def _of_kind(file: str, found: Any, kind: str | None) -> Mapping[str, Any]:
    """The report among those of a document. UsageError for what is none."""
    title = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(title, str) or not title.endswith(_END):
        raise UsageError(f"{file}: not a report: it takes what -o json of a report writes")
    if found.get("version") != VERSION:
        raise UsageError(f"{file}: version {found.get('version')} of reports is not known here")
    reports = found["reports"] if title == f"all{_END}" else [found]
    known = {str(one["kind"]).removesuffix(_END): one for one in reports}
    wanted = kind or (next(iter(known)) if len(known) == 1 else None)
    if wanted is None:
        raise UsageError(f"{file}: which report? --kind takes one of {', '.join(known)}")
    if wanted not in known:
        raise UsageError(f"{file}: no {wanted} report, but {', '.join(known)}")
    made: Mapping[str, Any] = known[wanted]
    return made


def _run(file: str, found: Mapping[str, Any]) -> KeptRun:
    sections = {
        name: (
            [dict(row) for row in section["rows"]],
            {column["name"]: column["unit"] for column in section["columns"]},
        )
        for name, section in found["sections"].items()
        if not section["unknown"]
    }
    kind = str(found["kind"]).removesuffix(_END)
    now = moment(found["now"], 0)[0]
    return KeptRun(file, kind, now, "", sections)


def from_history(
    history: HistoryRuns, text: str, kind: str | None, now: int, source: str | None = None
) -> KeptRun:
    """The newest run at or before a moment (as ``--since`` takes it), over that source if one is
    given. Raises UsageError, StorageError, CorruptError."""
    before = moment(text, now)[1]
    kinds = [kind] if kind else history.kinds()
    if len(kinds) > 1:
        raise UsageError(f"{history.place}: which report? --kind takes one of {', '.join(kinds)}")
    found = history.newest(kinds[0], before, source) if kinds else {}
    if not found:
        raise UsageError(f"{history.place}: no {kind or 'run'} up to {text}")
    return _kept(kinds[0], found)


def _kept(kind: str, found: Mapping[str, DayRun]) -> KeptRun:
    sections = {}
    for name, kept in found.items():
        rows, columns = kept_rows(name, kept)
        if columns:
            sections[name] = rows[:_MOST_ROWS], {column.name: column.unit for column in columns}
    run = next(iter(found.values())).run
    return KeptRun(moment_text(run.now), kind, run.now, run.source, sections)
