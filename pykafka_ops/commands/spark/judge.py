"""``--fail-on`` and ``--section``: which rows decide how the command ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pykafka_ops.analysis.conditions import ConditionError, parse_condition
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.commands.spark.ask import Ask
    from pykafka_ops.spark.model import Report, Section

MAIN = {"lag": "groups", "skew": "topics", "retention": "topics"}


@dataclass(frozen=True, slots=True)
class Judge:
    """``section`` and ``condition`` of the command line; None where not given."""

    section: str | None
    condition: str | None

    @classmethod
    def of(cls, asked: Ask) -> Judge:
        """From the command line."""
        return cls(asked.section, asked.condition)

    def code(self, reports: Sequence[Report]) -> int:
        """4 where a row meets the condition, 1 where something could not be read, else 0."""
        if self.condition is not None and any(self._fails(r, self.condition) for r in reports):
            return 4
        return 1 if any(r.problems for r in reports) else 0

    def _fails(self, report: Report, text: str) -> bool:
        section = main_section(report, self.section)
        try:
            holds = parse_condition(text, [c.name for c in section.columns])
        except ConditionError as e:
            raise UsageError(f"--fail-on, section {section.name}: {e}") from None
        return any(holds(row) for row in section.rows)


def main_section(report: Report, wanted: str | None) -> Section:
    """The section asked for, else the one the report is mainly about; UsageError."""
    try:
        return report.section(wanted or MAIN[report.kind])
    except KeyError:
        names = ", ".join(s.name for s in report.sections)
        raise UsageError(f"--section {wanted}: choose one of {names}") from None
