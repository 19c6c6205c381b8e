"""The lag report equals what a plain loop over the same commits says, to the digit."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.lag.report import build
from pykafka_ops.spark.reports.lag.span import ReportSpan
from tests.support.spark.given import FrameInputs
from tests.support.spark.lag_world import NOW, SPAN, WINDOW, World
from tests.support.spark.stream_jobs import checkpoint

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECTIONS = ("groups", "partitions", "topics", "silent_groups", "unread_topics", "over_time")


@pytest.fixture(scope="module")
def span() -> ReportSpan:
    return ReportSpan.of(NOW, NOW - SPAN, None, WINDOW)


@pytest.fixture(scope="module")
def world(span: ReportSpan) -> World:
    return World(7, span.asked)


@pytest.fixture(scope="module")
def report(engine: SparkSession, world: World) -> Report:
    inputs = FrameInputs(engine, now=NOW, since=NOW - SPAN, **world.frames())  # type: ignore[arg-type]
    return build(inputs, ReportOptions(window=WINDOW))


def test_every_row_has_the_columns_of_its_section(report: Report) -> None:
    assert tuple(s.name for s in report.sections) == SECTIONS
    for section in report.sections:
        names = {c.name for c in section.columns}
        assert section.rows
        assert all(set(row) == names for row in section.rows), section.name


def test_partitions_equal_the_command_to_the_digit(report: Report, world: World) -> None:
    wanted = {(r.group, r.topic, r.partition): dataclasses.asdict(r) for r in world.rows()}
    found = {
        (row["group"], row["topic"], row["partition"]): dict(row)
        for row in report.section("partitions").rows
    }
    assert found.keys() == wanted.keys()
    assert {r["status"] for r in wanted.values()} > {"OK", "STOP", "STALL"}
    for key, row in wanted.items():
        assert {name: found[key][name] for name in row} == row, key


def test_groups_equal_the_command_to_the_digit(report: Report, world: World) -> None:
    found = {row["group"]: dict(row) for row in report.section("groups").rows}
    for total in world.totals():
        row = dataclasses.asdict(total)
        assert {name: found[total.group][name] for name in row} == row
    statuses = [row["status"] for row in report.section("groups").rows]
    assert statuses == sorted(statuses, key=STATUSES.index, reverse=True)


def test_buckets_equal_those_of_the_history(report: Report, world: World, span: ReportSpan) -> None:
    found: dict[object, list[dict[str, object]]] = {}
    for row in report.section("over_time").rows:
        found.setdefault(row["group"], []).append(dict(row))
    wanted = world.over_time(list(span.times))
    assert {g: len(rows) for g, rows in found.items()} == dict.fromkeys(wanted, 24)
    for group, made in wanted.items():
        for row, bucket in zip(found[group], made, strict=True):
            assert row == {"group": group, **dataclasses.asdict(bucket)}


def test_a_group_that_stopped_is_silent_since_its_last_commit(report: Report, world: World) -> None:
    (row,) = report.section("silent_groups").rows
    last = max(c.timestamp for (g, _, _), c in world.log if g == "search" and c.offset >= 0)
    assert (row["group"], row["last_commit"]) == ("search", last)
    assert row["silence_seconds"] == (NOW - last) / 1000


def test_topics_add_up_and_unread_ones_stand_apart(report: Report, world: World) -> None:
    rows = world.rows()
    for row in report.section("topics").rows:
        lags = [r.lag for r in rows if r.topic == row["topic"] and r.lag is not None]
        assert (row["lag"], row["max_lag"]) == (sum(lags), max(lags))
        rates = [rate for (topic, _), rate in world.rates.items() if topic == row["topic"]]
        assert row["rate_in"] == pytest.approx(sum(rates), abs=0.01)
    (unread,) = report.section("unread_topics").rows
    assert (unread["topic"], unread["partitions"], unread["rate_in"]) == ("unread", 1, None)
    assert unread["records"] == world.end(("unread", 0), NOW) - 90_000


def test_the_summary_counts_what_the_sections_say(report: Report) -> None:
    groups = report.section("groups").rows
    assert report.summary["groups"] == 4
    assert report.summary["lag"] == sum(int(str(g["lag"])) for g in groups)
    assert report.summary["silent_groups"] == report.summary["unread_topics"] == 1


def test_a_streaming_job_is_a_group_by_its_checkpoint(engine: SparkSession, tmp_path: Path) -> None:
    start = NOW - 5 * 60_000
    path = checkpoint(tmp_path / "enrich", 6, 7, start=start)
    inputs = FrameInputs(
        engine,
        now=NOW,
        partitions=[{"topic": "orders", "partition": p, "start_offset": 0, "end_offset": 100,
                     "max_timestamp": NOW} for p in range(2)],
        ends=[{"topic": "orders", "partition": 0, "at": NOW - m * 60_000, "offset": 100 - 10 * m}
              for m in range(10, 0, -1)],
    )  # fmt: skip
    report = build(inputs, ReportOptions(checkpoints=[str(path)]))
    first, second = sorted(report.section("partitions").rows, key=lambda r: str(r["partition"]))
    assert (first["group"], first["state"], first["current_offset"]) == ("enrich", "Spark", 60)
    assert (first["lag"], first["lag_seconds"]) == (40, 240.0)
    assert (first["status"], first["rate_out"]) == ("STOP", 10.0)
    assert first["since"] == first["last_commit"] == start + 5600
    assert (second["lag"], second["rate_out"]) == (95, 1.0)
    (group,) = report.section("groups").rows
    assert (group["group"], group["partitions"], group["lag"]) == ("enrich", 2, 135)


def test_groups_that_lost_records_or_are_not_known_never_pass(engine: SparkSession) -> None:
    """By partition: 100 records from 40 on; one whose leader is gone; an empty one."""
    logs = [
        {"topic": "orders", "partition": p, "start_offset": start, "end_offset": end}
        for p, (start, end) in enumerate([(40, 140), (None, None), (7, 7)])
    ]
    places = {"lost": (0, 39), "ahead": (0, 141), "dark": (1, 5), "read": (0, 140)}
    inputs = FrameInputs(
        engine,
        now=NOW,
        partitions=logs,
        committed=[{"group": g, "topic": "orders", "partition": p, "offset": offset}
                   for g, (p, offset) in places.items()],
        groups=[{"group": "idle", "state": "Stable", "member": "m", "client_id": "c", "host": "h",
                 "topic": "orders", "partition": 2}],
    )  # fmt: skip
    report = build(inputs, ReportOptions())
    found = {str(r["group"]): r for r in report.section("groups").rows}
    assert {g: (r["status"], r["lag"], r["unknown_partitions"]) for g, r in found.items()} == {
        "lost": ("LOST", 101, 0), "ahead": ("AHEAD", None, 1), "dark": ("UNKNOWN", None, 1),
        "read": ("OK", 0, 0), "idle": ("OK", 0, 0),
    }  # fmt: skip
    (topic,) = report.section("topics").rows
    assert (topic["status"], topic["unknown_partitions"]) == ("LOST", 2)
    assert report.summary["groups_in_trouble"] == 2
    for field in ("lag", "max_lag", "lag_seconds", "catch_up_seconds"):
        met = Judge("groups", f"{field}>100000").met([report])
        assert [line.split(":")[0] for line in met] == ["group lost", "group ahead", "group dark"]
    assert len(Judge("topics", "lag>100000").met([report])) == 1


def test_without_any_offsets_nothing_is_known(engine: SparkSession) -> None:
    report = build(FrameInputs(engine, now=NOW, partitions=[]), ReportOptions())
    assert [p.where for p in report.problems] == ["offsets"]
    assert all(not s.rows and s.unknown for s in report.sections)
    assert report.summary == dict.fromkeys(report.summary)
    assert Judge("groups", "lag>5").code([report], []) == 4
