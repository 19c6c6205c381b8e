"""The retention report: its figures against counts made by hand, and of data Apache Kafka wrote."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.lag import report as lag_report
from pykafka_ops.spark.reports.retention import report as retention
from tests.support.spark.given import FrameInputs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOUR = 3_600_000
DAY = 24 * HOUR
NOW = 20_000 * DAY
Row = dict[str, Any]


def _batch(topic: str, partition: int, base: int, age: int, size: int, **more: object) -> Row:
    """Ten records in a segment of 100 offsets, the newest ``age`` ms old."""
    return {
        "topic": topic, "partition": partition, "base_offset": base, "last_offset": base + 9,
        "records": 10, "first_timestamp": NOW - age - 60_000, "max_timestamp": NOW - age,
        "size": size, "codec": "none", "control": False, "broker": 1, "log_dir": "/d",
        "segment": f"{base // 100 * 100:020}.log", "position": base % 100 * 10, **more,
    }  # fmt: skip


BATCHES = [
    # A day's limit; the first segment should be gone, the second goes in 4 hours.
    _batch("events", 0, 100, 30 * HOUR, 1000),
    _batch("events", 0, 200, 26 * HOUR, 300),
    _batch("events", 0, 210, 20 * HOUR, 200),
    _batch("events", 0, 300, HOUR // 2, 240),
    # No limit: half an hour old, 24 bytes per hour of the last day.
    _batch("ledger", 0, 0, 10 * DAY, 5000),
    _batch("ledger", 0, 10, HOUR // 2, 576),
    # Compacted.
    _batch("table", 0, 0, 9 * DAY, 400),
    _batch("table", 0, 100, 8 * DAY, 600),
    _batch("table", 0, 200, HOUR, 50),
    _batch("table", 0, 210, HOUR, 9, records=0, problem="cut off", last_offset=210),
]
SETTINGS = {
    "events": {"cleanup.policy": "delete", "retention.ms": str(DAY), "segment.bytes": "500"},
    "ledger": {"cleanup.policy": "delete", "retention.ms": "-1"},
    "table": {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.5"},
}
CONFIGS = [
    {"topic": t, "name": n, "value": v, "source": "DYNAMIC_TOPIC_CONFIG"}
    for t, own in SETTINGS.items()
    for n, v in own.items()
]
SIZES = {"events": 1740, "ledger": 5576, "table": 1050}
LOG_DIRS = [
    {"broker": b, "log_dir": "/d", "topic": t, "partition": 0, "size": s, "future": False,
     "total_bytes": 10_000 * b, "usable_bytes": 10_000 * b - 8366}
    for b in (1, 2)
    for t, s in SIZES.items()
]  # fmt: skip
ENDS = {"events": (100, 310), "ledger": (0, 20), "table": (0, 210)}
PARTITIONS = [
    {"topic": t, "partition": 0, "leader": 1, "replicas": [1, 2], "start_offset": start,
     "end_offset": end, "max_timestamp": NOW}
    for t, (start, end) in ENDS.items()
]  # fmt: skip
COMMITTED = [
    {"group": "stopped", "topic": "events", "partition": 0, "offset": 205},
    {"group": "lost", "topic": "events", "partition": 0, "offset": 50},
    {"group": "done", "topic": "events", "partition": 0, "offset": 310},
    {"group": "slow", "topic": "ledger", "partition": 0, "offset": 3},
]


def _inputs(engine: SparkSession, *without: str, **more: Any) -> FrameInputs:
    frames: dict[str, Any] = {
        "batches": BATCHES, "configs": CONFIGS, "log_dirs": LOG_DIRS, "partitions": PARTITIONS,
        "committed": COMMITTED, "commits": [],
        "cleaned": [{"broker": 1, "log_dir": "/d", "topic": "table", "partition": 0,
                     "offset": 100}],
    }  # fmt: skip
    kept = {name: frame for name, frame in (frames | more).items() if name not in without}
    return FrameInputs(engine, now=NOW, **kept)


@pytest.fixture(scope="module")
def report(engine: SparkSession) -> Report:
    return retention.build(_inputs(engine), ReportOptions())


def _rows(report: Report, name: str) -> list[Row]:
    section = report.section(name)
    fields = {c.name for c in section.columns}
    assert all(set(r) == fields for r in section.rows)
    return [dict(r) for r in section.rows]


def _by(report: Report, name: str, *fields: str) -> dict[object, Row]:
    return {tuple(r[f] for f in fields): r for r in _rows(report, name)}


def test_topics_are_held_against_their_policies(report: Report) -> None:
    topics = _by(report, "topics", "topic")
    events, ledger, table = (topics[name,] for name in ("events", "ledger", "table"))
    assert (events["status"], ledger["status"], table["status"]) == ("over", "forever", "compact")
    assert events["age_seconds"] == 30 * 3600 + 60
    assert events["age_share"] == pytest.approx((30 * 3600 + 60) / 86_400)
    # The batches of 30 and 26 hours; whole segments only the first one.
    assert (events["over_bytes"], events["active_overhang_bytes"]) == (1300, 0)
    assert (events["bytes"], events["replica_bytes"]) == (1740, 3480)
    assert ledger["steady_bytes"] is None and ledger["over_bytes"] == 0
    assert (ledger["bytes_per_hour"], ledger["bytes_per_hour_day"]) == (576, 24)
    assert ledger["bytes_per_hour_week"] == round(576 / 168)
    # In a day 440 bytes: as much stays, and half a segment of a day's bytes (below 500 bytes).
    assert events["steady_bytes"] == 440 + 250
    assert [r["topic"] for r in _rows(report, "topics")] == ["ledger", "events", "table"]


def test_bytes_are_told_by_age(report: Report) -> None:
    ages = _by(report, "ages", "topic", "up_to_seconds")
    assert {k: r["bytes"] for k, r in ages.items()} == {
        ("events", 3600): 240, ("events", 86_400): 200, ("events", 259_200): 1300,
        ("ledger", 3600): 576, ("ledger", 14 * 86_400): 5000,
        ("table", 6 * 3600): 50, ("table", 14 * 86_400): 1000,
    }  # fmt: skip


def test_what_leaves_is_told_by_horizon(report: Report) -> None:
    leaving = _by(report, "leaving", "topic", "within_seconds")
    sizes = [leaving["events", s]["bytes"] for s in (3600, 21_600, 86_400, 259_200, 604_800)]
    # The active segment is full (500 bytes at 440 a day) after 14 hours and goes a day later.
    assert sizes == [1000, 1500, 1500, 1740, 1740]
    assert leaving["ledger", 604_800]["bytes"] == leaving["table", 604_800]["bytes"] == 0


def test_groups_that_will_lose_data_are_named(report: Report) -> None:
    risks = _by(report, "at_risk", "group")
    assert set(risks) == {("stopped",), ("lost",)}
    lost, stopped = risks["lost",], risks["stopped",]
    assert (lost["status"], lost["lag"]) == ("LOSING", 260)
    assert lost["records_lost"] == 50 + 10 + 20 + 10
    assert (stopped["status"], stopped["deleted_in_seconds"]) == ("AT_RISK", 4 * 3600)
    assert stopped["unread_bytes"] == 500 * 15 // 20 + 240
    assert stopped["catch_up_seconds"] is None
    assert report.summary["groups_at_risk"] == 2


@pytest.mark.parametrize("alone", [False, True])
def test_the_lag_report_tells_the_same_time_of_deletion(engine: SparkSession, alone: bool) -> None:
    ends = [
        {"topic": "events", "partition": 0, "at": NOW - hours * HOUR, "offset": offset}
        for hours, offset in ((48, 100), (24, 205), (6, 205), (1, 289))
    ]
    inputs = _inputs(engine, *(("batches", "cleaned") if alone else ()), ends=ends)
    risks = _by(retention.build(inputs, ReportOptions()), "at_risk", "group")
    lag = _by(lag_report.build(inputs, ReportOptions()), "partitions", "group")
    assert set(risks) == {("stopped",), ("lost",)}
    for group, risk in risks.items():
        assert lag[group]["loss_in_seconds"] == risk["deleted_in_seconds"], group
    assert lag["lost",]["loss_in_seconds"] == 0.0
    assert lag["done",]["loss_in_seconds"] == lag["slow",]["loss_in_seconds"] == inf
    if not alone:  # the segment of 20 hours goes with its newest record
        assert lag["stopped",]["loss_in_seconds"] == 4 * 3600


def test_compaction_debt(report: Report) -> None:
    assert _rows(report, "compaction") == [
        {
            "topic": "table", "partition": 0, "clean_bytes": 400, "dirty_bytes": 600,
            "dirty_ratio": 0.6, "first_dirty_offset": 100, "uncleanable": 50,
            "oldest_dirty": NOW - 8 * DAY - 60_000, "status": "stuck",
        }
    ]  # fmt: skip


def test_disks_fill_at_what_is_written_less_what_leaves(report: Report) -> None:
    dirs = _by(report, "dirs", "broker", "log_dir")
    one, two = dirs[1, "/d"], dirs[2, "/d"]
    assert (one["bytes"], one["total_bytes"], one["first_topic"]) == (8366, 10_000, "ledger")
    assert one["basis"] == "logs"
    # In a week ledger gets 7 * 576 bytes, table 7 * 50, events goes from 1740 to what it tends to.
    growth = 7 * 576 + 7 * 50 + (690 - 1740)
    assert one["bytes_per_day"] == pytest.approx(growth / 7, abs=1)
    assert one["days_to_80"] == 0
    assert one["days_to_full"] == pytest.approx((10_000 - 8366 + 1050) / 626, rel=0.01)
    assert two["days_to_full"] == pytest.approx((20_000 - 8366 + 1050) / 626, rel=0.01)
    assert two["days_to_full_low"] <= two["days_to_full"] <= (two["days_to_full_high"] or 1e9)
    growing = [r for r in _rows(report, "growth") if r["broker"] == 1]
    assert [r["bytes"] for r in growing if r["time"] == NOW] == [8366]
    ahead = [r for r in growing if r["forecast"]]
    assert all(r["low"] <= r["bytes"] <= r["high"] for r in ahead)
    assert ahead[-1]["time"] == NOW + 30 * DAY


def test_damage_is_counted_and_named(report: Report) -> None:
    assert (report.summary["damaged_places"], report.summary["damaged_bytes"]) == (1, 9)
    assert report.problems[-1].where == "/d/table-0/00000000000000000200.log at byte 100"
    assert report.problems[-1].what == "cut off"


def test_earlier_runs_tell_growth_and_stuck_cleaners(engine: SparkSession) -> None:
    history = {
        "dirs": [
            {"now": NOW - n * DAY, "broker": 1, "log_dir": "/d", "bytes": 8366 - 100 * n}
            for n in (3, 2, 1)
        ],
        "compaction": [
            {"now": NOW - DAY, "topic": "table", "partition": 0, "first_dirty_offset": 0,
             "status": "due"}
        ],
    }  # fmt: skip
    young = [b | {"first_timestamp": NOW - HOUR, "max_timestamp": NOW - HOUR} for b in BATCHES]
    inputs = _inputs(engine, "committed", "commits", batches=young, cleaned=[])
    report = retention.build(inputs, ReportOptions(history=history))
    one, two = (_by(report, "dirs", "broker")[b,] for b in (1, 2))
    assert (one["basis"], one["bytes_per_day"]) == ("history", 100)
    assert one["days_to_full"] == pytest.approx((10_000 - 8366) / 100)
    assert two["basis"] == "logs"
    past = [r["bytes"] for r in _rows(report, "growth") if r["broker"] == 1 and r["time"] < NOW]
    assert past == [8066, 8166, 8266]
    assert [r["status"] for r in _rows(report, "compaction")] == ["stuck"]


def test_a_cluster_alone_is_enough(engine: SparkSession) -> None:
    ends = [
        {"topic": "events", "partition": 0, "at": NOW - hours * HOUR, "offset": offset}
        for hours, offset in ((48, 100), (24, 205), (6, 205), (1, 289))
    ]
    inputs = FrameInputs(
        engine, now=NOW, configs=CONFIGS, log_dirs=LOG_DIRS, partitions=PARTITIONS, ends=ends,
        firsts=[{"topic": "events", "partition": 0, "offset": 100, "timestamp": NOW - 60 * HOUR}],
    )  # fmt: skip
    report = retention.build(inputs, ReportOptions())
    events = _by(report, "topics", "topic")["events",]
    assert (events["age_seconds"], events["estimated"]) == (60 * 3600, True)
    notes = {s.name: s.note for s in report.sections}
    assert all("Estimated" in notes[name] for name in ("topics", "ages", "leaving", "at_risk"))
    assert events["bytes"] == 1740
    assert events["bytes_per_hour"] == pytest.approx(1740 * 21 / 210, abs=1)
    ages = _by(report, "ages", "topic", "up_to_seconds")
    assert ages["events", 259_200]["bytes"] == 1740 * 105 // 210
    assert _rows(report, "compaction") == [] and _rows(report, "at_risk") == []
    unknown = {s.name for s in report.sections if s.unknown}
    assert unknown == {"compaction", "at_risk"}
    assert report.summary["groups_at_risk"] is None


def test_nothing_is_no_error(engine: SparkSession) -> None:
    report = retention.build(FrameInputs(engine, now=NOW, batches=[]), ReportOptions())
    assert _rows(report, "topics") == [] and report.summary["bytes"] == 0
    assert [p.where for p in report.problems] == ["settings"]
