"""The retention report: how old data is against what the policies say, what leaves when, when
disks are full, what waits for compaction, and who loses data before having read it.

Segments stay in executors: the driver gets a row per partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pyspark.sql import functions as f

from pykafka_ops.analysis import compaction
from pykafka_ops.analysis.capacity import Seen
from pykafka_ops.analysis.compaction import Cleaning, cleaning_of
from pykafka_ops.analysis.lag import unread
from pykafka_ops.analysis.retention import BLOCKED, OVER, RetentionPolicy, policy_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention import columns
from pykafka_ops.spark.reports.retention.fold import Row, Sums
from pykafka_ops.spark.reports.retention.frames import (
    bits,
    bits_of_cluster,
    cutoffs,
    readers,
    states,
)
from pykafka_ops.spark.reports.retention.judge import DAY, HORIZONS, RetentionRules, figures

_SETTINGS: Final = (
    "cleanup.policy", "retention.ms", "retention.bytes", "segment.ms", "segment.bytes",
    "min.cleanable.dirty.ratio", "min.compaction.lag.ms", "max.compaction.lag.ms",
)  # fmt: skip
_CHUNK: Final = 1000
Policies = Mapping[str, tuple[RetentionPolicy, Cleaning]]


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, ages, leaving, dirs, growth, compaction
    and at_risk. ``options.window`` (ms) is what the rates of groups look back on, as in the lag
    report; rows of earlier runs in ``options.history`` make the forecast better."""
    options.stage("asking for settings and directories")
    problems: list[Problem] = []
    policies = _policies(inputs, problems)
    sums = Sums()
    dirs = inputs.log_dirs()
    if dirs is not None:
        sums.place([r for r in dirs.toArrow().to_pylist() if not r["future"]])
    options.stage("counting segments by age")
    _add_figures(inputs, options, policies, sums, problems)
    options.stage("looking ahead")
    seen = _seen(inputs.now, options.history)
    forecasts = {
        at: (found, found.outlook(inputs.now, seen.get(at, ())))
        for at, found in sorted(sums.dirs.items(), key=lambda d: (str(d[0][0]), d[0][1]))
    }
    dir_rows = [found.row(said) for found, said in forecasts.values()]
    growth = [
        row
        for at, (found, said) in forecasts.items()
        for row in found.growth_rows(said, inputs.now, seen.get(at, ()))
    ]
    topics = _topic_rows(sums, policies, inputs.now)
    by_name = [sums.topics[name] for name in sorted(sums.topics)]
    sections = [
        Section("topics", "Topics", columns.TOPICS, topics),
        Section("at_risk", "Unread data about to go", columns.AT_RISK, _risks(sums.at_risk)),
        Section("dirs", "Directories", columns.DIRS, dir_rows),
        Section("compaction", "Compaction", columns.COMPACTION, _debts(sums.compaction)),
        Section("leaving", "What leaves", columns.LEAVING,
                [row for topic in by_name for row in topic.leaving_rows()]),
        Section("ages", "Bytes by age", columns.AGES,
                [row for topic in by_name for row in topic.age_rows()]),
        Section("growth", "Growth", columns.GROWTH, growth,
                "Without earlier runs the past is what was written and is still there."),
    ]  # fmt: skip
    return Report(
        "retention",
        inputs.now,
        dict(inputs.source),
        _summary(sums, topics, dir_rows),
        sections,
        [*inputs.problems, *problems, *sorted(sums.damage, key=lambda p: (p.where, p.what))],
    )


def _policies(inputs: Inputs, problems: list[Problem]) -> Policies:
    """The settings of each topic."""
    frame = inputs.configs()
    if frame is None:
        problems.append(Problem("settings", "not known: Kafka's defaults are taken"))
        return {}
    found: dict[str, dict[str, str | None]] = {}
    wanted = frame.where(f.col("name").isin(list(_SETTINGS))).select("topic", "name", "value")
    for row in wanted.toArrow().to_pylist():
        found.setdefault(row["topic"], {})[row["name"]] = row["value"]
    return {topic: (policy_of(own), cleaning_of(own)) for topic, own in found.items()}


