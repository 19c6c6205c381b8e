"""A report as text: tables for people, documents and rows for programs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pykafka_ops.commands.spark.judge import MAIN, main_section

if TYPE_CHECKING:
    from pykafka_ops.spark.model import Report


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
