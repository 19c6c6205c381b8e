"""``pko spark compare``: two runs of a report, from files or from a history."""

from __future__ import annotations

import time
from dataclasses import replace

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.spark.ask import ReportRequest, owners_of
from pykafka_ops.commands.spark.places import ReportPlaces
from pykafka_ops.commands.spark.report import shown
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs.history_runs import HistoryRuns
from pykafka_ops.spark.inputs.kept_runs import KeptRun, from_file, from_history
from pykafka_ops.spark.inputs.names import Names


def compare(run: Run) -> int:
    """0, or 4 where a row that changed meets ``--fail-on``."""
    from pykafka_ops.spark.owned import with_owners
    from pykafka_ops.spark.reports.compare.report import build

    asked = _asked(run)
    places = ReportPlaces.of(run, replace(asked, history=None))
    made = build(*_runs(run))
    if asked.owners is not None:
        made = with_owners(made, asked.owners)
    places.open(local_session())
    places.write([made], {})
    return shown(asked, places, [made])


def _asked(run: Run) -> ReportRequest:
    args = run.args
    nothing = Names()
    return ReportRequest(
        ("compare",), (), {}, None, None, None, nothing, nothing, None,
        args.text("section"), args.text("fail-on"), None, owners=owners_of(args),
    )  # fmt: skip


def _runs(run: Run) -> tuple[KeptRun, KeptRun]:
    """The earlier and the later one, as they are named."""
    args = run.args
    before, after = args.text("before"), args.text("after")
    if not before or not after:
        raise UsageError("compare what? name two files of -o json, or with --history two times")
    kind, history = args.text("kind"), args.text("history")
    if history is None:
        return from_file(before, kind), from_file(after, kind)
    now = int(time.time() * 1000)
    runs = HistoryRuns(history)
    later = from_history(runs, after, kind, now)
    earlier = from_history(runs, before, kind or later.kind, now, later.source)
    if earlier.now >= later.now:
        raise UsageError(f"{before} and {after}: no run lies between, name two times of two runs")
    return earlier, later
