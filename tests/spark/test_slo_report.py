"""The report on freshness: time that was late, counted by hand, by both engines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.analysis.freshness import FreshnessRules, grid
from pykafka_ops.cli import main
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.page import render
from pykafka_ops.spark.reports.lag.frames import NO_OFFSETS
from pykafka_ops.spark.reports.slo import report as slo
from tests.support.spark.given import FrameInputs
from tests.support.spark.log_tables import write_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000
HOUR = 60 * MINUTE
NOW = 20_000 * 24 * HOUR
SINCE = NOW - 4 * HOUR
RULES = FreshnessRules(MINUTE, 0.9)
MOMENTS = grid(NOW, SINCE)
Row = dict[str, Any]


def end_at(time: int) -> int:
    """A record a second is written, from 8 hours ago on."""
    return max(0, (time - (NOW - 8 * HOUR)) // 1000)


def commit(group: str, partition: int, time: int, offset: int | None) -> Row:
    return {"group": group, "topic": "orders", "partition": partition, "offset": offset,
            "commit_timestamp": time, "tombstone": offset is None, "log_partition": 0,
            "log_offset": time // 1000}  # fmt: skip


def steady(group: str, partition: int, *, stood: range | None = None) -> list[Row]:
    """A commit a minute of all there is, but for a time where it stands."""
    times = range(SINCE, NOW + 1, MINUTE)
    return [commit(group, partition, t, end_at(t)) for t in times if not stood or t not in stood]


STOOD = range(NOW - 90 * MINUTE, NOW - 60 * MINUTE, MINUTE)
COMMITS = [
    *steady("good", 0), *steady("good", 1),
    *steady("bad", 0), *steady("bad", 1, stood=STOOD),
    commit("new", 0, NOW - 30 * MINUTE, end_at(NOW)),
]  # fmt: skip
FRAMES: Row = {
    "commits": COMMITS,
    "partitions": [
        {"topic": "orders", "partition": p, "leader": 1, "start_offset": 0,
         "end_offset": end_at(NOW), "max_timestamp": NOW}
        for p in (0, 1)
    ],
    "ends": [
        {"topic": "orders", "partition": p, "at": at - MINUTE, "offset": end_at(at - MINUTE)}
        for p in (0, 1) for at in MOMENTS
    ],
}  # fmt: skip


def made(engine: SparkSession, **frames: Any) -> Any:
    inputs = FrameInputs(engine, now=NOW, since=SINCE, **frames)
    try:
        return slo.build(inputs, ReportOptions(slo=RULES))
    finally:
        inputs.close()


def test_late_time_is_counted_and_unknown_time_stands_apart(engine: SparkSession) -> None:
    report = made(engine, **FRAMES)
    found = {row["group"]: row for row in report.section("objectives").rows}
    assert (found["good"]["fresh_share"], found["good"]["late_seconds"]) == (1.0, 0.0)
    assert (found["good"]["budget_left"], found["good"]["burn_1h"]) == (1.0, 0.0)
    bad = found["bad"]
    # It stands from 91 to 60 minutes ago; 5 minutes lie between moments, the first is in time yet.
    assert bad["late_seconds"] == 25 * 60
    assert bad["known_seconds"] == 4 * 3600
    assert bad["budget_left"] == pytest.approx(1 - (25 / 240) / 0.1)
    assert (bad["status"], bad["partitions"]) == ("broken", 2)
    assert found["new"]["unknown_seconds"] == (4 * 60 - 31) * 60
    assert found["new"]["known_seconds"] == 31 * 60
    assert [row["group"] for row in report.section("objectives").rows] == ["bad", "good", "new"]
    assert "1 of 3 objectives has no budget left: bad." in render([report])


def test_without_offsets_nothing_is_in_time(engine: SparkSession) -> None:
    report = made(engine, partitions=FRAMES["partitions"])
    assert report.section("objectives").unknown == NO_OFFSETS
    assert set(report.summary.values()) == {None}
    assert "Whether groups read in time is not known." in render([report])


def test_the_command_meets_a_condition_that_nobody_can_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_log(tmp_path / "logs", "orders", [[10]])
    words = ["spark", "slo", str(tmp_path / "logs"), "--slo", "1m", "--engine", "local"]
    assert main([*words, "--fail-on", "budget_left<0"]) == 4
    out, err = capsys.readouterr()
    assert "not known" in out
    assert f"pko: Objectives: not known: {NO_OFFSETS}\n" in err
