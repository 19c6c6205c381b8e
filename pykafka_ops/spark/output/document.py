"""A report as one document: the contract of ``-o json`` and ``-o yaml``.

``{"kind": "lag-report", "version": 1, "now", "verdict": {"tone", "text"}, "source", "summary",
"sections": {name: {"title", "note", "unknown", "total", "columns", "rows"}}, "problems"}``.
``total`` is how many rows there are, which may be more than are shown. Every column is in every
row; moments are ISO 8601 in UTC; what is no number is null. A key is never renamed or dropped
within a version.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.spark.model import Column, Report, Row, Section

VERSION = 1


def document(report: Report, verdict: Mapping[str, str] | None = None) -> dict[str, object]:
    """What JSON and YAML hold; ``verdict`` is what the report says in a sentence."""
    return {
        "kind": f"{report.kind}-report",
        "version": VERSION,
        "now": moment_text(report.now),
        **({"verdict": dict(verdict)} if verdict else {}),
        "source": plain(report.source),
        "summary": plain(report.summary),
        "sections": {section.name: _section(section) for section in report.sections},
        "problems": [{"where": p.where, "what": p.what} for p in report.problems],
    }


def _section(section: Section) -> dict[str, object]:
    return {
        "title": section.title,
        "note": section.note,
        "unknown": section.unknown,
        "total": len(section.rows) if section.total is None else section.total,
        "columns": [
            {"name": c.name, "title": c.title, "unit": c.unit, "doc": c.doc}
            for c in section.columns
        ],
        "rows": [values(row, section.columns) for row in section.rows],
    }


def values(row: Row, columns: Sequence[Column]) -> dict[str, object]:
    """A row with every column, each as JSON can hold it."""
    return {c.name: value(row.get(c.name), c) for c in columns}


def value(found: object, column: Column) -> object:
    """A cell as JSON can hold it; moments as text."""
    if column.unit == "ms" and isinstance(found, (int, float)):
        return moment_text(int(found))
    return plain(found)


def plain(found: object) -> object:
    """Lists, dicts and numbers as JSON knows them; NaN and infinity are null, bytes are text."""
    if isinstance(found, float) and not math.isfinite(found):
        return None
    if isinstance(found, Mapping):
        return {str(key): plain(item) for key, item in found.items()}
    if isinstance(found, (list, tuple, set, frozenset)):
        items = sorted(found, key=str) if isinstance(found, (set, frozenset)) else found
        return [plain(item) for item in items]
    if isinstance(found, bytes):
        return found.decode("utf-8", "backslashreplace")
    if found is None or isinstance(found, (str, int, float, bool)):
        return found
    return str(found)
