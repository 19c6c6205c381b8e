"""The cost report: bytes of topics at rest and on the network in money, by topic and by owner, and
what shorter retention would save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pykafka_ops.analysis.cost import FOUND
from pykafka_ops.analysis.moments import UNITS
from pykafka_ops.spark.engines import kept
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports import pieces
from pykafka_ops.spark.reports.cost import columns
from pykafka_ops.spark.reports.cost.fold import (
    Row,
    owner_rows,
    saving_rows,
    summary,
    topic_row,
    with_shares,
)
from pykafka_ops.spark.reports.cost.gather import topic_sums
from pykafka_ops.spark.reports.cost.judge import figures
from pykafka_ops.spark.reports.damage import DamageTally
from pykafka_ops.spark.reports.lag.checkpoints import jobs
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.reports.pieces import ESTIMATED, Policies
from pykafka_ops.spark.reports.retention.frames import readers, states

NO_LOGS: Final = "neither batches nor sizes of logs are known"
NO_OWNERS: Final = "--owners says who owns which topics"
SOME_GROUPS: Final = "only some groups were asked for, and others may need what these have read"
_READERS: Final = "Who keeps offsets elsewhere than in Kafka is not seen: ask before you cut."
_REPLICAS: Final = (
    "Of directories alone only the replicas in them count: --replication-factor says how many there"
    " are."
)


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
    topics, groups = found or ([], False)
    rows = with_shares([topic_row(topic, options.cost) for topic in topics])
    savings = _savings(inputs, topics, policies, options) if groups else []
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
) -> tuple[list[Mapping[str, Any]], bool] | None:
    """SUMS of every topic, and whether groups are known; None where nothing is."""
    held = pieces.pieces(inputs, policies)
    if held is None:
        return None
    reading = readers(
        inputs, options.window or UNITS["d"], jobs(inputs, options.checkpoints), behind=False
    )
    found = states(inputs, held, reading)
    table = kept(figures(found, inputs.now, policies, groups=reading is not None))
    try:
        damage.add_logs(table)
        return topic_sums(inputs, table, policies, options.cost), reading is not None
    finally:
        table.unpersist()


def _savings(
    inputs: Inputs,
    topics: Sequence[Mapping[str, Any]],
    policies: Policies,
    options: ReportOptions,
) -> list[Row]:
    """Those that save most first."""
    if not inputs.wanted_groups.every:
        return []
    limits = {name: policy for name, (policy, _) in policies.items()}
    found = saving_rows(topics, limits, options.cost)
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
