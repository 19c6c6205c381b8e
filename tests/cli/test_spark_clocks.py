"""Reports of a broker whose clock is an hour ahead, and of records that are dated ahead."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from pykafka_ops.cli import main
from tests.support.process.broker import BrokerProcess
from tests.support.process.steered import Steering, steered
from tests.support.spark.all_reports import all_reports

HOUR = 3_600_000
RECORDS, SPAN = 600, 540_000
"""Of a topic, and the ms from the first to the last of those that are dated ahead."""
TOPICS = ("orders", "stamped", "ahead")
"""Dated as they are by the producer's clock, by the broker's, and two hours ahead."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker by a clock an hour ahead, and a group that still reads its topics."""
    home = tmp_path_factory.mktemp("ahead")
    Steering(home / "steering").ahead_ms = HOUR
    made = BrokerProcess(home / "data", {"offsets.topic.num.partitions": 1})
    argv = made.argv
    made.argv = lambda: steered(argv(), home / "steering")  # type: ignore[method-assign]
    made.start()
    client = {"bootstrap.servers": made.bootstrap}
    configs = {
        "stamped": {"message.timestamp.type": "LogAppendTime"},
        "ahead": {"message.timestamp.after.max.ms": str(10 * HOUR)},
    }
    admin = AdminClient(client)
    new = [NewTopic(topic, 1, 1, config=configs.get(topic, {})) for topic in TOPICS]
    for done in admin.create_topics(new).values():
        done.result()
    producer, now = Producer(client), int(time.time() * 1000)
    for n in range(RECORDS):
        at = now + 2 * HOUR + n * SPAN // (RECORDS - 1)
        for topic in TOPICS:
            producer.produce(topic, b"v" * 50, timestamp=at if topic == "ahead" else now)
    producer.flush()
    consumer = Consumer({**client, "group.id": "billing", "enable.auto.commit": False})
    try:
        for n in range(12):
            places = [TopicPartition(topic, 0, 10 + n) for topic in TOPICS]
            consumer.commit(offsets=places, asynchronous=False)
        yield made
    finally:
        consumer.close()
        made.close()


@pytest.fixture(params=["cluster", "files"])
def reports(
    broker: BrokerProcess, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    """Sections of the reports, by kind; of the cluster alone, and with its files."""
    made = all_reports(broker, capsys, with_files=request.param == "files")
    return {
        report["kind"].removesuffix("-report"): {
            name: section["rows"] for name, section in report["sections"].items()
        }
        for report in made
    }


def test_a_group_whose_commits_lie_ahead_is_not_well_and_has_no_age(
    reports: dict[str, Any],
) -> None:
    rows = reports["lag"]["partitions"]
    assert {row["topic"] for row in rows} == {*TOPICS}
    for row in rows:
        assert (row["lag"], row["since"]) == (RECORDS - 21, None)
        assert row["status"] in ("UNKNOWN", "STOP")  # by whether anybody is a member
        assert row["last_commit_age_seconds"] is None
        assert row["loss_in_seconds"] is None or row["loss_in_seconds"] > 0
    late = {row["topic"]: row["lag_seconds"] for row in rows}
    assert late["ahead"] == pytest.approx(SPAN * (1 - 21 / RECORDS) / 1000, abs=2)
    assert reports["lag"]["silent_groups"] == []


def test_logs_dated_ahead_have_no_age_and_the_rate_of_their_own_span(
    reports: dict[str, Any],
) -> None:
    rows = {row["topic"]: row for row in reports["retention"]["topics"]}
    for topic in ("stamped", "ahead"):
        row = rows[topic]
        assert (row["age_seconds"], row["age_share"], row["status"]) == (None, None, "ok")
        assert row["oldest"] <= row["newest"]
    ahead = rows["ahead"]
    assert ahead["bytes_per_hour"] == pytest.approx(ahead["bytes"] * HOUR / SPAN, rel=0.01)
    assert rows["orders"]["age_seconds"] >= 0


def test_a_condition_on_what_is_not_known_is_met(
    broker: BrokerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["spark", "lag", "-b", broker.bootstrap, "--engine", "local", "--section", "partitions"]
    assert main([*words, "--fail-on", "last_commit_age_seconds>1000000"]) == 4
    assert "billing" in capsys.readouterr().err
