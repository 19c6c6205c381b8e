"""A larger set that Apache Kafka wrote: the reports say what was produced, record by record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from pykafka_ops.analysis.skew import imbalance
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.retention import report as retention
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.process.apache import ApacheBroker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
PARTITIONS = 3
RECORDS = 60_000
"""Of each topic; there is one for each codec."""
KEYS = 200
START = 1_700_000_000_000
STEP = 60
"""ms from record to record: an hour in all."""
MINUTE, DAY = 60_000, 86_400_000


@dataclass
class Written:
    """What was produced to one topic, counted one record after the other."""

    records: Counter[int] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    null_keys: int = 0
    payload: int = 0


def produce(broker: ApacheBroker, codec: str) -> Written:
    """Half of the records in partition 0; key n is n times rarer than key 1; some have none."""
    name, written = f"set-{codec}", Written()
    producer = Producer({
        "bootstrap.servers": broker.bootstrap, "compression.type": codec, "linger.ms": 5,
        "queue.buffering.max.messages": RECORDS,
    })  # fmt: skip
    for n in range(RECORDS):
        key = None if n % 50 == 0 else f"key-{KEYS // (1 + n * 7919 % KEYS)}"
        value = b"value %d " % n + b"x" * (n % 90)
        partition = 0 if n % 2 else 1 + n // 2 % (PARTITIONS - 1)
        producer.produce(name, value, key, partition=partition, timestamp=START + n * STEP)
        written.records[partition] += 1
        written.payload += len(value) + len(key or "")
        if key is None:
            written.null_keys += 1
        else:
            written.keys[key] += 1
    assert producer.flush(120) == 0
    return written


@pytest.fixture(scope="module")
def written(apache_session: ApacheBroker) -> dict[str, Written]:
    """By topic."""
    admin = AdminClient({"bootstrap.servers": apache_session.bootstrap})
    settings = {"segment.bytes": "1048576", "retention.ms": "-1"}
    topics = [NewTopic(f"set-{c}", PARTITIONS, 1, config=settings) for c in CODECS]
    for future in admin.create_topics(topics).values():
        future.result(120)
    return {f"set-{c}": produce(apache_session, c) for c in CODECS}


@pytest.fixture(scope="module")
def reports(
    spark: SparkSession, apache_session: ApacheBroker, written: dict[str, Written]
) -> dict[str, Report]:
    """Both, of the directory that the running broker writes to."""
    query = InputQuery(topics=Names.of(list(written)), now=START + DAY)
    inputs = open_inputs(spark, query, locations=[str(apache_session.data_dir)])
    try:
        made = skew.build(inputs, ReportOptions(window=MINUTE, top=KEYS))
        return {"skew": made, "retention": retention.build(inputs, ReportOptions())}
    finally:
        inputs.close()


def rows(report: Report, name: str) -> list[dict[str, Any]]:
    return [dict(row) for row in report.section(name).rows]


def on_disk(broker: ApacheBroker, topic: str, partition: int) -> int:
    directory = Path(broker.data_dir) / f"{topic}-{partition}"
    return sum(file.stat().st_size for file in directory.glob("*.log"))


def test_partitions_hold_what_was_produced(
    reports: dict[str, Report], written: dict[str, Written], apache_session: ApacheBroker
) -> None:
    found = {(r["topic"], r["partition"]): r for r in rows(reports["skew"], "partitions")}
    assert set(found) == {(t, p) for t in written for p in range(PARTITIONS)}
    for (topic, partition), row in found.items():
        assert row["records"] == written[topic].records[partition]
        assert row["bytes"] == on_disk(apache_session, topic, partition)
    for topic, made in written.items():
        assert sum(found[topic, p]["null_keys"] for p in range(PARTITIONS)) == made.null_keys


def test_topics_are_as_uneven_as_what_was_produced(
    reports: dict[str, Report], written: dict[str, Written], apache_session: ApacheBroker
) -> None:
    found = {r["topic"]: r for r in rows(reports["skew"], "topics")}
    for topic, made in written.items():
        sizes = [on_disk(apache_session, topic, p) for p in range(PARTITIONS)]
        even = imbalance([made.records[p] for p in range(PARTITIONS)])
        row = found[topic]
        assert (row["max_over_mean"], row["cv"], row["gini"]) == imbalance(sizes)
        assert (row["records_cv"], row["records_gini"]) == (even.cv, even.gini)
        ratio = 1.0 if topic == "set-none" else made.payload / sum(sizes)
        assert row["compression_ratio"] == pytest.approx(ratio)
        # librdkafka leaves a batch as it is that compression does not make smaller.
        assert row["codecs"].split(", ")[0] == topic.removeprefix("set-")


def test_every_key_weighs_what_was_produced(
    reports: dict[str, Report], written: dict[str, Written]
) -> None:
    found: dict[str, dict[str, int]] = {topic: {} for topic in written}
    for row in rows(reports["skew"], "keys"):
        assert row["error"] == 0
        found[row["topic"]][row["key"]] = row["records"]
    for topic, made in written.items():
        assert found[topic] == dict(made.keys)


def test_windows_hold_every_record_once(
    reports: dict[str, Report], written: dict[str, Written], apache_session: ApacheBroker
) -> None:
    held = Counter[str]()
    for row in rows(reports["skew"], "windows"):
        held[row["topic"]] += row["bytes"]
    for topic in held:
        sizes = [on_disk(apache_session, topic, p) for p in range(PARTITIONS)]
        assert held[topic] == sum(sizes)
    assert held


def test_retention_has_every_byte_and_the_oldest_record(
    reports: dict[str, Report], written: dict[str, Written], apache_session: ApacheBroker
) -> None:
    found = {r["topic"]: r for r in rows(reports["retention"], "topics")}
    ages = Counter[str]()
    for row in rows(reports["retention"], "ages"):
        ages[row["topic"]] += row["bytes"]
    for topic in written:
        size = sum(on_disk(apache_session, topic, p) for p in range(PARTITIONS))
        assert (found[topic]["bytes"], ages[topic]) == (size, size)
        assert found[topic]["oldest"] == START
        assert found[topic]["newest"] == START + (RECORDS - 1) * STEP
