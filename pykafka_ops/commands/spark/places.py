"""Where a report goes: the terminal, files, directories; looked at before Spark starts."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.judge import MAIN, main_section
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.commands.spark.ask import ReportRequest
    from pykafka_ops.spark.model import Report
    from pykafka_ops.spark.output.history import History

_MARKS = {"json": b'-report", "version"', "yaml": b"-report\nversion: ", "html": b"pykafka-ops"}
"""What stands near the beginning of our own files; of tables and CSV nothing does."""


@dataclass(frozen=True, slots=True)
class ReportPlaces:
    """``form`` is what -o says; ``output`` where that goes (None: standard output)."""

    form: str
    section: str | None
    top: int
    output: Path | None
    html: Path | None
    csv: Path | None
    parquet: Path | None
    yes: bool

    @classmethod
    def of(cls, run: Run, asked: ReportRequest) -> ReportPlaces:
        """From the command line. Raises StorageError where nothing can be written, UsageError
        where a file of somebody else would be written over."""
        args = run.args

        def path(name: str) -> Path | None:
            value = args.text(name)
            return Path(value).expanduser() if value else None

        top = args.number("top") or 10
        places = cls(run.output, asked.section, top, path("output-file"), path("html"),
                     path("csv"), path("parquet"), args.has("yes"))  # fmt: skip
        places._check(asked)
        return places

    def _check(self, asked: ReportRequest) -> None:
        from pykafka_ops.spark.output import atomic

        named = [p for p in (self.output, self.html, self.csv, self.parquet, asked.history) if p]
        if len(set(named)) != len(named):
            raise UsageError("two outputs have the same name")
        for file, form in ((self.output, self.form), (self.html, "html")):
            if file is not None:
                atomic.writable(file)
                mark = _MARKS.get(form)
                if mark is not None and not self.yes and atomic.foreign(file, mark):
                    raise UsageError(f"{file} was not made by pko: give --yes to write over it")
        for directory in (self.csv, self.parquet, asked.history):
            if directory is not None:
                atomic.writable(directory / "_report.json")

    def write(self, reports: Sequence[Report], histories: Mapping[str, History]) -> None:
        """All files or none of them, then the terminal. Raises StorageError, UsageError."""
        from pykafka_ops.spark.output import atomic

        files = self._files(reports, histories)
        text = self._text(reports, to_terminal=self.output is None and sys.stdout.isatty())
        if self.output is not None:
            files[self.output] = text.encode("utf-8", "backslashreplace")
        if files:
            atomic.write_all(files)
        if self.output is None:
            sys.stdout.write(text)
        for path in (self.output, self.html, self.csv, self.parquet):
            if path is not None:
                say(f"wrote {path}")

    def _files(
        self, reports: Sequence[Report], histories: Mapping[str, History]
    ) -> dict[Path, bytes]:
        from pykafka_ops.spark.output import files

        made: dict[Path, bytes] = {}
        if self.html is not None:
            from pykafka_ops.spark.page import render

            made[self.html] = render(reports, history=histories).encode()
        for report in reports:
            part = report.kind if len(reports) > 1 else "."
            if self.csv is not None:
                self._own(self.csv / part, [f"{s.name}.csv" for s in report.sections])
                made |= files.csv_files(report, self.csv / part)
            if self.parquet is not None:
                self._own(self.parquet / part, [f"{s.name}.parquet" for s in report.sections])
                made |= files.parquet_files(report, self.parquet / part)
        return made

    def _own(self, directory: Path, names: list[str]) -> None:
        from pykafka_ops.spark.output.files import strangers

        found = [] if self.yes else strangers(directory, names)
        if found:
            raise UsageError(f"{found[0]} was not made by pko: give --yes to write over it")

    def _text(self, reports: Sequence[Report], *, to_terminal: bool) -> str:
        """What -o says, as text."""
        if self.form in ("json", "yaml"):
            return document_text(reports, self.form, indent=to_terminal)
        if self.form in ("csv", "name"):
            return "".join(rows_text(r, self.section, self.form) for r in reports)
        wide = self.form == "wide"
        return tables(reports, self.section, wide=wide, top=self.top, terminal=to_terminal)


# --- as text -------------------------------------------------------------------------------------


def document_text(reports: Sequence[Report], form: str, *, indent: bool) -> str:
    """One document; several reports stand in ``reports`` of one."""
    import json

    from pykafka_ops.spark.output.document import VERSION, document

    made = [document(r) for r in reports]
    whole: dict[str, object] = {"kind": "all-report", "version": VERSION, "reports": made}
    found = made[0] if len(made) == 1 else whole
    if form == "json":
        return json.dumps(found, ensure_ascii=False, indent=2 if indent else None) + "\n"
    import yaml

    text: str = yaml.safe_dump(found, sort_keys=False, allow_unicode=True)
    return text


def rows_text(report: Report, section: str | None, form: str) -> str:
    """The main section as CSV, or the names of its rows, each once."""
    chosen = main_section(report, section)
    if form == "csv":
        from pykafka_ops.spark.output.files import csv_bytes

        return csv_bytes(chosen).decode("utf-8")
    names = dict.fromkeys(str(row.get(chosen.columns[0].name)) for row in chosen.rows)
    return "".join(f"{name}\n" for name in names)


def tables(
    reports: Sequence[Report], section: str | None, *, wide: bool, top: int, terminal: bool
) -> str:
    """Every report: what it says in a sentence, its figures, its tables."""
    from pykafka_ops.commands.framework.terminal import colours, room
    from pykafka_ops.commands.spark.show import TerminalPage

    out = io.StringIO()
    page = TerminalPage(out, room() if terminal else None, colours=terminal and colours())
    for report in reports:
        page.report(report, main_section(report, section or MAIN[report.kind]), wide=wide, top=top)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
