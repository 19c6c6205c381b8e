"""The cost report: money of bytes that are counted by hand, by both engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.analysis.cost import FOUND, MEASURED, CostRules, Prices
from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.cli import main
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.cost import report as cost
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from tests.support.spark.given import FrameInputs
from tests.support.spark.log_tables import write_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pykafka_ops.spark.model import Report

HOUR = 3_600_000
DAY = 24 * HOUR
NOW = 20_000 * DAY
MIB = 1 << 20
GIB = 1 << 30
Row = dict[str, Any]


def batch(topic: str, base: int, age: int, size: int) -> Row:
    """A segment of 100 records, ``age`` ms old."""
    return {
        "topic": topic, "partition": 0, "base_offset": base, "last_offset": base + 99,
        "records": 100, "first_timestamp": NOW - age, "max_timestamp": NOW - age, "size": size,
        "codec": "none", "control": False, "broker": 1, "log_dir": "/d",
        "segment": f"{base:020}.log", "position": 0,
    }  # fmt: skip


LOGS = {
    "orders": [(50 * HOUR, 256 * MIB), (30 * HOUR, 128 * MIB), (2 * HOUR, 24 * MIB)],
    "ledger": [(50 * HOUR, 64 * MIB), (HOUR, 48 * MIB)],
    "table": [(3 * HOUR, 32 * MIB)],
}
BATCHES = [
    batch(topic, 100 * n, age, size)
    for topic, segments in LOGS.items()
    for n, (age, size) in enumerate(segments)
]
SIZES = {topic: sum(size for _, size in segments) for topic, segments in LOGS.items()}
FRAMES: dict[str, Any] = {
    "batches": BATCHES,
    "partitions": [
        {"topic": topic, "partition": 0, "leader": 1, "replicas": [1, 2, 3], "isr": [1, 2, 3],
         "start_offset": 0, "end_offset": 100 * len(segments), "max_timestamp": NOW - HOUR}
        for topic, segments in LOGS.items()
    ],
    "log_dirs": [
        {"broker": broker, "log_dir": "/d", "topic": topic, "partition": 0, "size": size,
         "offset_lag": 0, "future": False}
        for topic, size in SIZES.items() for broker in (1, 2, 3)
    ],
    "configs": [
        {"topic": topic, "name": name, "value": value, "source": "DYNAMIC_TOPIC_CONFIG"}
        for topic, name, value in (
            ("orders", "retention.ms", str(7 * DAY)), ("ledger", "retention.ms", "-1"),
            ("table", "cleanup.policy", "compact"),
        )
    ],
    "committed": [{"group": "billing", "topic": "orders", "partition": 0, "offset": 250}],
    "commits": [
        {"group": "billing", "topic": "orders", "partition": 0, "offset": 250 - 10 * n,
         "commit_timestamp": NOW - n * 1_000_000, "tombstone": False, "log_partition": 0,
         "log_offset": 100 - n}
        for n in reversed(range(6))
    ],
}  # fmt: skip
RULES = CostRules(Prices(0.5, 2.0, 4.0), "EUR")
OWNERS = OwnerRules([("orders", TopicOwner("shop", "web")), ("table", TopicOwner("shop", "web"))])


def made(engine: SparkSession, options: ReportOptions, **more: Any) -> Report:
    inputs = FrameInputs(engine, now=NOW, **{**FRAMES, **more})
    inputs.source = {"servers": "broker:9092"}
    try:
        return cost.build(inputs, options)
    finally:
        inputs.close()


def rows(report: Report, section: str, name: str = "topic") -> dict[Any, Any]:
    return {row[name]: row for row in report.section(section).rows}


def test_bytes_cost_what_their_prices_say(engine: SparkSession) -> None:
    found = made(engine, ReportOptions(cost=RULES, owners=OWNERS))
    topics = rows(found, "topics")
    orders = topics["orders"]
    assert (orders["replica_bytes"], orders["basis"]) == (3 * SIZES["orders"], MEASURED)
    assert orders["storage_cost"] == pytest.approx(3 * SIZES["orders"] / GIB * 0.5, abs=1e-6)
    # 24 MiB in the last day: 1 MiB an hour.
    assert orders["written_per_month"] == 730 * MIB
    assert orders["in_cost"] == pytest.approx(730 / 1024 * 2, abs=1e-6)
    # 10 offsets in 1,000 seconds, and 300 offsets hold all bytes.
    assert orders["read_per_month"] == pytest.approx(36 * 730 * SIZES["orders"] / 300, rel=1e-9)
    parts = [orders[name] for name in ("storage_cost", "in_cost", "out_cost")]
    assert orders["cost"] == pytest.approx(sum(parts), abs=1e-5)
    ledger = topics["ledger"]
    assert (ledger["read_per_month"], ledger["growth_per_month"]) == (0, 3 * 2 * 730 * MIB)
    assert ledger["cost_in_a_month"] - ledger["cost"] == pytest.approx(
        3 * 2 * 730 / 1024 * 0.5, abs=1e-5
    )
    table = topics["table"]
    assert (table["cost"], table["in_cost"], table["unknown"]) == (None, None, "in")
    assert [row["topic"] for row in found.section("topics").rows] == ["table", "orders", "ledger"]
    assert found.summary["unknown_topics"] == 1
    known = orders["cost"] + ledger["cost"] + table["storage_cost"] + table["out_cost"]
    assert found.summary["cost"] == pytest.approx(known, abs=1e-5)
    assert orders["share"] == pytest.approx(orders["cost"] / known, abs=1e-5)
    owners = rows(found, "owners", "owner")
    assert (owners["shop"]["topics"], owners["shop"]["team"]) == (2, "web")
    assert owners["shop"]["unknown_topics"] == 1
    assert owners["shop"]["cost"] == pytest.approx(orders["cost"] + table["storage_cost"], abs=1e-5)
    assert owners["unowned"]["cost"] == ledger["cost"]


def test_retention_is_cut_to_what_the_slowest_group_needs(engine: SparkSession) -> None:
    found = made(engine, ReportOptions(cost=RULES))
    savings = rows(found, "savings")
    # The group stands in the last segment, 2 hours old: a day is kept whatever is read.
    orders = savings["orders"]
    assert (orders["kind"], orders["proposed_ms"], orders["retention_ms"]) == (
        "retention", DAY, 7 * DAY,
    )  # fmt: skip
    assert (orders["oldest_unread_seconds"], orders["bytes"]) == (7200.0, 3 * 384 * MIB)
    assert orders["saving"] == 3 * 384 / 1024 * 0.5
    assert (savings["ledger"]["kind"], savings["ledger"]["bytes"]) == ("unread", 3 * 64 * MIB)
    assert "table" not in savings
    behind = [{"group": "slow", "topic": "orders", "partition": 0, "offset": 150}]
    slower = made(engine, ReportOptions(cost=RULES), committed=[*FRAMES["committed"], *behind])
    # 30 hours behind: 60 are kept, and nothing is as old.
    assert "orders" not in rows(slower, "savings")


def test_replicas_that_nobody_tells_of_count_by_the_factor(engine: SparkSession) -> None:
    dirs = [row for row in FRAMES["log_dirs"] if row["broker"] == 1]
    scaled = rows(made(engine, ReportOptions(cost=RULES), log_dirs=dirs), "topics")["orders"]
    assert (scaled["basis"], scaled["replica_bytes"]) == ("scaled", 3 * SIZES["orders"])


def test_without_offsets_nobody_knows_what_is_read(engine: SparkSession) -> None:
    rest = {name: frame for name, frame in FRAMES.items() if name not in ("committed", "commits")}
    inputs = FrameInputs(engine, now=NOW, **rest)
    found = cost.build(inputs, ReportOptions(cost=RULES))
    inputs.close()
    topics = rows(found, "topics")
    assert topics["ledger"]["unknown"] == "out"
    assert topics["ledger"]["basis"] == FOUND
    assert found.section("savings").unknown == NO_OFFSETS
    assert found.summary["saving"] is None


def test_some_groups_alone_do_not_say_what_can_go(engine: SparkSession) -> None:
    found = made(engine, ReportOptions(cost=RULES), wanted_groups=Names.of(["billing"]))
    assert found.section("savings").rows == []
    assert found.section("savings").unknown.startswith("only some groups were asked for")


def test_the_command_says_what_may_be_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(tmp_path / "logs", "orders", [[10]])
    words = ["spark", "cost", str(tmp_path / "logs"), "--price-gib-month", "1e6"]
    assert main([*words, "--fail-on", "cost>1000000", "-o", "csv"]) == 4
    out, err = capsys.readouterr()
    assert out.startswith("topic,bytes,replication,replica_bytes,basis,")
    assert err.startswith("pko: topic orders: cost ")
    assert main([*words, "--replication-factor", "3", "--fail-on", "cost>1000000"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "1 topic cost " in out
    assert "not known: " in out
