"""Partitions of whose logs nobody tells, or not when they were written: no zero, no green."""

from __future__ import annotations

from typing import Any

from pykafka_ops.analysis.cost import CostRules, Prices
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.page import render, retention
from pykafka_ops.spark.reports.cost.report import build as build_cost
from pykafka_ops.spark.reports.retention.report import build
from tests.support.process.browser import parse
from tests.support.spark.given import FrameInputs

HOUR = 3_600_000
NOW = 20_000 * 24 * HOUR
DARK, EMPTY, KNOWN = "dark", "empty", "orders"
OFFSETS = {DARK: (None, None), EMPTY: (7, 7), KNOWN: (0, 10)}


def given(*topics: str, sizes: bool = True) -> FrameInputs:
    """A cluster: of one topic nobody tells offsets, for it has no leader; one is empty."""
    held = {DARK: 600, EMPTY: 0, KNOWN: 300}
    dirs = [
        {"broker": 1, "log_dir": "/d", "topic": t, "partition": 0, "size": held[t],
         "total_bytes": 2000, "usable_bytes": 1000}
        for t in topics
    ]  # fmt: skip
    nowhere = {"broker": 2, "log_dir": "/d", "total_bytes": 2000, "usable_bytes": 1000}
    return FrameInputs(
        LocalSession(),  # type: ignore[arg-type]
        now=NOW,
        log_dirs=dirs if sizes else [nowhere],
        configs=[],
        partitions=[
            {"topic": t, "partition": 0, "leader": None if t == DARK else 1, "replicas": [1],
             "isr": [1], "start_offset": OFFSETS[t][0], "end_offset": OFFSETS[t][1],
             "max_timestamp": NOW - HOUR}
            for t in topics
        ],
        committed=[{"group": "g", "topic": t, "partition": 0, "offset": OFFSETS[t][1] or 5}
                   for t in topics],
        groups=[{"group": "g", "state": "Empty"}],
    )  # fmt: skip


def made(*topics: str, sizes: bool = True) -> Report:
    return build(given(*topics, sizes=sizes), ReportOptions())


def topics_of(report: Report) -> dict[Any, Row]:
    return {row["topic"]: row for row in report.section("topics").rows}


def test_a_partition_without_a_leader_is_not_empty_and_one_without_records_is() -> None:
    report = made(DARK, EMPTY, KNOWN)
    topics = topics_of(report)
    assert {name: (row["status"], row["bytes"]) for name, row in topics.items()} == {
        DARK: ("unknown", None), EMPTY: ("empty", 0), KNOWN: ("ok", 300)
    }  # fmt: skip
    assert [topics[name]["unknown_partitions"] for name in (DARK, EMPTY, KNOWN)] == [1, 0, 0]
    assert (report.summary["bytes"], report.summary["unknown_partitions"]) == (300, 1)
    assert topics[DARK]["replica_bytes"] == 600


def test_a_log_whose_size_nobody_tells_is_not_empty() -> None:
    report = made(KNOWN, sizes=False)
    (row,) = report.section("topics").rows
    names = ("status", "bytes", "replica_bytes", "over_bytes", "bytes_per_hour_day")
    assert [row[name] for name in names] == ["unknown", None, None, None, None]
    assert (report.summary["bytes"], report.summary["replica_bytes"]) == (None, None)


def test_the_page_tells_what_is_not_known() -> None:
    report = made(DARK, EMPTY, KNOWN)
    tiles = {tile.name: tile for tile in retention.tiles(report)}
    assert (tiles["Kept too long"].note, tiles["Kept too long"].tone) == (
        "at least: 1 topic not known", "warn"
    )  # fmt: skip
    assert tiles["On disk"].note == "at least: 1 partition not known"
    said = retention.headline(report)
    assert said.startswith("2 topics keep what the policies say")
    assert "Whether dark keeps what the policy says is not known." in said
    assert parse(render([report])).one("h1").has("class_", "warn")
    alone = {tile.name: tile for tile in retention.tiles(made(KNOWN, sizes=False))}
    assert {(alone[n].text, alone[n].tone) for n in ("On disk", "Kept too long")} == {("–", "warn")}


def test_what_a_topic_costs_is_not_known_where_nobody_tells_its_size() -> None:
    priced = ReportOptions(cost=CostRules(Prices(1.0)))
    report = build_cost(given(DARK, KNOWN, sizes=False), priced)
    names = ("bytes", "replica_bytes", "written_per_month", "growth_per_month", "unknown")
    for row in report.section("topics").rows:
        assert [row[name] for name in names] == [None] * 4 + ["at rest"], row["topic"]
    assert report.summary["replica_bytes"] is None
    assert report.summary["unknown_topics"] == 2


def test_what_a_topic_costs_is_known_by_its_replicas_where_its_offsets_are_not() -> None:
    report = build_cost(given(DARK, EMPTY), ReportOptions())
    costs = topics_of(report)
    assert [costs[name]["replica_bytes"] for name in (DARK, EMPTY)] == [600, 0]
    assert costs[DARK]["growth_per_month"] is None
    assert costs[EMPTY]["growth_per_month"] == 0
