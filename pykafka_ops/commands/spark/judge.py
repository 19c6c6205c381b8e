"""``--fail-on`` and ``--section``: which rows decide how the command ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from pykafka_ops.analysis.conditions import Condition, ConditionError, parse_condition
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.commands.spark.ask import ReportRequest
    from pykafka_ops.spark.model import Report, Section

MAIN = {"lag": "groups", "skew": "topics", "retention": "topics"}
SECTIONS = {
    "lag": {"groups": "GROUPS", "partitions": "PARTITIONS", "topics": "TOPICS",
            "silent_groups": "SILENT", "unread_topics": "UNREAD", "over_time": "OVER_TIME"},
    "skew": {name: name.upper() for name in (
        "topics", "partitions", "windows", "brokers", "racks", "log_dirs", "keys", "moves")},
    "retention": {name: name.upper() for name in (
        "topics", "ages", "leaving", "dirs", "growth", "compaction", "at_risk")},
}  # fmt: skip
"""Per kind the sections, and the name of their columns in ``spark/reports/KIND/columns.py``."""


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
                columns = import_module(f"pykafka_ops.spark.reports.{kind}.columns")
                fields = [c.name for c in getattr(columns, SECTIONS[kind][name])]
                if asked.history is not None:
                    fields += [f"{field}_change" for field in fields]
                _condition(asked.condition, name, fields)
        return cls(asked.section, asked.condition)

    def code(self, reports: Sequence[Report], missing: Sequence[str]) -> int:
        """4 where a row meets the condition; 1 where something could not be read, or was asked for
        and is ``missing``; else 0."""
        if self.condition is not None and any(self._fails(r, self.condition) for r in reports):
            return 4
        return 1 if missing or any(r.problems for r in reports) else 0

    def _fails(self, report: Report, text: str) -> bool:
        section = main_section(report, self.section)
        holds = _condition(text, section.name, [c.name for c in section.columns])
        return any(holds(row) for row in section.rows)


def _condition(text: str, section: str, fields: Sequence[str]) -> Condition:
    try:
        return parse_condition(text, fields)
    except ConditionError as e:
        raise UsageError(f"--fail-on: {e} (of section {section}; --section chooses)") from None


def missing(asked: ReportRequest, reports: Sequence[Report]) -> list[str]:
    """A line for each topic and group asked for by name that no report has."""
    found = []
    for field, names in (("topic", asked.topics.names), ("group", asked.groups.names)):
        if names and (field == "topic" or any(r.kind == "lag" for r in reports)):
            shown = {
                str(row.get(field))
                for report in reports
                for section in report.sections
                if any(c.name == field for c in section.columns)
                for row in section.rows
            }
            found += [f"there is no {field} {name} here" for name in sorted(names - shown)]
    return found


def main_section(report: Report, wanted: str | None) -> Section:
    """The section asked for, else the one the report is mainly about."""
    return report.section(wanted or MAIN[report.kind])
