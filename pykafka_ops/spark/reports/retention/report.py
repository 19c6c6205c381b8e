"""The retention report: how old data is against what the policies say, what leaves when, when
disks are full, what waits for compaction, and who loses data before having read it.

Segments stay in executors: the driver gets a row per partition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.analysis.capacity import Seen
from pykafka_ops.analysis.retention import BLOCKED, OVER, RetentionPolicy
from pykafka_ops.spark.engines import functions_of, kept
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports import pieces
from pykafka_ops.spark.reports.damage import DamageTally
from pykafka_ops.spark.reports.known import known_sum
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.reports.pieces import ESTIMATED, Policies
from pykafka_ops.spark.reports.retention import columns
from pykafka_ops.spark.reports.retention.fold import Directory, DirKey, Row, TopicSums
from pykafka_ops.spark.reports.retention.frames import readers, states
from pykafka_ops.spark.reports.retention.gather import (
    NO_ROWS,
    FirstRows,
    debts,
    dir_sums,
    replica_bytes,
    risks,
    topic_sums,
)
from pykafka_ops.spark.reports.retention.judge import DAY, HORIZONS, RetentionRules, figures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_OF_AGES: Final = ("topics", "ages", "leaving", "at_risk")
NO_LOGS: Final = "neither batches nor sizes of logs are known"
NO_CLEANER: Final = "how far the cleaner got is in log directories only"


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, ages, leaving, dirs, growth, compaction
    and at_risk. ``options.window`` (ms) is what the rates of groups look back on, as in the lag
    report; rows of earlier runs in ``options.history`` make the forecast better."""
    options.stage("asking for settings and directories")
    inputs.freeze(groups=True)
    problems: list[Problem] = []
    policies = pieces.policies(inputs)
    if policies is None:
        problems.append(Problem("settings", "not known: Kafka's defaults are taken"))
        policies = {}
    sums = _Sums()
    dirs = inputs.log_dirs()
    if dirs is None:
        sums.unknown |= dict.fromkeys(("dirs", "growth"), "no directories were asked")
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
    estimated = inputs.batches() is None
    topics = _topic_rows(sums, policies, inputs.now, estimated=estimated)
    sections = _sections(sums, topics, dir_rows, growth, estimated=estimated)
    return Report(
        "retention",
        inputs.now,
        dict(inputs.source),
        _summary(sums, topics, dir_rows)
        | {"untold_brokers": len(inputs.untold)}
        | sums.damage.figures(whole=bool(inputs.directories)),
        sections,
        [*inputs.problems, *problems, *sums.damage.problems()],
    )


@dataclass(slots=True)
class _Sums:
    """What came out of executors; ``replicas``: bytes of all replicas by topic, None where not
    known; ``unknown``: by section why its rows are not known."""

    topics: Mapping[str, TopicSums] = field(default_factory=dict)
    dirs: Mapping[DirKey, Directory] = field(default_factory=dict)
    replicas: Mapping[str, int] | None = None
    compaction: FirstRows = NO_ROWS
    at_risk: FirstRows = NO_ROWS
    damage: DamageTally = field(default_factory=DamageTally)
    unknown: dict[str, str] = field(default_factory=dict)


def _sections(
    sums: _Sums,
    topics: Sequence[Row],
    dir_rows: Sequence[Row],
    growth: Sequence[Row],
    *,
    estimated: bool,
) -> list[Section]:
    by_name = [sums.topics[name] for name in sorted(sums.topics)]
    sections = [
        Section("topics", "Topics", columns.TOPICS, topics),
        Section("at_risk", "Unread data about to go", columns.AT_RISK, sums.at_risk.rows,
                total=sums.at_risk.total, met=sums.at_risk.met,
                elsewhere=sums.at_risk.elsewhere),
        Section("dirs", "Directories", columns.DIRS, dir_rows),
        Section("compaction", "Compaction", columns.COMPACTION, sums.compaction.rows,
                total=sums.compaction.total, met=sums.compaction.met,
                elsewhere=sums.compaction.elsewhere),
        Section("leaving", "What leaves", columns.LEAVING,
                [row for topic in by_name for row in topic.leaving_rows()]),
        Section("ages", "Bytes by age", columns.AGES,
                [row for topic in by_name for row in topic.age_rows()]),
        Section("growth", "Growth", columns.GROWTH, growth,
                "Without earlier runs the past is what was written and is still there."),
    ]  # fmt: skip
    for section in sections:
        section.unknown = sums.unknown.get(section.name, "")
        if estimated and section.name in _OF_AGES:
            section.note = f"{section.note} {ESTIMATED}".strip()
    return sections