def _add_figures(
    inputs: Inputs,
    options: ReportOptions,
    policies: Policies,
    sums: Sums,
    problems: list[Problem],
) -> None:
    """Count everything, in executors, and take in the rows of partitions."""
    limits = cutoffs(
        inputs,
        [(t, p.retention_ms) for t, (p, _) in policies.items() if p.delete and p.retention_ms >= 0],
    )
    batches = inputs.batches()
    pieces = (
        bits_of_cluster(inputs, limits) if batches is None else bits(batches, inputs.now, limits)
    )
    if pieces is None:
        problems.append(Problem("logs", "neither batches nor sizes of logs are known"))
        return
    rules = RetentionRules(
        inputs.now,
        policies,
        _before(inputs.now, options.history),
        cleaner_known=inputs.cleaned() is not None,
    )
    waiting = readers(inputs, options.window)
    found = figures(states(inputs, pieces, waiting), rules).toArrow()
    for batch in found.to_batches(max_chunksize=_CHUNK):
        for row in batch.to_pylist():
            sums.add(row)


def _before(
    now: int, history: Mapping[str, Sequence[Mapping[str, Any]]] | None
) -> dict[tuple[str, int], tuple[int, str]]:
    """First dirty offset and status that the last run before this one saw."""
    rows = (history or {}).get("compaction", ())
    found = {}
    for row in sorted(rows, key=lambda r: int(r["now"])):
        if int(row["now"]) < now:
            key = str(row["topic"]), int(row["partition"])
            found[key] = int(row["first_dirty_offset"]), str(row["status"])
    return found


def _seen(
    now: int, history: Mapping[str, Sequence[Mapping[str, Any]]] | None
) -> dict[tuple[int | None, str], list[Seen]]:
    """Bytes of each directory at earlier runs, by time."""
    found: dict[tuple[int | None, str], list[Seen]] = {}
    for row in (history or {}).get("dirs", ()):
        if int(row["now"]) < now and row["bytes"] is not None:
            seen = Seen((int(row["now"]) - now) / DAY, int(row["bytes"]))
            found.setdefault((row["broker"], str(row["log_dir"])), []).append(seen)
    return {at: sorted(seen) for at, seen in found.items()}


def _topic_rows(sums: Sums, policies: Policies, now: int) -> list[Row]:
    """Rows of topics, the largest first."""
    sizes = sums.replica_bytes()
    rows = [
        topic.row(
            (policies.get(name) or (RetentionPolicy(), None))[0],
            now,
            None if sizes is None else sizes.get(name, 0),
        )
        for name, topic in sums.topics.items()
    ]
    return sorted(rows, key=lambda r: (-r["bytes"], r["topic"]))


def _risks(rows: Sequence[Row]) -> list[Row]:
    """The worst first, then by when it goes."""
    return sorted(
        rows,
        key=lambda r: (
            -unread.ORDER.index(r["status"]),
            r["deleted_in_seconds"] or 0.0,
            (r["group"], r["topic"], r["partition"]),
        ),
    )


def _debts(rows: Sequence[Row]) -> list[Row]:
    """The worst first, then the most bytes."""
    return sorted(
        rows,
        key=lambda r: (
            -compaction.ORDER.index(r["status"]),
            -r["dirty_bytes"],
            (r["topic"], r["partition"]),
        ),
    )


def _summary(sums: Sums, topics: Sequence[Row], dirs: Sequence[Row]) -> Row:
    full = [d["days_to_full"] for d in dirs if d["days_to_full"] is not None]
    late = [t for t in topics if t["status"] in (OVER, BLOCKED)]
    within_a_day = HORIZONS.index(86_400)
    return {
        "topics": len(topics),
        "bytes": sum(t["bytes"] for t in topics),
        "replica_bytes": sum(t["replica_bytes"] or 0 for t in topics) if sums.dirs else None,
        "topics_over": len(late),
        "over_bytes": sum(t["over_bytes"] for t in late),
        "leaving_in_a_day": sum(t.left[within_a_day] for t in sums.topics.values()),
        "first_full_days": min(full, default=None),
        "groups_at_risk": len({r["group"] for r in sums.at_risk}),
        "records_at_risk": sum(r["records_lost"] for r in sums.at_risk),
        "dirty_bytes": sum(r["dirty_bytes"] for r in sums.compaction),
        "stuck_partitions": sum(1 for r in sums.compaction if r["status"] == compaction.STUCK),
        "damaged_places": sums.places,
        "damaged_bytes": sums.damaged,
    }
