"""The report on freshness: how much of the time groups read within what was promised, how much of
the error budget is left, and how fast it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pykafka_ops.analysis.freshness import BROKEN, BURNING, NOT_KNOWN, STATUSES, grid
from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, Report, Row, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.damage import DamageTally, lost_commits
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.reports.slo import columns
from pykafka_ops.spark.reports.slo.days import ObjectiveDays
from pykafka_ops.spark.reports.slo.frames import budgets

SPAN: Final = 3 * UNITS["d"]
"""What is looked back on, unless ``since`` says otherwise."""
_NOTE: Final = (
    "By moments: one a minute in the last hour, one in 5 minutes in the last 6 hours, one in 30"
    " minutes before."
)
_DAYS: Final = "By this run and those that --history keeps: what knows most of a day counts."


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``, over ``since`` to ``until`` (the last 3 days); sections
    objectives and days: of these, what earlier runs in ``options.history`` kept, too."""
    options.stage("asking where groups are")
    inputs.freeze(groups=True)
    now = inputs.now if inputs.until is None else min(inputs.until, inputs.now)
    since = now - SPAN if inputs.since is None else min(inputs.since, now - 1)
    moments = grid(now, since)
    commits = inputs.commits()
    damage, problems = DamageTally(), []
    rows: list[Row] = []
    days: list[Row] = []
    if commits is None:
        problems.append(Problem("offsets", NO_OFFSETS))
    else:
        options.stage("going through commits")
        lost_commits(inputs, damage)
        found = budgets(inputs, commits, moments, options.slo).toArrow().to_pylist()
        kept = ObjectiveDays(found, (options.history or {}).get("days", ()), options.slo, now)
        rows = sorted((_row(one, kept) for one in found), key=_urgency)
        days = list(kept.rows())
    dark = NO_OFFSETS if commits is None else ""
    sections = [
        Section("objectives", "Objectives", columns.OBJECTIVES, rows, _NOTE, dark),
        Section("days", "Day by day", columns.DAYS, days, _DAYS, dark),
    ]
    source = {
        **inputs.source,
        "slo_seconds": options.slo.limit_ms / 1000,
        "objective": options.slo.objective,
        "hours": round((now - since) / UNITS["h"], 1),
    }
    counted: dict[str, object] = {
        "objectives": len(rows),
        "broken": sum(r["status"] == BROKEN for r in rows),
        "burning": sum(r["status"] == BURNING for r in rows),
        "unknown": sum(r["status"] == NOT_KNOWN for r in rows),
    }
    if commits is None:
        counted = dict.fromkeys(counted)
    return Report("slo", inputs.now, source, counted, sections,
                  [*inputs.problems, *problems, *damage.problems()])  # fmt: skip


def _row(found: Mapping[str, Any], days: ObjectiveDays) -> Row:
    kept = days.budget(found["group"], found["topic"])
    return {
        "group": found["group"],
        "topic": found["topic"],
        "partitions": found["partitions"],
        "fresh_share": found["share"],
        "late_seconds": found["late"] / 1000,
        "unknown_seconds": found["unknown"] / 1000,
        "known_seconds": (found["fresh"] + found["late"]) / 1000,
        "budget_left": found["left"],
        **{name: found[name] for name in ("burn_1h", "burn_6h", "burn_3d")},
        "kept_days": kept.days,
        "kept_share": kept.share,
        "kept_budget_left": kept.left,
        "status": found["status"],
    }


def _urgency(row: Row) -> tuple[int, float, str, str]:
    """The worst verdict first, then the least budget."""
    left = row["budget_left"]
    size = left if isinstance(left, float) else 1.0
    return -STATUSES.index(str(row["status"])), size, str(row["group"]), str(row["topic"])
