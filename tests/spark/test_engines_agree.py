"""What the local engine says is what Spark says, to the last figure, whatever is read, and whether
Spark plans queries or runs tasks alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.analysis.cost import CostRules, Prices
from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.light import light_session
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.reports.cost import report as cost
from pykafka_ops.spark.reports.formats import report as formats
from pykafka_ops.spark.reports.lag import report as lag
from pykafka_ops.spark.reports.retention import report as retention
from pykafka_ops.spark.reports.skew import report as skew
from pykafka_ops.spark.reports.slo import report as slo
from tests.support.clients.groups_site import STAMP, GroupsSite
from tests.support.process.broker import BrokerProcess
from tests.support.spark.given import FrameInputs
from tests.support.spark.lag_world import NOW as WORLD_NOW
from tests.support.spark.lag_world import SPAN, World
from tests.support.spark.workload import HOUR, NOW, Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.inputs import Inputs

REPORTS = {"lag": lag, "skew": skew, "retention": retention, "cost": cost, "slo": slo,
           "formats": formats}  # fmt: skip
OPTIONS = ReportOptions(
    top=5,
    cost=CostRules(Prices(8.0, 1.0, 2.0), "EUR"),
    owners=OwnerRules([("o*", TopicOwner("shop"))]),
)
QUERIES = {
    "all": InputQuery(now=NOW),
    "a part": InputQuery(NOW, NOW - 8 * HOUR, NOW - HOUR, Names.of(["o.*", ".*k.*"], regex=True),
                         Names.of(["billing", "idle"])),
}  # fmt: skip

VOLUME = {"usable_bytes", "days_to_80", "days_to_full", "days_to_full_low", "days_to_full_high",
          "first_full_days"}  # fmt: skip


def made(inputs: Inputs) -> dict[str, Any]:
    """The reports, as documents."""
    try:
        return {name: document(module.build(inputs, OPTIONS)) for name, module in REPORTS.items()}
    finally:
        inputs.close()


def rows(found: dict[str, Any], kind: str, section: str) -> list[dict[str, Any]]:
    """The rows of a section."""
    return found[kind]["sections"][section]["rows"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("seed", "query"), [(1, "all"), (2, "a part")])
def test_directories(spark: SparkSession, tmp_path: Path, seed: int, query: str) -> None:
    work = Workload(tmp_path, seed)
    by_spark, light, here = (
        made(
            open_inputs(
                session,
                QUERIES[query],
                locations=[str(place) for place in work.places],
                configs=str(work.settings),
            )
        )
        for session in (spark, light_session(spark.sparkContext), local_session())
    )
    assert steady(here) == steady(light) == steady(by_spark)
    assert rows(here, "lag", "groups")
    assert rows(here, "skew", "partitions")
    assert rows(here, "retention", "topics")
    assert rows(here, "cost", "owners")
    assert {row["kind"] for row in rows(here, "formats", "kinds")}


def test_frames_of_a_cluster(spark: SparkSession) -> None:
    moments = [WORLD_NOW - SPAN + n * 600_000 for n in range(25)]
    by_spark, light, here = (
        made(
            FrameInputs(
                session,
                now=WORLD_NOW,
                since=WORLD_NOW - SPAN,
                log_dirs=[],
                **World(1, moments).frames(),  # type: ignore[arg-type]
            )
        )
        for session in (spark, light_session(spark.sparkContext), local_session())
    )
    assert here == light == by_spark
    assert len(rows(here, "lag", "over_time")) == 4 * 24


def test_a_running_cluster(spark: SparkSession, pko_session: BrokerProcess) -> None:
    site = GroupsSite(pko_session, "agreed")
    site.commit(site.groups[0], 3, 5)
    site.commit(site.groups[2], 20, 20)
    names = Names.of([site.topic]), Names.of([*site.groups])
    by_spark, light, here = (
        made(
            open_inputs(
                session,
                InputQuery(STAMP + HOUR, None, None, *names),
                properties={"bootstrap.servers": site.bootstrap},
            )
        )
        for session in (spark, light_session(spark.sparkContext), local_session())
    )
    assert steady(here) == steady(light) == steady(by_spark)
    lags = {row["group"]: row["lag"] for row in rows(here, "lag", "groups")}
    assert lags == {site.groups[0]: 32, site.groups[2]: 0}
    (looked,) = rows(here, "formats", "topics")
    assert 0 < looked["sampled_records"] <= looked["records"]


def steady(found: Any) -> Any:
    """Without what the volume says, which others write to."""
    if isinstance(found, dict):
        kept = {k: v for k, v in found.items() if k not in VOLUME}
        return {k: steady(v) for k, v in kept.items()}
    return [steady(v) for v in found] if isinstance(found, list) else found
