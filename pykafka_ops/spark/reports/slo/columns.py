"""The columns of the report on freshness."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.freshness import STATUSES
from pykafka_ops.spark.model import Column


def _burn(span: str) -> Column:
    return Column(
        f"burn_{span}", f"Burn {span}", kind="number",
        doc="How fast the error budget is used: 1 uses it up in the whole time.",
    )  # fmt: skip


OBJECTIVES: Final = (
    Column("group", "Group"),
    Column("topic", "Topic"),
    Column("partitions", "Partitions", kind="number", detail=True),
    Column("fresh_share", "In time", "share",
           "Of the time that is known: no partition had an unread record older than --slo."),
    Column("late_seconds", "Late", "seconds"),
    Column("unknown_seconds", "Not known", "seconds",
           "Before the first commit that is still there, or where retention took the records."),
    Column("known_seconds", "Known", "seconds", detail=True),
    Column("budget_left", "Budget left", "share",
           "Of the time that may be late by --objective; below 0 more was late."),
    _burn("1h"),
    _burn("6h"),
    _burn("3d"),
    Column("kept_days", "Days", kind="number", detail=True,
           doc="Of which something is known, by this run and those that --history keeps."),
    Column("kept_share", "In time, all days", "share", "Of the time of these days that is known."),
    Column("kept_budget_left", "Budget left, all days", "share", "Over these days.", detail=True),
    Column("status", "Verdict", values=STATUSES,
           doc="broken: no budget is left; burning: a burn rate of 14.4 over an hour or 6 over six;"
           " slow: 1 over three days; unknown: nothing is known."),
)  # fmt: skip
DAYS: Final = (
    Column("group", "Group"),
    Column("topic", "Topic"),
    Column("day", "Day", "ms", "Its first moment, in UTC."),
    Column("fresh_share", "In time", "share", "Of the time of the day that is known."),
    Column("fresh_seconds", "Fresh", "seconds"),
    Column("late_seconds", "Late", "seconds"),
    Column("unknown_seconds", "Not known", "seconds"),
    Column("slo_seconds", "Within", "seconds", "What --slo was; other days do not count."),
)
