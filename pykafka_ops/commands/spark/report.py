"""``pko spark lag|skew|retention|cost|all``: ask, read, compute, keep, show; and what other reports
have of that."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import MAY_SEE, Run
from pykafka_ops.commands.spark.amount import ReadAmount
from pykafka_ops.commands.spark.ask import ReportRequest, ask, wish
from pykafka_ops.commands.spark.cluster_mode import in_cluster, submit_report
from pykafka_ops.commands.spark.engine import SPARK, EngineChoice, chosen
from pykafka_ops.commands.spark.judge import MAIN, TOGETHER, missing
from pykafka_ops.commands.spark.places import ReportPlaces
from pykafka_ops.commands.spark.running import engine_session
from pykafka_ops.commands.spark.signals import ended_by_signals
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.objects.uris import is_uri
from pykafka_ops.spark.conditions import SectionCondition
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.output.history import History
from pykafka_ops.spark.owned import with_owners

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.output.outlets import Outlet


Made = tuple[list[Report], dict[str, History]]
"""Reports, and by kind the runs before them."""
SHOWN = 20
"""Problems, and rows that meet a condition, that are shown one by one."""


def report(run: Run) -> int:
    """Make the report that the verb names, or all, in one session; 0, 1 where something could not
    be read, 4 where the condition holds."""
    asked = ask(run, TOGETHER if run.args.verb == "all" else (run.args.verb,))

    def make(spark: SparkSession, stages: Stages, places: ReportPlaces) -> Made:
        return _reports(asked, spark, stages, places)

    return finish(run, asked, make, chosen)


def finish(
    run: Run,
    asked: ReportRequest,
    make: Callable[[SparkSession, Stages, ReportPlaces], Made],
    choose: Callable[[Run, ReportRequest, ReadAmount], EngineChoice] | None = None,
) -> int:
    """Make reports by the engine that ``choose`` gives (Spark without it), show and keep them; the
    exit code."""
    options = wish(run)
    places = ReportPlaces.of(run, asked)
    if in_cluster(run):
        return submit_report(run, options)
    look_first(asked)
    amount = ReadAmount(asked)
    engine = choose(run, asked, amount) if choose else SPARK
    if engine.warning:
        say(f"pko: {engine.warning}")
    elif choose and (sys.stderr.isatty() or run.args.has("progress")):  # cron mails what is said
        say(f"pko: engine {engine.said}")
    with (
        ended_by_signals(),
        Stages.of(run) as stages,
        engine_session(run, asked, engine, amount, places, stages) as session,
    ):
        try:
            reports, histories = make(session, stages, places)
            if choose:
                reports = [_made_by(engine, report) for report in reports]
            places.write(reports, histories)
        finally:
            places.whole.drop()
    return shown(asked, places, reports)


def shown(asked: ReportRequest, places: ReportPlaces, reports: list[Report]) -> int:
    """Show reports, and tell of what they lack; the exit code."""
    judge = places.judge
    places.show(reports)
    problems = (problem for made in reports for problem in made.problems)
    lines = dict.fromkeys(f"{problem.where}: {problem.what}" for problem in problems)
    _tell([*lines], "problems; -o json lists them all")
    nowhere = missing(asked, reports)
    for line in nowhere or _unseen(asked, reports):
        say(f"pko: {line}")
    _tell(judge.met(reports), f"rows meet {judge.condition}; -o json lists them all")
    return judge.code(reports, nowhere)


def _made_by(engine: EngineChoice, report: Report) -> Report:
    return replace(report, source={**report.source, "engine": engine.said})


def _reports(
    asked: ReportRequest, spark: SparkSession, stages: Stages, places: ReportPlaces
) -> Made:
    inputs = open_inputs(asked, spark)
    inputs.shared = len(asked.kinds) > 1
    reports, histories = [], {}
    try:
        for kind in asked.kinds:
            stages(f"{kind}: reading")
            made, history = _report(kind, asked, inputs, stages, places)
            reports.append(made)
            histories[kind] = history
    finally:
        inputs.close()
    return reports, histories


def _report(
    kind: str, asked: ReportRequest, inputs: Inputs, stages: Stages, places: ReportPlaces
) -> tuple[Report, History]:
    """One report, compared with and added to the history that is kept."""
    from pykafka_ops.spark.options import ReportOptions

    def stage(text: str) -> None:
        stages(f"{kind}: {text}")

    def make(history: History) -> Report:
        options = ReportOptions(
            history=history,
            stage=stage,
            owners=asked.owners,
            condition=_condition(kind, asked),
            whole=places.whole.writer(
                kind,
                places.folder(kind, asked.kinds),
                inputs.now,
                asked.owners,
                history if places.history is not None else None,
            ),
            **asked.options,  # type: ignore[arg-type]
        )
        module = importlib.import_module(f"pykafka_ops.spark.reports.{kind}.report")
        made: Report = module.build(inputs, options)
        return made

    return with_history(kind, asked, inputs.now, places.history, make)


def _condition(kind: str, asked: ReportRequest) -> SectionCondition | None:
    """What rows that a report does not hold are held against."""
    if asked.condition is None:
        return None
    return SectionCondition(asked.section or MAIN[kind], asked.condition, asked.owners)


def with_history(
    kind: str,
    asked: ReportRequest,
    now: int,
    kept: Outlet | None,
    make: Callable[[History], Report],
) -> tuple[Report, History]:
    """What ``make`` makes, compared with and added to the runs that are kept."""
    from pykafka_ops.spark.output import history as runs
    from pykafka_ops.spark.output.kept_runs import compact

    history: History = {}
    if kept is not None:
        history, damaged = runs.load(kept.store, kind, asked.source, now)
    made = make(history)
    if asked.owners is not None:
        made = with_owners(made, asked.owners)
    if kept is not None:
        runs.append(kept.store, made, asked.source)
        damaged += compact(kept.store, kind, asked.source, runs.day_of(made.now))
        made = replace(runs.with_trends(made, history), problems=[*made.problems, *damaged])
    return made, history


def _unseen(asked: ReportRequest, reports: Sequence[Report]) -> list[str]:
    """A line for each report of a cluster that has no row, where brokers know who asks: they leave
    out what it may not see."""
    if asked.dirs or not asked.properties or not ClientConfig.of(asked.properties).is_known:
        return []
    empty = {MAIN[r.kind] for r in reports if not r.section(MAIN[r.kind]).rows}
    return [f"no {name}{MAY_SEE}" for name in sorted(empty)]


def _tell(lines: Sequence[str], rest: str) -> None:
    for line in lines[:SHOWN]:
        say(f"pko: {line}")
    if len(lines) > SHOWN:
        say(f"pko: and {len(lines) - SHOWN:,} more {rest}")


def look_first(asked: ReportRequest) -> None:
    """Raises for what would fail in any case, before seconds are spent on starting Spark."""
    from pykafka_ops.spark.inputs.settings import read_settings
    from pykafka_ops.spark.reach import reached
    from pykafka_ops.spark.sources.files import replicas

    if asked.configs is not None:
        read_settings(asked.configs)
    for location in asked.dirs:
        if not is_uri(location) and not os.access(location, os.R_OK):
            replicas(location)
    if asked.properties:
        with reached(asked.properties) as cluster:
            cluster.metadata([])


def open_inputs(asked: ReportRequest, spark: SparkSession) -> Inputs:
    """The inputs of a command line. Raises UsageError, StorageError."""
    from pykafka_ops.spark.inputs import InputQuery, opened

    strict = bool(asked.options.get("strict"))
    query = InputQuery(asked.now, asked.since, asked.until, asked.topics, asked.groups, strict)
    return opened.open_inputs(
        spark,
        query,
        properties=asked.properties or None,
        locations=asked.dirs,
        configs=asked.configs,
    )
