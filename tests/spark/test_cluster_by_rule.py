"""Reports on a cluster whose figures follow from a rule: they must say what the rule says."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.spark import inputs as inputs_module
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from tests.support.by_rule import expected
from tests.support.by_rule.rules import CAUGHT_UP, EVERY, SPAN, ClusterRules, number_of
from tests.support.by_rule.server import running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = ClusterRules(now=1_800_000_000_000, brokers=30, partitions=3_007, per_topic=20, groups=25)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with running(RULES) as cluster:
        yield cluster.address


@pytest.fixture(scope="module")
def reports(engine: SparkSession, servers: str) -> dict[str, Report]:
    """Of each kind, each made once; in more tasks than there are cores, as of a large cluster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs_module, "PARTITIONS_OF_TASK", 700)
        return {kind: made(engine, servers, kind) for kind in sorted(expected.SUMMARIES)}


def made(spark: SparkSession, servers: str, kind: str) -> Report:
    inputs = open_inputs(
        spark, InputQuery(now=RULES.now), properties={"bootstrap.servers": servers}
    )
    try:
        module = import_module(f"pykafka_ops.spark.reports.{kind}.report")
        report: Report = module.build(inputs, ReportOptions())
        return report
    finally:
        inputs.close()


@pytest.mark.parametrize("kind", sorted(expected.SUMMARIES))
def test_the_summary_is_what_the_rule_says(reports: dict[str, Report], kind: str) -> None:
    report = reports[kind]
    assert not expected.differences(dict(report.summary), expected.SUMMARIES[kind](RULES))
    assert not report.problems


def test_every_broker_holds_what_the_rule_says(reports: dict[str, Report]) -> None:
    rows = reports["skew"].section("brokers").rows
    wanted = expected.brokers(RULES)
    assert [{name: row[name] for name in wanted[0]} for row in rows] == wanted


def test_every_group_is_where_the_rule_says(reports: dict[str, Report]) -> None:
    rows = reports["lag"].section("groups").rows
    wanted = expected.groups(RULES)
    names = next(iter(wanted.values()))
    assert {row["group"]: {name: row[name] for name in names} for row in rows} == wanted


def test_rates_are_those_of_the_commits(reports: dict[str, Report]) -> None:
    """Of the first partition of each topic; what is written per second, and what was read."""
    for row in reports["lag"].section("partitions").rows:
        n = number_of(str(row["topic"])) * RULES.per_topic
        if row["partition"] == 0:
            rate = float(RULES.records(n)) / (SPAN / 1000)
            assert row["rate_in"] == pytest.approx(rate, abs=0.01)
            read = rate + CAUGHT_UP / (EVERY / 1000) if row["client_id"] else None
            assert row["rate_out"] == (read and pytest.approx(read, abs=0.01))
