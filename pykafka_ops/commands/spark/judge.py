"""``--fail-on`` and ``--section``: which rows decide how the command ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from pykafka_ops.analysis.conditions import Condition
from pykafka_ops.errors import UsageError
from pykafka_ops.runs.layout import TRENDS
from pykafka_ops.spark.conditions import condition_of
from pykafka_ops.spark.output.document import value
from pykafka_ops.spark.output.history import with_change
from pykafka_ops.spark.owned import with_owner

if TYPE_CHECKING:
    from pykafka_ops.commands.spark.ask import ReportRequest
    from pykafka_ops.spark.model import Column, Report, Row, Section

MAIN = {"lag": "groups", "skew": "topics", "retention": "topics", "cost": "topics",
        "slo": "objectives", "audit": "partitions", "compare": "changes",
        "forecast": "brokers", "formats": "topics"}  # fmt: skip
TOGETHER = ("lag", "skew", "retention")
"""Reports that are made at once by ``all``."""
SECTIONS = {
    "lag": {"groups": "GROUPS", "partitions": "PARTITIONS", "topics": "TOPICS",
            "silent_groups": "SILENT", "unread_topics": "UNREAD", "over_time": "OVER_TIME"},
    "skew": {name: name.upper() for name in (
        "topics", "partitions", "windows", "brokers", "racks", "log_dirs", "keys", "moves")},
    "retention": {name: name.upper() for name in (
        "topics", "ages", "leaving", "dirs", "growth", "compaction", "at_risk")},
    "cost": {name: name.upper() for name in ("topics", "owners", "savings")},
    "slo": {"objectives": "OBJECTIVES", "days": "DAYS"},
    "audit": {name: name.upper() for name in ("partitions", "buckets", "counted", "lines")},
    "compare": {"changes": "CHANGES", "sections": "SECTIONS"},
    "forecast": {name: name.upper() for name in ("brokers", "dirs", "topics", "growth")},
    "formats": {name: name.upper() for name in ("topics", "kinds", "sizes", "codecs")},
}  # fmt: skip
"""Per kind the sections, and the name of their columns in ``spark/reports/KIND/columns.py``."""
_NAMES = (
    "section",
    "row",
    "group",
    "topic",
    "partition",
    "broker",
    "log_dir",
    "owner",
    "rack",
    "key",
    "start",
    "time",
    "bucket",
)
"""Columns that say which row it is."""


@dataclass(frozen=True, slots=True)
class Judge:
    """``section`` and ``condition`` of the command line; None where not given."""

    section: str | None
    condition: str | None

    @classmethod
    def of(cls, asked: ReportRequest) -> Judge:
        """From the command line; UsageError for what the report to come has not got."""
        for kind in asked.kinds:
            name = asked.section or MAIN[kind]
            if name not in SECTIONS[kind]:
                raise UsageError(f"--section {name}: choose one of {', '.join(SECTIONS[kind])}")
            if asked.condition is not None:
                known = import_module(f"pykafka_ops.spark.reports.{kind}.columns")
                columns = list(getattr(known, SECTIONS[kind][name]))
                if asked.owners is not None:
                    columns = with_owner(columns)
                if asked.history is not None and name in TRENDS[kind]:
                    columns = with_change(columns, TRENDS[kind][name][1])
                condition_of(asked.condition, name, columns)
        return cls(asked.section, asked.condition)

    def met(self, reports: Sequence[Report]) -> list[str]:
        """A line for each row that meets the condition, and for each section of which nobody knows
        what rows it should have."""
        if self.condition is None:
            return []
        found = []
        for section in (main_section(report, self.section) for report in reports):
            holds = condition_of(self.condition, section.name, section.columns)
            if section.unknown:
                found.append(f"{section.title}: not known: {section.unknown}")
            if section.is_cut and section.met is None:
                found.append(f"{section.title}: {section.note} The rest is not known.")
            rows, rest = _rows_met(section, holds)
            found += [_row_text(section, row, holds.fields) for row in rows]
            if rest:
                found.append(f"{section.title}: {rest:,} rows more")
        return found

    def count(self, report: Report) -> int | None:
        """How many rows of a report meet the condition, each section that is not known as one; None
        where there is no condition."""
        if self.condition is None:
            return None
        section = main_section(report, self.section)
        holds = condition_of(self.condition, section.name, section.columns)
        rows, rest = _rows_met(section, holds)
        is_open = section.is_cut and section.met is None
        return len(rows) + rest + bool(section.unknown) + is_open

    def code(self, reports: Sequence[Report], missing: Sequence[str]) -> int:
        """4 where a row meets the condition, or rows are not known; 1 where something could not be
        read, or was asked for and is ``missing``; else 0."""
        if self.met(reports):
            return 4
        return 1 if missing or any(r.problems for r in reports) else 0


def _rows_met(section: Section, holds: Condition) -> tuple[Sequence[Row], int]:
    """Rows that meet a condition, and how many there are beside these."""
    rows: Sequence[Row] = [row for row in section.rows if holds(row)]
    if section.met is None or not section.is_cut:
        return rows, 0
    rows = rows or section.met.rows
    return rows, max(0, section.met.count - len(rows))


def _row_text(section: Section, row: Row, fields: Sequence[str]) -> str:
    """``group billing: lag 500, status STOP``: which row, and what was asked of it."""
    names = {*_NAMES} - ({"owner"} if any(c.name == "topic" for c in section.columns) else set())
    which = [c for c in section.columns if c.name in names and row.get(c.name) is not None]
    asked = [c for c in section.columns if c.name in fields and c not in which]
    return ": ".join(", ".join(_said(row, c) for c in some) for some in (which, asked) if some)


def _said(row: Row, column: Column) -> str:
    from pykafka_ops.commands.spark.show import printable

    found = value(row.get(column.name), column)
    return f"{column.name} {'not known' if found is None else printable(str(found))}"


def missing(asked: ReportRequest, reports: Sequence[Report]) -> list[str]:
    """A line for each topic and group asked for by name that no report has; none where no one knows
    what there is."""
    found = []
    only_lag = all(report.kind == "lag" for report in reports)
    for field, names in (("topic", asked.topics.names), ("group", asked.groups.names)):
        sections = [
            section
            for report in reports
            for section in report.sections
            if any(c.name == field for c in section.columns)
        ]
        if all(section.unknown for section in sections):
            continue
        shown = {str(row.get(field)) for section in sections for row in section.rows}
        said = f"there is no {field} {{}} here"
        if field == "topic" and only_lag and not asked.groups.every:  # others may read it
            said = "no group that was asked for reads topic {}"
        found += [said.format(name) for name in sorted(names - shown)]
    return found


def main_section(report: Report, wanted: str | None) -> Section:
    """The section asked for, else the one the report is mainly about."""
    return report.section(wanted or MAIN[report.kind])