def _add_figures(
    inputs: Inputs,
    options: ReportOptions,
    policies: Policies,
    sums: _Sums,
    problems: list[Problem],
) -> None:
    """Count everything, in executors, and take in the rows of partitions."""
    found = pieces.uncut(inputs, policies)
    if found is None:
        problems.append(Problem("logs", NO_LOGS))
        sums.unknown = dict.fromkeys(
            ("topics", "ages", "leaving", "compaction", "at_risk"), NO_LOGS
        )
        return
    rules = RetentionRules(
        inputs.now,
        policies,
        _before(inputs.now, options.history),
        cleaner_known=inputs.cleaned() is not None,
    )
    waiting = readers(inputs, options.window)
    if waiting is None:
        sums.unknown["at_risk"] = NO_OFFSETS
    if not rules.cleaner_known and any(policy.compact for policy, _ in policies.values()):
        sums.unknown["compaction"] = NO_CLEANER
    counted = kept(figures(states(inputs, found, waiting), rules))
    try:
        _gather(inputs, counted, sums, options)
    finally:
        counted.unpersist()


def _gather(inputs: Inputs, counted: DataFrame, sums: _Sums, options: ReportOptions) -> None:
    """Take in what is made of FIGURES."""
    sums.topics = topic_sums(counted)
    dirs = inputs.log_dirs()
    if dirs is not None:
        f = functions_of(dirs)
        held = dirs.where(~f.coalesce("future", f.lit(False)))
        sums.dirs, sums.replicas = dir_sums(held, counted), replica_bytes(held)
    sums.at_risk = risks(counted, options)
    sums.compaction = debts(counted, options)
    sums.damage.add_logs(counted)


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


def _topic_rows(sums: _Sums, policies: Policies, now: int, *, estimated: bool) -> list[Row]:
    """Rows of topics, the largest first."""
    sizes = sums.replicas
    rows = [
        topic.row(
            (policies.get(name) or (RetentionPolicy(), None))[0],
            now,
            None if sizes is None else sizes.get(name),
            estimated=estimated,
        )
        for name, topic in sums.topics.items()
    ]
    return sorted(rows, key=lambda r: (-(r["bytes"] or 0), r["topic"]))


def _summary(sums: _Sums, topics: Sequence[Row], dirs: Sequence[Row]) -> Row:
    full = [d["days_to_full"] for d in dirs if isfinite(d["days_to_full"] or 0.0)]
    full = [days for days in full if days is not None]
    late = [t for t in topics if t["status"] in (OVER, BLOCKED)]
    left = (topic.left[HORIZONS.index(86_400)] for topic in sums.topics.values())

    def of(section: str, figure: int | None) -> int | None:
        """A figure of that section, None where it is not known."""
        return None if sums.unknown.get(section) else figure

    return {
        "topics": len(topics),
        "bytes": known_sum(t["bytes"] for t in topics),
        "unknown_partitions": sum(t["unknown_partitions"] for t in topics),
        "replica_bytes": known_sum(t["replica_bytes"] for t in topics) if sums.dirs else None,
        "topics_over": len(late),
        "over_bytes": sum(t["over_bytes"] for t in late),
        "leaving_in_a_day": known_sum(left),
        "first_full_days": min(full, default=None),
        "groups_at_risk": of("at_risk", sums.at_risk.sums.get("groups")),
        "records_at_risk": of("at_risk", sums.at_risk.sums.get("records")),
        "dirty_bytes": of("compaction", sums.compaction.sums.get("dirty", 0)),
        "stuck_partitions": of("compaction", sums.compaction.sums.get("stuck", 0)),
    }
