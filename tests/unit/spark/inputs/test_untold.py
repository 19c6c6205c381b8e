"""Brokers that are gone, silent or have lost a directory are named, and are no zero."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pykafka_ops.spark.engines.local.session import LocalSession
from pykafka_ops.spark.inputs.untold import SHOWN, assigned, problems, told, untold
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.page import retention, skew
from pykafka_ops.spark.reports.skew.brokers import (
    ReplicaPlaces,
    broker_rows,
    places,
    plan,
    rack_rows,
)
from pykafka_ops.spark.reports.skew.report import build
from tests.support.spark import reports
from tests.support.spark.given import FrameInputs

PARTITIONS = [
    {"topic": "a", "partition": p, "leader": 0, "replicas": [0, 1, 2], "isr": [0]} for p in (0, 1)
]


def replica(broker: int, partition: int | None, **more: Any) -> dict[str, Any]:
    return {"broker": broker, "log_dir": "/d", "topic": None if partition is None else "a",
            "partition": partition, "size": 10, **more}  # fmt: skip


LOG_DIRS = [
    *(replica(0, p) for p in (0, 1)), replica(1, 0), replica(1, 1, future=True), replica(3, None),
]  # fmt: skip


def given() -> FrameInputs:
    brokers = [{"broker": b} for b in (0, 1, 3)]
    return FrameInputs(
        LocalSession(),  # type: ignore[arg-type]
        now=1, partitions=PARTITIONS, log_dirs=LOG_DIRS, brokers=brokers,
    )  # fmt: skip


def test_who_tells_of_fewer_replicas_than_it_has_is_named() -> None:
    inputs = given()
    partitions, dirs = inputs.partitions(), inputs.log_dirs()
    assert partitions is not None and dirs is not None
    assert assigned(partitions) == {0: 2, 1: 2, 2: 2}
    assert told(dirs) == {0: 2, 1: 1, 3: 0}
    said = untold(assigned(partitions), told(dirs))
    assert [(p.where, p.what) for p in problems(said)] == [
        ("broker 1", "tells of 1 of its 2 replicas"),
        ("broker 2", "does not tell of its directories: 2 replicas there are not known"),
    ]


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    said = problems(untold(dict.fromkeys(range(SHOWN + 3), 1), {}))
    assert len(said) == SHOWN + 1
    assert said[-1].what == "3 more do not tell of all replicas"


def test_partitions_without_replicas_assign_none() -> None:
    session: Any = LocalSession()
    rows = FrameInputs(session, now=1, partitions=[{"topic": "a", "partition": 0}]).partitions()
    assert rows is not None and assigned(rows) == {}


def test_what_a_broker_does_not_tell_is_no_zero_and_moves_no_mean() -> None:
    rows = {row["broker"]: row for row in broker_rows(places(given()))}
    assert list(rows) == [0, 1, 2, 3]
    gone = rows[2]
    assert (gone["replicas"], gone["bytes"], gone["leader_bytes"]) == (2, None, None)
    assert (gone["leaders"], gone["skew_percent"]) == (0, None)
    assert (rows[3]["bytes"], rows[3]["replicas"]) == (0, 0)
    assert rows[0]["skew_percent"] == 100.0  # 20 bytes, 10 and 0: 10 in the mean
    racks = rack_rows([{**row, "rack": "r"} for row in rows.values()])
    assert (racks[0]["bytes"], racks[0]["skew_percent"]) == (None, None)


def test_nothing_is_moved_around_a_broker_that_does_not_tell() -> None:
    assert plan(places(given()), 10) is None
    made = build(given(), ReportOptions()).section("moves")
    assert (made.rows, made.unknown) == ([], "broker 2 tells of no directory")


def test_without_directories_nobody_is_even() -> None:
    rows = broker_rows(ReplicaPlaces({0: None, 1: None}))
    assert {row["bytes"] for row in rows} == {row["skew_percent"] for row in rows} == {None}


def test_no_page_says_that_a_disk_has_room_that_nobody_tells_of() -> None:
    made = reports.retention_report()
    full = [{**row, "days_to_full": None} for row in made.section("dirs").rows]
    sections = [replace(s, rows=full) if s.name == "dirs" else s for s in made.sections]
    summary = {**made.summary, "untold_brokers": 1}
    dark = replace(made, summary=summary, sections=sections)
    tile = next(t for t in retention.tiles(dark) if t.name == "First disk full")
    assert (tile.text, tile.note, tile.tone) == ("–", "1 broker not known", "warn")


def test_no_bar_is_drawn_for_a_broker_that_does_not_tell() -> None:
    known = {"bytes": 5, "skew_percent": 0.0}
    brokers: list[Row] = [{"broker": 0, **known}, {"broker": 1}, {"broker": 2, **known}]
    shown = skew.view(Report("skew", 1, {}, {}, [reports.section("brokers", brokers)]))
    picture = next(p for p in shown.pictures if p.title == "Brokers")
    assert "broker 2" in str(picture.body) and "broker 1" not in str(picture.body)
