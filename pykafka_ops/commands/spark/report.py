"""``pko spark lag|skew|retention|all``: ask, read, compute, keep, show; and what other reports
have of that."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import MAY_SEE, Run
from pykafka_ops.commands.spark.ask import ReportRequest, ask, wish
from pykafka_ops.commands.spark.cluster_mode import in_cluster, submit_report
from pykafka_ops.commands.spark.judge import MAIN, TOGETHER, Judge, missing
from pykafka_ops.commands.spark.places import ReportPlaces
from pykafka_ops.commands.spark.signals import ended_by_signals
from pykafka_ops.commands.spark.stages import Stages
from pykafka_ops.errors import PkoError
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.output.history import History

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

    def make(spark: SparkSession, stages: Stages, kept: Outlet | None) -> Made:
        return _reports(asked, spark, stages, kept)

    return finish(run, asked, make)


def finish(
    run: Run, asked: ReportRequest, make: Callable[[SparkSession, Stages, Outlet | None], Made]
) -> int:
    """Start Spark, make reports, show and keep them; the exit code."""
    engine = wish(run)
    places = ReportPlaces.of(run, asked)
    judge = Judge.of(asked)
    if in_cluster(run):
        return submit_report(run, engine)
    look_first(asked)
    with ended_by_signals(), Stages.of(run) as stages:
        stages("starting Spark")
        from pykafka_ops.spark.failures import explained
        from pykafka_ops.spark.master import guarded
        from pykafka_ops.spark.session import close, session
        from pykafka_ops.spark.workers import at_fault

        spark = session(replace(engine, brief=is_brief(asked)))
        try:
            stages.watch(spark)
            places.open(spark)
            with guarded(spark, engine.url()):
                reports, histories = make(spark, stages, places.history)
            places.write(reports, histories)
        except PkoError:
            raise
        except Exception as e:
            raise at_fault(spark, e) or explained(e) from e
        finally:
            stages.stop()
            close(spark)
    places.show(reports)
    problems = (problem for made in reports for problem in made.problems)
    lines = dict.fromkeys(f"{problem.where}: {problem.what}" for problem in problems)
    _tell([*lines], "problems; -o json lists them all")
    nowhere = missing(asked, reports)
    for line in nowhere or _unseen(asked, reports):
        say(f"pko: {line}")
    _tell(judge.met(reports), f"rows meet {judge.condition}; -o json lists them all")
    return judge.code(reports, nowhere)


def _reports(
    asked: ReportRequest, spark: SparkSession, stages: Stages, kept: Outlet | None
) -> Made:
    inputs = open_inputs(asked, spark)
    reports, histories = [], {}
    try:
        for kind in asked.kinds:
            stages(f"{kind}: reading")
            made, history = _report(kind, asked, inputs, stages, kept)
            reports.append(made)
            histories[kind] = history
    finally:
        inputs.close()
    return reports, histories


def _report(
    kind: str, asked: ReportRequest, inputs: Inputs, stages: Stages, kept: Outlet | None
) -> tuple[Report, History]:
    """One report, compared with and added to the history that is kept."""
    from pykafka_ops.spark.options import ReportOptions

    def stage(text: str) -> None:
        stages(f"{kind}: {text}")

    def make(history: History) -> Report:
        options = ReportOptions(history=history, stage=stage, **asked.options)  # type: ignore[arg-type]
        module = importlib.import_module(f"pykafka_ops.spark.reports.{kind}.report")
        made: Report = module.build(inputs, options)
        return made

    return with_history(kind, asked, inputs.now, kept, make)


def with_history(
    kind: str,
    asked: ReportRequest,
    now: int,
    kept: Outlet | None,
    make: Callable[[History], Report],
) -> tuple[Report, History]:
    """What ``make`` makes, compared with and added to the runs that are kept."""
    from pykafka_ops.spark.output import history as runs

    history: History = {}
    if kept is not None:
        history, damaged = runs.load(kept.store, kind, asked.source, now)
    made = make(history)
    if kept is not None:
        runs.append(kept.store, made, asked.source)
        made = replace(runs.with_trends(made, history), problems=[*made.problems, *damaged])
    return made, history


def _unseen(asked: ReportRequest, reports: Sequence[Report]) -> list[str]:
    """A line for each report of a cluster that has no row, where brokers know who asks: they leave
    out what it may not see."""
    if asked.dirs or not ClientConfig.of(asked.properties).is_known:
        return []
    empty = {MAIN[r.kind] for r in reports if not r.section(MAIN[r.kind]).rows}
    return [f"no {name}{MAY_SEE}" for name in sorted(empty)]


def _tell(lines: Sequence[str], rest: str) -> None:
    for line in lines[:SHOWN]:
        say(f"pko: {line}")
    if len(lines) > SHOWN:
        say(f"pko: and {len(lines) - SHOWN:,} more {rest}")


# --- what is read --------------------------------------------------------------------------------

LITTLE = 2 << 30
"""Bytes of logs up to which a report is a brief thing."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_brief(asked: ReportRequest) -> bool:
    """Whether little is to be read: lag of a cluster, or small logs of this machine."""
    if any(_URI.match(location) for location in asked.dirs):
        return False
    if not asked.dirs:
        return asked.kinds == ("lag",)
    return _log_bytes(asked.dirs) <= LITTLE


def _log_bytes(dirs: Sequence[str]) -> int:
    """Bytes of the segments in directories, and in those one level below; more than LITTLE at most
    once that is passed."""
    total, left = 0, [(path, 1) for path in dirs]
    while left and total <= LITTLE:
        path, depth = left.pop()
        try:
            with os.scandir(path) as found:
                for entry in found:
                    if entry.name.endswith(".log"):
                        total += entry.stat().st_size
                    elif depth and entry.is_dir():
                        left.append((entry.path, depth - 1))
        except NotADirectoryError:
            total += os.stat(path).st_size
        except OSError:
            continue
    return total


def look_first(asked: ReportRequest) -> None:
    """Raises for what would fail in any case, before seconds are spent on starting Spark."""
    from pykafka_ops.spark.inputs.settings import read_settings
    from pykafka_ops.spark.reach import reached
    from pykafka_ops.spark.sources.files import replicas

    if asked.configs is not None:
        read_settings(asked.configs)
    for location in asked.dirs:
        if not _URI.match(location) and not os.access(location, os.R_OK):
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
