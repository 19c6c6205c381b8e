"""Where a report goes: the terminal, files, directories; looked at before Spark starts."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence, Sized
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.judge import MAIN, Judge, main_section
from pykafka_ops.errors import UsageError
from pykafka_ops.objects.uris import shown

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.commands.spark.ask import ReportRequest
    from pykafka_ops.spark.model import Report
    from pykafka_ops.spark.output.history import History
    from pykafka_ops.spark.output.outlets import Outlet
    from pykafka_ops.spark.output.tables import CatalogTables
    from pykafka_ops.spark.output.whole import WholePlaces

_MARKS = {"json": b'-report", "version"', "yaml": b"-report\nversion: ", "html": b"pykafka-ops",
          "metrics": b"# HELP pko_report_"}  # fmt: skip
"""What stands near the beginning of our own files; of tables and CSV nothing does."""


@dataclass(frozen=True, slots=True)
class ReportPlaces:
    """``form`` is what -o says; ``output`` where that goes (None: standard output). ``cluster``
    tells metrics of several clusters apart."""

    form: str
    section: str | None
    top: int
    output: Outlet | None
    html: Outlet | None
    csv: Outlet | None
    parquet: Outlet | None
    history: Outlet | None
    metrics: Outlet | None
    yes: bool
    judge: Judge
    cluster: str
    tables: CatalogTables | None
    source: str
    whole: WholePlaces

    @classmethod
    def of(cls, run: Run, asked: ReportRequest) -> ReportPlaces:
        """From the command line. Raises StorageError where nothing can be written, UsageError
        where a file of somebody else would be written over, or for a URI that is none of Spark's.
        """
        from pykafka_ops.spark.output.outlets import Outlet
        from pykafka_ops.spark.output.whole import WholePlaces

        args = run.args
        names = ("output-file", "html", "csv", "parquet", "history", "metrics")
        texts = [asked.history if name == "history" else args.text(name) for name in names]
        given = [text for text in texts if text]
        if len(set(given)) != len(given):
            raise UsageError("two outputs have the same name")
        output, html, csv, parquet, history, metrics = (
            Outlet(text, folder=name in ("csv", "parquet", "history")) if text else None
            for name, text in zip(names, texts, strict=True)
        )
        forms = {form: outlet for form, outlet in (("csv", csv), ("parquet", parquet)) if outlet}
        tables = _tables(run)
        top, yes = args.number("top") or 10, args.has("yes")
        places = cls(
            run.output, asked.section, top, output, html, csv, parquet, history, metrics, yes,
            Judge.of(asked), _cluster(run, asked), tables, asked.source,
            WholePlaces(forms, tables, asked.source),
        )  # fmt: skip
        places._check(uris=False)
        return places

    def open(self, spark: SparkSession) -> None:
        """Find the file systems of URIs, and the catalog. Raises as ``of``."""
        for outlet in self._outlets():
            outlet.open(spark)
        self._check(uris=True)
        if self.tables is not None:
            self.tables.open(spark)

    def _outlets(self) -> list[Outlet]:
        every = (self.output, self.html, self.csv, self.parquet, self.history, self.metrics)
        return [outlet for outlet in every if outlet is not None]

    def _check(self, *, uris: bool) -> None:
        forms = ((self.output, self.form), (self.html, "html"), (self.metrics, "metrics"))
        for outlet, form in forms:
            if outlet is not None and outlet.opened and outlet.uri == uris:
                outlet.check_ours(_MARKS.get(form), yes=self.yes)

    def write(self, reports: Sequence[Report], histories: Mapping[str, History]) -> None:
        """All files, or of those here none. Raises StorageError, UsageError."""
        from pykafka_ops.spark.output.outlets import write

        files = self._files(reports, histories)
        if self.tables is not None:
            for report in reports:
                done = self.whole.sections("table", report.kind)
                self.tables.write(report, self.source, done)
        if self.output is not None:
            text = self._text(reports, to_terminal=False)
            files[self.output] = {self.output.name: text.encode("utf-8", "backslashreplace")}
        for outlet in self.whole.outlets.values():
            for name in files.get(outlet, ()):
                outlet.store.clear(name, files=False)
        write(files)
        self.whole.settle()

    def show(self, reports: Sequence[Report]) -> None:
        """What goes to the terminal."""
        if self.output is None:
            sys.stdout.write(self._text(reports, to_terminal=sys.stdout.isatty()))
        if sys.stderr.isatty():  # cron should mail troubles only
            for outlet in (self.output, self.html, self.csv, self.parquet, self.metrics):
                if outlet is not None:
                    say(f"wrote {outlet.text}")

    def _files(
        self, reports: Sequence[Report], histories: Mapping[str, History]
    ) -> dict[Outlet, dict[str, bytes]]:
        from pykafka_ops.spark.output import files

        made: dict[Outlet, dict[str, bytes]] = {}
        if self.html is not None:
            from pykafka_ops.spark.page import render

            made[self.html] = {self.html.name: render(reports, history=histories).encode()}
        if self.metrics is not None:
            made[self.metrics] = {self.metrics.name: self._metrics(reports)}
        for report in reports:
            folder = self.folder(report.kind, reports)
            for form, outlet in (("csv", self.csv), ("parquet", self.parquet)):
                if outlet is not None:
                    self._own(outlet, folder, [f"{s.name}.{form}" for s in report.sections])
                    whole = self.whole.sections(form, folder)
                    found = files.section_files(report, form, folder, whole)
                    made.setdefault(outlet, {}).update(found)
        for outlet, named in self.whole.files.items():
            made.setdefault(outlet, {}).update(named)
        return made

    @staticmethod
    def folder(kind: str, every: Sized) -> str:
        """Where the tables of a report go; of several each has its own."""
        return f"{kind}/" if len(every) > 1 else ""

    def _metrics(self, reports: Sequence[Report]) -> bytes:
        from pykafka_ops.spark.output.metrics import metrics_text

        return metrics_text(reports, self.cluster, self.judge.count).encode(
            "utf-8", "backslashreplace"
        )

    def _own(self, outlet: Outlet, folder: str, names: list[str]) -> None:
        from pykafka_ops.spark.output.files import strangers

        found = [] if self.yes else strangers(outlet.store, folder, names)
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


def _cluster(run: Run, asked: ReportRequest) -> str:
    """The profile's name, else the brokers, else the directories."""
    if not asked.properties:
        return ",".join(map(shown, asked.dirs))
    profile = run.args.text("profile") or run.env.get("PKO_PROFILE")
    return profile or str(asked.properties.get("bootstrap.servers", ""))


def _tables(run: Run) -> CatalogTables | None:
    """Tables of a catalog, if any. Raises UsageError."""
    from pykafka_ops.spark.output.tables import CatalogTables

    name, form = run.args.text("output-table"), run.args.text("table-format")
    if name is None and form is not None:
        raise UsageError("--table-format is for --output-table")
    return CatalogTables(name, form) if name else None


# --- as text -------------------------------------------------------------------------------------


def document_text(reports: Sequence[Report], form: str, *, indent: bool) -> str:
    """One document; several reports stand in ``reports`` of one."""
    import json

    from pykafka_ops.spark.output.document import VERSION, document
    from pykafka_ops.spark.page import verdicts

    over_all, each = verdicts(reports)
    made = [document(r, asdict(v)) for r, v in zip(reports, each, strict=True)]
    whole: dict[str, object] = {
        "kind": "all-report", "version": VERSION, "verdict": asdict(over_all), "reports": made,
    }  # fmt: skip
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
