"""The cost report: bytes of topics at rest and on the network in money, by topic and by owner, and
what shorter retention would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pykafka_ops.analysis.cost import FOUND
from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports import pieces
from pykafka_ops.spark.reports.cost import columns
from pykafka_ops.spark.reports.cost.fold import (
    PartitionCopies,
    Row,
    TopicCost,
    owner_rows,
    saving_rows,
    summary,
    with_shares,
)
from pykafka_ops.spark.reports.cost.judge import by_age, figures
from pykafka_ops.spark.reports.damage import DamageTally, problem_of
from pykafka_ops.spark.reports.lag.checkpoints import jobs
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.reports.pieces import ESTIMATED, PLACE, Policies
from pykafka_ops.spark.reports.retention.frames import readers, states

NO_LOGS: Final = "neither batches nor sizes of logs are known"
NO_OWNERS: Final = "--owners says who owns which topics"
SOME_GROUPS: Final = "only some groups were asked for, and others may need what these have read"
_READERS: Final = "Who keeps offsets elsewhere than in Kafka is not seen: ask before you cut."
_REPLICAS: Final = (
    "Of directories alone only the replicas in them count: --replication-factor says how many there"
    " are."
)
_CHUNK: Final = 1000


def build(inputs: Inputs, options: ReportOptions) -> Report:
    """The report about ``inputs.now``; sections topics, owners and savings. ``options.window``
    (ms, a day) is what the rates of groups look back on."""
    options.stage("asking for settings and directories")
    inputs.freeze(groups=True)
    problems: list[Problem] = []
    policies = pieces.policies(inputs)
    if policies is None:
        problems.append(Problem("settings", "not known: Kafka's defaults are taken"))
        policies = {}
    options.stage("counting bytes")
    damage = DamageTally()
    found = _topics(inputs, options, policies, damage)
    if found is None:
        problems.append(Problem("logs", NO_LOGS))
    topics, groups = found or ({}, False)
    rows = with_shares([topic.row(options.cost) for topic in topics.values()])
    savings = _savings(inputs, topics, policies, rows, options) if groups else []
    made = Report(
        "cost",
        inputs.now,
        {**inputs.source, **_asked(options)},
        summary(rows, savings, savings_known=groups and inputs.wanted_groups.every),
        _sections(rows, savings, options),
        [*inputs.problems, *problems, *damage.problems()],
    )
    _explain(made, inputs, is_known=found is not None, groups=groups)
    return made


def _asked(options: ReportOptions) -> dict[str, object]:
    prices, rules = options.cost.prices, options.cost
    return {
        "price_gib_month": prices.stored,
        "price_in_gib": prices.written,
        "price_out_gib": prices.read,
        "currency": rules.currency,
        "replication_factor": rules.replication,
    }


def _topics(
    inputs: Inputs, options: ReportOptions, policies: Policies, damage: DamageTally
) -> tuple[dict[str, TopicCost], bool] | None:
    """The sums of every topic, and whether groups are known; None where nothing is."""
    held = pieces.pieces(inputs, policies)
    if held is None:
        return None
    reading = readers(
        inputs, options.window or UNITS["d"], jobs(inputs, options.checkpoints), behind=False
    )
    replicas = _replicas(inputs, options)
    topics: dict[str, TopicCost] = {}
    table = figures(
        states(inputs, held, reading), inputs.now, policies, groups=reading is not None
    ).toArrow()
    for batch in table.to_batches(max_chunksize=_CHUNK):
        for row in batch.to_pylist():
            topic = topics.setdefault(row["topic"], TopicCost(row["topic"]))
            place = row["topic"], row["partition"]
            topic.add(row, replicas.get(place) or PartitionCopies(wanted=options.cost.replication))
            for place_and_what in row["damage"] or ():
                damage.add(problem_of(place_and_what), row["damaged"])
    for row in by_age(held).toArrow().to_pylist():
        topics[row["topic"]].ages[row["age"]] = row["bytes"]
    return topics, reading is not None


def _replicas(inputs: Inputs, options: ReportOptions) -> dict[tuple[str, int], PartitionCopies]:
    """The replicas of each partition; how many there should be a cluster tells, or the options."""
    found: dict[tuple[str, int], PartitionCopies] = {}
    asked = options.cost.replication

    def at(row: Mapping[str, Any]) -> PartitionCopies:
        key = row["topic"], row["partition"]
        return found.setdefault(key, PartitionCopies(wanted=asked))

    partitions = inputs.partitions()
    if partitions is not None:
        for row in partitions.select(*PLACE, "replicas").toArrow().to_pylist():
            copies = at(row)
            if asked is None and inputs.source.get("servers") and row["replicas"]:
                copies.wanted = len(row["replicas"])
    dirs = inputs.log_dirs()
    if dirs is not None:
        for row in dirs.toArrow().to_pylist():
            if row["topic"] is not None and not row["future"] and row["size"] is not None:
                at(row).sizes.append(row["size"])
    return found


def _savings(
    inputs: Inputs,
    topics: Mapping[str, TopicCost],
    policies: Policies,
    rows: Sequence[Row],
    options: ReportOptions,
) -> list[Row]:
    """Those that save most first."""
    if not inputs.wanted_groups.every:
        return []
    limits = {name: policy for name, (policy, _) in policies.items()}
    by_name = {row["topic"]: row for row in rows}
    found = saving_rows(topics.values(), limits, by_name, options.cost)
    return sorted(found, key=lambda r: (-(r["bytes"] or 0), r["topic"]))


def _sections(rows: Sequence[Row], savings: Sequence[Row], options: ReportOptions) -> list[Section]:
    owners = options.owners
    held = [] if owners is None else owner_rows(rows, savings, owners)
    currency = options.cost.currency
    note = f"Money is in {currency}, per month." if currency else "Money is per month."
    return [
        Section("topics", "Topics", columns.TOPICS, rows, note),
        Section("owners", "Owners", columns.OWNERS, held, note,
                NO_OWNERS if owners is None else ""),
        Section("savings", "What could be saved", columns.SAVINGS, savings, _READERS),
    ]  # fmt: skip


def _explain(report: Report, inputs: Inputs, *, is_known: bool, groups: bool) -> None:
    """Say of sections what is not known, and what is estimated."""
    topics, savings = report.section("topics"), report.section("savings")
    if any(row["basis"] == FOUND for row in topics.rows):
        topics.note = f"{topics.note} {_REPLICAS}"
    if not is_known:
        topics.unknown = savings.unknown = NO_LOGS
    elif inputs.batches() is None:
        topics.note = f"{topics.note} {ESTIMATED}"
    if is_known and not groups:
        savings.unknown = NO_OFFSETS
    elif not inputs.wanted_groups.every:
        savings.unknown = SOME_GROUPS
