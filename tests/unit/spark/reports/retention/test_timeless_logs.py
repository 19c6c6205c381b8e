"""Logs without any timestamp: how they grow is not known, in figures, on the page, of what goes."""

from __future__ import annotations

from typing import Any

from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.page import render, retention
from pykafka_ops.spark.reports.lag.departures import departures
from pykafka_ops.spark.reports.retention.report import build
from tests.support.process.browser import parse
from tests.support.spark.given import FrameInputs

HOUR = 3_600_000
NOW = 20_000 * 24 * HOUR
TIMELESS, TIMED = "before-0.10", "orders"


def batch(topic: str, at: int | None, size: int) -> dict[str, Any]:
    return {"topic": topic, "partition": 0, "base_offset": 0, "last_offset": 9, "records": 10,
            "first_timestamp": at, "max_timestamp": at, "size": size, "codec": "none",
            "control": False, "broker": 1, "log_dir": "/d",
            "segment": f"{0:020}.log"}  # fmt: skip


def given(*topics: str) -> FrameInputs:
    """A directory with a log of each; a group has read half of each."""
    sizes = {TIMELESS: 700, TIMED: 300}
    replicas = [
        {"broker": 1, "log_dir": "/d", "topic": t, "partition": 0, "size": sizes[t],
         "total_bytes": 2000, "usable_bytes": 1000}
        for t in topics
    ]  # fmt: skip
    configs = [
        {"topic": t, "name": name, "value": value}
        for t in topics
        for name, value in (
            ("retention.ms", "-1"),
            ("retention.bytes", "100000" if t == TIMELESS else "-1"),
        )
    ]
    return FrameInputs(
        LocalSession(),  # type: ignore[arg-type]
        now=NOW,
        batches=[batch(t, None if t == TIMELESS else NOW - 2 * HOUR, sizes[t]) for t in topics],
        log_dirs=replicas,
        configs=configs,
        partitions=[{"topic": t, "partition": 0, "leader": 1, "replicas": [1], "isr": [1],
                     "start_offset": 0, "end_offset": 10} for t in topics],
        committed=[{"group": "g", "topic": t, "partition": 0, "offset": 5} for t in topics],
        groups=[{"group": "g", "state": "Empty"}],
    )  # fmt: skip


def made(*topics: str) -> Report:
    return build(given(*topics), ReportOptions())


def by(report: Report, section: str, name: str) -> dict[Any, Row]:
    return {row[name]: row for row in report.section(section).rows}


def test_the_rate_of_a_timeless_log_is_not_known_and_others_keep_theirs() -> None:
    topics = by(made(TIMELESS, TIMED), "topics", "topic")
    assert topics[TIMELESS]["bytes"] == 700
    for span in ("bytes_per_hour", "bytes_per_hour_day", "bytes_per_hour_week", "steady_bytes"):
        assert topics[TIMELESS][span] is None, span
    assert topics[TIMED]["bytes_per_hour_day"] == 150


def test_what_leaves_is_summed_up_as_far_as_it_is_known() -> None:
    report = made(TIMELESS, TIMED)
    left = {(r["topic"], r["bytes"]) for r in report.section("leaving").rows}
    assert left == {(TIMELESS, None), (TIMED, 0)}
    assert report.summary["leaving_in_a_day"] == 0
    assert made(TIMELESS).summary["leaving_in_a_day"] is None


def test_a_disk_with_a_timeless_log_has_no_forecast() -> None:
    (row,) = made(TIMELESS, TIMED).section("dirs").rows
    assert (row["bytes"], row["bytes_per_day"], row["days_to_full"]) == (1000, None, None)
    (known,) = made(TIMED).section("dirs").rows
    assert known["bytes_per_day"] and known["days_to_full"]


def test_whether_a_group_loses_what_a_timeless_log_holds_is_not_known() -> None:
    report = made(TIMELESS)
    (row,) = report.section("at_risk").rows
    assert (row["group"], row["lag"], row["status"], row["deleted_in_seconds"]) == (
        "g", 5, None, None
    )  # fmt: skip
    assert row["records_lost"] is None
    assert report.summary["groups_at_risk"] is None
    assert Judge("at_risk", "status=LOSING").count(report) == 1
    sure = made(TIMED)
    assert (sure.section("at_risk").rows, sure.summary["groups_at_risk"]) == ([], 0)


def test_a_lag_report_does_not_say_that_a_timeless_log_stays() -> None:
    found = departures(given(TIMELESS, TIMED))
    assert found is not None
    leaves = {row["topic"]: row["leaves"] for row in found.toArrow().to_pylist()}
    assert leaves[TIMELESS] is None
    assert len(leaves[TIMED]) == 1


def test_the_page_says_what_is_not_known_and_nothing_of_it_is_green() -> None:
    report = made(TIMELESS, TIMED)
    tiles = {tile.name: tile for tile in retention.tiles(report)}
    full, losing = tiles["First disk full"], tiles["Groups losing unread data"]
    assert (full.text, full.note, full.tone) == ("–", "growth not known", "warn")
    assert (losing.text, losing.note, losing.tone) == ("–", "1 group not known", "warn")
    assert tiles["Leaves in 24 hours"].note == "of 1 of 2 topics"
    assert "no disk is known to fill up soon" in retention.headline(report)
    page = parse(render([report]))
    assert page.one("h1").has("class_", "warn")
    assert "Until disks are full" not in page.text
    assert "Growth of broker 1 /d" not in page.text
    assert "Growth of broker 1 /d" in parse(render([made(TIMED)])).text
