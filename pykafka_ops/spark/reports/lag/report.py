"""The lag report: who is how far behind, since when, how fast, and what it will cost.

Commits are folded where they are read, and figures made where they are joined: the driver gets
rows of groups and partitions, and keeps them in Arrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pykafka_ops.analysis.commits.burrow import OK, SILENCE_MS, UNKNOWN
from pykafka_ops.analysis.lag.loss import is_silent
from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.spark.arrow import ArrowRows
from pykafka_ops.spark.engines import functions_of, kept, row_count
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.model import Column, MetRows, Problem, Report, Row, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.damage import DamageTally, lost_commits
from pykafka_ops.spark.reports.lag import columns, worst
from pykafka_ops.spark.reports.lag.checkpoints import Jobs, jobs
from pykafka_ops.spark.reports.lag.departures import damage, departures
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS, facts, in_force, logs
from pykafka_ops.spark.reports.lag.judge import ROW, judged
from pykafka_ops.spark.reports.lag.span import ReportSpan
from pykafka_ops.spark.reports.lag.totals import by_group, by_topic, over_time
from pykafka_ops.spark.reports.lag.worst import (
    NOTHING,
    PartitionTotals,
    partition_totals,
    worst_first,
)
from pykafka_ops.spark.reports.pieces import ESTIMATED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections partitions, groups, topics, silent_groups,
    unread_topics and over_time.

    ``options.window`` (ms) is what rates and verdicts look back on (10 minutes), and the length of
    the buckets of ``over_time`` (a 24th of the span). Raises UsageError for a span of too many
    windows and for checkpoints that are none.
    """
    span = ReportSpan.of(inputs.now, inputs.since, inputs.until, options.window)
    checkpoints = jobs(inputs, options.checkpoints)
    options.stage("asking where groups are")
    inputs.freeze(groups=True)
    options.stage("asking where logs end")
    ends = logs(inputs, span)
    options.stage("looking through logs")
    leaving = departures(inputs, in_force(inputs, checkpoints))
    broken = damage(leaving)
    found = facts(inputs, span, checkpoints, ends, leaving)
    if found is None:
        nothing = Problem("offsets", NO_OFFSETS)
        made = _report(inputs, span, checkpoints, _Tables(), [nothing, *broken.problems()])
        return _with_damage(_unknown(made), inputs, broken)
    lost_commits(inputs, broken)
    rows = kept(judged(found, span))
    try:
        tables = _collect(rows, ends, span, options)
        made = _report(inputs, span, checkpoints, tables, broken.problems())
        return _with_damage(made, inputs, broken)
    finally:
        rows.unpersist()


def _unknown(report: Report) -> Report:
    """The same where nobody knows of any group."""
    sections = [replace(section, unknown=NO_OFFSETS) for section in report.sections]
    return replace(report, sections=sections, summary=dict.fromkeys(report.summary))


def _with_damage(report: Report, inputs: Inputs, broken: DamageTally) -> Report:
    figures = broken.figures(whole=bool(inputs.directories))
    return replace(report, summary={**report.summary, **figures})


@dataclass(slots=True)
class _Tables:
    """Rows of the sections, as they were collected; ``buckets``: rows of the whole history."""

    partitions: Sequence[Row] = ()
    groups: Sequence[dict[str, Any]] = ()
    topics: Sequence[dict[str, Any]] = ()
    unread: Sequence[dict[str, Any]] = ()
    history: Sequence[Row] = ()
    met: MetRows | None = None
    met_before: MetRows | None = None
    elsewhere: tuple[str, str] = ("", "")
    totals: PartitionTotals = NOTHING
    buckets: int = 0


