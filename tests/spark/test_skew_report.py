"""The skew report: its figures against counts made by hand, and of data Apache Kafka wrote."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer

from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention import report as retention
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.spark.given import FrameInputs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOUR = 3_600_000
NOW = 500_000 * HOUR
NUMBERS = count()
"""Of topics: each engine has its own."""
Row = dict[str, object]


def _batch(topic: str, partition: int, hour: int, size: int, **more: object) -> Row:
    at = NOW - hour * HOUR
    return {
        "topic": topic, "partition": partition, "base_offset": 0, "last_offset": 9, "records": 10,
        "first_timestamp": at - 60_000, "max_timestamp": at, "size": size, "codec": "none",
        "control": False, "broker": 1, "log_dir": "/d", "segment": "0.log", "position": 0, **more,
    }  # fmt: skip


BATCHES = [
    _batch("orders", 0, 1, 700, codec="lz4"),
    _batch("orders", 0, 3, 100),
    _batch("orders", 1, 1, 100),
    _batch("orders", 2, 2, 100),
    _batch("orders", 2, 2, 30, control=True, records=1),
    _batch("orders", 2, 2, 77, records=0, problem="batch fails its checksum", position=333),
    *(_batch("even", p, p % 2, 50) for p in range(4)),
]
PARTITIONS: list[dict[str, Any]] = [
    {"topic": "orders", "partition": p, "leader": 1 + p % 2, "replicas": [1 + p % 2, 3]}
    for p in range(4)
] + [{"topic": "even", "partition": p, "leader": 1, "replicas": [1, 2]} for p in range(4)]
SIZES: dict[tuple[str, int], int] = {
    **{("orders", p): size for p, size in enumerate((800, 100, 130, 0))},
    **{("even", p): 50 for p in range(4)},
}
LOG_DIRS = [
    {"broker": b, "log_dir": f"/disk{p['partition'] % 2}", "topic": p["topic"],
     "partition": p["partition"], "size": SIZES[p["topic"], p["partition"]], "future": False,
     "total_bytes": 100_000, "usable_bytes": 90_000}
    for p in PARTITIONS
    for b in p["replicas"]
]  # fmt: skip
BROKERS = [{"broker": b, "rack": "a" if b < 3 else "b"} for b in (1, 2, 3)]
RECORDS = [
    *({"topic": "orders", "partition": 0, "key": b"whale", "key_size": 5, "value_size": 95}
      for _ in range(14)),
    *({"topic": "orders", "partition": n % 3, "key": b"\xff%d" % n, "key_size": 2, "value_size": n}
      for n in range(6)),
    {"topic": "orders", "partition": 1, "value_size": 1000},
]  # fmt: skip


@pytest.fixture(scope="module")
def report(engine: SparkSession) -> Report:
    inputs = FrameInputs(
        engine, now=NOW, batches=BATCHES, partitions=PARTITIONS, log_dirs=LOG_DIRS, brokers=BROKERS,
        records=RECORDS,
    )  # fmt: skip
    return skew.build(inputs, ReportOptions(window=HOUR, top=3, target=95e6))


def _rows(report: Report, name: str) -> list[Row]:
    section = report.section(name)
    rows = [dict(r) for r in section.rows]
    fields = [c.name for c in section.columns]
    assert all(list(r) == fields or set(r) == set(fields) for r in rows)
    return rows


def _by(report: Report, name: str, *fields: str) -> dict[object, Row]:
    return {tuple(r[f] for f in fields): r for r in _rows(report, name)}


def test_topics_are_measured_with_their_empty_partitions(report: Report) -> None:
    topics = _by(report, "topics", "topic")
    orders, even = topics[("orders",)], topics[("even",)]
    assert (orders["partitions"], orders["records"], orders["bytes"]) == (4, 40, 1030)
    assert orders["max_over_mean"] == pytest.approx(800 / (1030 / 4))
    assert orders["band"] == "severe" and even["band"] == "even"
    # |differences| of 0, 100, 130, 800 through 2 n² mean.
    apart = 2 * (100 + 130 + 800 + 30 + 700 + 670)
    assert orders["gini"] == pytest.approx(apart / (2 * 16 * 257.5))
    assert even["max_over_mean"] == 1 and even["gini"] == 0
    assert orders["codecs"] == "lz4, none"
    assert orders["bytes_per_second"] == pytest.approx(1030 / (2 * 3600 + 60))
    assert orders["peak_bytes_per_second"] == pytest.approx(800 / 3600)
    assert orders["advised_partitions"] == 10
    assert [r["topic"] for r in _rows(report, "topics")] == ["orders", "even"]


def test_partitions_know_their_share_and_leader(report: Report) -> None:
    found = _by(report, "partitions", "topic", "partition")
    first = found["orders", 0]
    assert (first["share"], first["hot"], first["leader"]) == (800 / 1030, True, 1)
    assert first["rack"] == "a" and first["average_size"] == 40
    assert found["orders", 3]["bytes"] == 0 and found["orders", 3]["records"] == 0
    assert not any(r["hot"] for k, r in found.items() if k != ("orders", 0))
    assert found["orders", 1]["null_keys"] == 1 and first["null_keys"] == 0
    assert first["unique_keys"] == 3 and first["size_p50"] == pytest.approx(100, rel=0.02)


def test_heavy_keys_say_where_they_are(report: Report) -> None:
    keys = _rows(report, "keys")
    assert len(keys) == 3
    assert keys[0] == {
        "topic": "orders", "key": "whale", "records": 14, "bytes": 1400, "error": 0,
        "share": 1400 / 2427, "share_low": 1400 / 2427, "share_high": 1400 / 2427, "basis": "all",
        "partitions": [{"partition": 0, "share": 1.0}],
    }  # fmt: skip
    assert keys[1]["key"] == "0xff35"


def test_windows_hold_the_bytes_of_their_time(report: Report) -> None:
    found = _by(report, "windows", "topic", "partition", "start")
    assert found["orders", 0, NOW - HOUR]["bytes"] == 700
    assert found["orders", 2, NOW - 2 * HOUR]["bytes"] == 130
    assert sum(int(str(r["bytes"])) for r in found.values()) == 1030 + 200


def test_brokers_racks_and_directories_share_the_bytes(report: Report) -> None:
    brokers = _by(report, "brokers", "broker")
    assert [r["bytes"] for r in brokers.values()] == [930 + 200, 100 + 200, 1030]
    assert [r["leaders"] for r in brokers.values()] == [6, 2, 0]
    assert brokers[(1,)]["leader_bytes"] == 930 + 200
    mean = 2460 / 3
    assert brokers[(2,)]["skew_percent"] == pytest.approx((300 - mean) / mean * 100)
    racks = _by(report, "racks", "rack")
    assert (racks[("a",)]["brokers"], racks[("a",)]["bytes"]) == (2, 1430)
    dirs = _by(report, "log_dirs", "broker", "log_dir")
    assert (dirs[3, "/disk0"]["bytes"], dirs[3, "/disk0"]["replicas"]) == (930, 2)
    assert dirs[3, "/disk0"]["skew_percent"] == pytest.approx((930 - 515) / 515 * 100)


def test_moves_make_a_document_for_kafka(report: Report) -> None:
    moves = _rows(report, "moves")
    assert moves and report.summary["moves"] == len(moves)
    document = report.summary["reassignment"]
    assert isinstance(document, dict) and document["version"] == 1
    moved = {(p["topic"], p["partition"]): p["replicas"] for p in document["partitions"]}
    for move in moves:
        replicas = moved[move["topic"], move["partition"]]
        assert move["to"] in replicas and move["from"] not in replicas
        assert len(set(replicas)) == 2


def test_damage_is_counted_and_named(report: Report) -> None:
    assert (report.summary["damaged_places"], report.summary["damaged_bytes"]) == (1, 77)
    problem = report.problems[-1]
    assert problem.where == "/d/orders-2/0.log at byte 333"
    assert problem.what == "batch fails its checksum"


def test_a_cluster_alone_is_enough(engine: SparkSession) -> None:
    partitions = [
        p | {"start_offset": 100, "end_offset": 100 + 10 * (1 + 9 * (p["partition"] == 0)),
             "max_timestamp": NOW}
        for p in PARTITIONS
    ]  # fmt: skip
    ends = [
        {"topic": "orders", "partition": 0, "at": NOW - HOUR * h, "offset": 200 - 20 * h}
        for h in range(3)
    ]
    inputs = FrameInputs(
        engine, now=NOW, partitions=partitions, log_dirs=LOG_DIRS, brokers=BROKERS, ends=ends
    )
    report = skew.build(inputs, ReportOptions(window=HOUR))
    orders = _by(report, "topics", "topic")[("orders",)]
    assert (orders["bytes"], orders["records"], orders["band"]) == (1030, 130, "severe")
    assert orders["peak_bytes_per_second"] == pytest.approx(20 * 8 / 3600)
    assert [r["bytes"] for r in _rows(report, "windows")] == [160, 160]
    assert report.summary["records_read"] is None
    assert _rows(report, "keys") == []


def test_nothing_is_no_error(engine: SparkSession) -> None:
    report = skew.build(FrameInputs(engine, now=NOW, batches=[], records=[]), ReportOptions())
    assert _rows(report, "topics") == [] and report.summary["topics"] == 0
    assert report.summary["reassignment"] is None


def test_a_running_cluster_is_counted_by_its_offsets_and_sizes(
    engine: SparkSession, pko_session: BrokerProcess
) -> None:
    name = f"skewed-live-{next(NUMBERS)}"
    made = pko("topics", "create", name, "-p", "3", "-b", pko_session.bootstrap)
    assert made.code == 0, made
    producer = Producer({"bootstrap.servers": pko_session.bootstrap})
    for n in range(300):
        producer.produce(name, b"v" * 100, partition=0 if n % 10 else 1)
    assert producer.flush(120) == 0
    inputs = open_inputs(
        engine,
        InputQuery(topics=Names.of([name])),
        properties={"bootstrap.servers": pko_session.bootstrap},
    )
    try:
        report = skew.build(inputs, ReportOptions())
        retained = retention.build(inputs, ReportOptions())
    finally:
        inputs.close()
    parts = _rows(report, "partitions")
    assert [r["records"] for r in parts] == [270, 30, 0]
    logs = [pko_session.data_dir / f"{name}-{p}" for p in range(3)]
    sizes = [sum(f.stat().st_size for f in log.glob("*.log")) for log in logs]
    assert [r["bytes"] for r in parts] == sizes
    (topic,) = _rows(report, "topics")
    assert topic["band"] == "severe" and topic["peak_bytes_per_second"] not in (None, 0)
    assert [r["broker"] for r in _rows(report, "brokers")] == [parts[0]["leader"]]
    (kept,) = _rows(retained, "topics")
    assert (kept["bytes"], kept["replica_bytes"], kept["status"]) == (sum(sizes), sum(sizes), "ok")
    assert kept["bytes_per_hour_day"] not in (None, 0)
