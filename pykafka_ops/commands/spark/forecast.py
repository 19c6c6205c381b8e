"""``pko spark forecast``: what will be held, from the runs that a history keeps. No Spark."""

from __future__ import annotations

import time

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.ask import ReportRequest, owners_of
from pykafka_ops.commands.spark.places import ReportPlaces
from pykafka_ops.commands.spark.report import shown
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs.history_runs import HistoryRuns
from pykafka_ops.spark.inputs.names import Names

MOST_DAYS = 3650


def forecast(run: Run) -> int:
    """0; 1 where something could not be read, 4 where a row meets ``--fail-on``."""
    from pykafka_ops.spark.owned import with_owners
    from pykafka_ops.spark.reports.forecast.gather import KINDS, WantedRuns
    from pykafka_ops.spark.reports.forecast.report import ForecastRules, build

    args = run.args
    history = args.text("history")
    if history is None:
        raise UsageError("forecast of what? --history DIR names what reports with --history keep")
    days = args.number("days")
    if days is None or not 0 < days <= MOST_DAYS:
        raise UsageError(f"--days {days}: from 1 to {MOST_DAYS}")
    kind = args.text("kind")
    if kind not in (None, *KINDS):
        raise UsageError(f"--kind {kind}: choose one of {', '.join(KINDS)}")
    capacity = args.size("capacity")
    if capacity == 0:
        raise UsageError("--capacity: above 0 bytes")
    asked = _asked(run, history)
    now = int(time.time() * 1000)
    until = args.moment("now", now)
    since = args.moment("since", now)
    places = ReportPlaces.of(run, asked)
    places.open(local_session())
    wanted = WantedRuns(
        kind, args.text("source"), since[0] if since else 0, (until or (0, now + 1))[1]
    )
    rules = ForecastRules(capacity, days, places.top)
    made = build(HistoryRuns(history), wanted, rules, asked.topics.__contains__)
    if asked.owners is not None:
        made = with_owners(made, asked.owners)
    places.write([made], {})
    return shown(asked, places, [made])


def _asked(run: Run, history: str) -> ReportRequest:
    args = run.args
    return ReportRequest(
        ("forecast",), (history,), {}, None, None, None,
        Names.of(args.names("topic"), regex=args.has("regex")), Names(), None,
        args.text("section"), args.text("fail-on"), None, owners=owners_of(args),
    )  # fmt: skip