def _collect(
    rows: DataFrame, ends: DataFrame | None, span: ReportSpan, options: ReportOptions
) -> _Tables:
    """Everything the driver gets: rows of groups and of partitions."""
    stage = options.stage
    stage("judging partitions")
    listed = rows.where("listed")
    totals = partition_totals(listed)
    partitions = worst_first(listed, totals.partitions)
    met, where = _rest(
        "partitions", listed.select(*ROW.names), options, known=columns.PARTITIONS,
        is_cut=totals.partitions > partitions.num_rows,
    )  # fmt: skip
    stage("adding up groups")
    groups = by_group(listed).toArrow().to_pylist()
    stage("adding up topics")
    topics = by_topic(listed, ends, span).toArrow().to_pylist()
    stage("going through the history")
    urgent = sorted(groups, key=_urgency)
    first = [row["group"] for row in urgent[: max(1, worst.MOST_ROWS // len(span.times))]]
    history = kept(over_time(rows, span))
    try:
        f = functions_of(history)
        buckets = row_count(history)
        held = history.where(f.col("group").isin(first)).toArrow()
        met_before, where_before = _rest(
            "over_time",
            history,
            options,
            known=columns.OVER_TIME,
            is_cut=buckets > held.num_rows,
        )
    finally:
        history.unpersist()
    return _Tables(
        ArrowRows(partitions),
        urgent,
        _read(topics),
        _unread(topics),
        ArrowRows(held.sort_by([("group", "ascending"), ("start", "ascending")])),
        met,
        met_before,
        (where, where_before),
        totals,
        buckets,
    )


def _rest(
    name: str, rows: DataFrame, options: ReportOptions, *, known: Sequence[Column], is_cut: bool
) -> tuple[MetRows | None, str]:
    """Of a section that holds the first of ``rows``: which of all meet the condition, and where all
    of them are."""
    if not is_cut:
        return None, ""
    asked = options.condition
    met = None if asked is None else asked.met(name, rows, known=known)
    return met, options.all_rows(name, rows, known=known)


def _urgency(row: Mapping[str, Any]) -> tuple[int, int, str]:
    return -STATUSES.index(row["status"]), -(row["lag"] or 0), row["group"]


def _read(topics: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Topics that a group has an offset in, the largest lag first."""
    names = [column.name for column in columns.TOPICS if column.name != "status"]
    found = [
        {name: t[name] for name in names} | {"status": STATUSES[t["rank"] - 1]}
        for t in topics
        if t["groups"]
    ]
    return sorted(found, key=lambda t: (-(t["lag"] or 0), t["topic"]))


def _unread(topics: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Topics that no group has an offset in, the largest first."""
    found = [
        {name: t[name] for name in ("topic", "records", "rate_in")} | {"partitions": t["all"]}
        for t in topics
        if not t["groups"] and t["topic"] not in INTERNAL
    ]
    return sorted(found, key=lambda t: (-(t["records"] or 0), t["topic"]))


def _silent(groups: Sequence[Mapping[str, Any]], span: ReportSpan) -> Iterator[dict[str, Any]]:
    """Groups without a commit for longer than the window, the longest silence first."""
    for row in sorted(groups, key=lambda g: (g["last_commit"] or 0, g["group"])):
        last = row["last_commit"]
        if last is None or is_silent(span.now - last, span.window, SILENCE_MS):
            yield {
                "group": row["group"],
                "last_commit": last,
                "silence_seconds": None if last is None else (span.now - last) / 1000,
                **{name: row[name] for name in ("lag", "unknown_partitions", "status")},
            }


def _report(
    inputs: Inputs,
    span: ReportSpan,
    checkpoints: Jobs,
    tables: _Tables,
    problems: Sequence[Problem],
) -> Report:
    silent = list(_silent(tables.groups, span))
    every = inputs.wanted_groups.every
    unread = tables.unread if every else []
    note = "" if every else "Not looked for: only some groups were asked for."
    sections = [
        Section("groups", "Groups", columns.GROUPS, tables.groups),
        Section("partitions", "Partitions", columns.PARTITIONS, tables.partitions,
                "" if inputs.batches() is not None else f"Safe for: {ESTIMATED[0].lower()}"
                f"{ESTIMATED[1:]}", total=tables.totals.partitions, met=tables.met,
                elsewhere=tables.elsewhere[0]),
        Section("topics", "Topics", columns.TOPICS, tables.topics),
        Section("silent_groups", "Groups that stopped committing", columns.SILENT, silent),
        Section("unread_topics", "Topics nobody reads", columns.UNREAD, unread, note),
        Section("over_time", "Groups over time", columns.OVER_TIME, tables.history,
                total=tables.buckets, met=tables.met_before, elsewhere=tables.elsewhere[1]),
    ]  # fmt: skip
    return Report(
        "lag",
        inputs.now,
        dict(inputs.source),
        _summary(tables, silent, unread),
        sections,
        [*inputs.problems, *checkpoints.problems, *problems],
    )


def _summary(
    tables: _Tables, silent: Sequence[object], unread: Sequence[object]
) -> dict[str, object]:
    groups = tables.groups
    behind = [g["lag_seconds"] for g in groups if g["lag_seconds"] is not None]
    lags = [g["lag"] for g in groups if g["lag"] is not None]
    return {
        "groups": len(groups),
        "partitions": tables.totals.partitions,
        "lag": sum(lags) if lags or not groups else None,
        "unknown_partitions": sum(g["unknown_partitions"] for g in groups),
        "max_lag_seconds": max(behind, default=None),
        "groups_in_trouble": sum(1 for g in groups if g["status"] not in (OK, UNKNOWN)),
        "groups_unknown": sum(1 for g in groups if g["status"] == UNKNOWN),
        "first_loss_in_seconds": tables.totals.loss,
        "unknown_losses": tables.totals.unknown_losses,
        "silent_groups": len(silent),
        "unread_topics": len(unread),
    }
