"""Verdicts of rows, from good to bad, and which of two is worse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.analysis import compaction, freshness, retention
from pykafka_ops.analysis.lag import unread
from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.analysis.run_changes import GONE, NEW, RowChange
from pykafka_ops.analysis.skew import BANDS, SEVERE

WORSE: Final = "worse"
BETTER: Final = "better"
TURNS: Final = (BETTER, WORSE)
_LAG: Final = ("status", STATUSES)
_FIELDS: Final[Mapping[tuple[str, str], tuple[str, tuple[str, ...]]]] = {
    ("lag", "groups"): _LAG,
    ("lag", "topics"): _LAG,
    ("lag", "partitions"): _LAG,
    ("skew", "topics"): ("band", (*(name for _, name in BANDS), SEVERE)),
    ("retention", "topics"): ("status", retention.ORDER),
    ("retention", "at_risk"): ("status", unread.ORDER),
    ("retention", "compaction"): ("status", compaction.ORDER),
    ("slo", "objectives"): ("status", freshness.STATUSES),
}
"""By kind and section the field with the verdict, and its values from good to bad."""


def field_of(kind: str, section: str) -> str | None:
    """The field of a section that holds its verdict; None where it has none."""
    found = _FIELDS.get((kind, section))
    return found[0] if found else None


def turn(kind: str, section: str, change: RowChange) -> tuple[str, int] | None:
    """Whether a row got worse or better, and by how many steps; None where its verdict is the same,
    or there is none. A new row is worse by what is worse than the best verdict; of one that is gone
    nothing is said."""
    field, order = _FIELDS.get((kind, section), ("", ()))
    if not field or change.state == GONE:
        return None
    was = order[0] if change.state == NEW else change.row.get(field)
    for name, before, _ in change.fields:
        was = before if name == field else was
    now = change.row.get(field)
    if was not in order or now not in order:
        return None
    steps = order.index(str(now)) - order.index(str(was))
    return (WORSE if steps > 0 else BETTER, abs(steps)) if steps else None
