"""Reports of a topic none of whose records has a timestamp: what hangs on time is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from pykafka_ops.cli import main
from tests.support.process.broker import BrokerProcess
from tests.support.spark.all_reports import all_reports
from tests.support.wire import raw

BATCHES, RECORDS = 20, 50
TOPIC = "timeless"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker with such a topic, of which a group has read half."""
    made = BrokerProcess(tmp_path_factory.mktemp("timeless") / "data",
                         {"offsets.topic.num.partitions": 1})  # fmt: skip
    try:
        made.start()
        assert main(["topics", "create", TOPIC, "-p", "1", "-b", made.bootstrap]) == 0
        with raw.Connection(made.bootstrap) as connection:
            for number in range(BATCHES):
                sent = raw.batch([b"v" * 100] * RECORDS, timestamp=-1)
                answer = connection.ask(raw.produce(TOPIC, sent))
                assert raw.produced(answer) == (0, number * RECORDS)
        consumer = Consumer({"bootstrap.servers": made.bootstrap, "group.id": "billing"})
        half = TopicPartition(TOPIC, 0, BATCHES * RECORDS // 2)
        consumer.commit(offsets=[half], asynchronous=False)
        consumer.close()
        yield made
    finally:
        made.close()


@pytest.fixture(params=["cluster", "files"])
def reports(
    broker: BrokerProcess, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> dict[str, Any]:
    """The reports by kind; of the cluster alone, and with its files."""
    made = all_reports(broker, capsys, with_files=request.param == "files")
    return {report["kind"]: report for report in made}


def test_ages_rates_and_what_leaves_are_not_known(reports: dict[str, Any]) -> None:
    report = reports["retention-report"]
    (topic,) = (r for r in report["sections"]["topics"]["rows"] if r["topic"] == TOPIC)
    assert topic["status"] == "unknown"
    assert topic["bytes"] > BATCHES * RECORDS * 100
    names = ("oldest", "newest", "age_seconds", "bytes_per_hour", "bytes_per_hour_day",
             "steady_bytes", "over_bytes")  # fmt: skip
    assert {name: topic[name] for name in names} == dict.fromkeys(names)
    leaving = [r for r in report["sections"]["leaving"]["rows"] if r["topic"] == TOPIC]
    assert {r["bytes"] for r in leaving} == {None}
    (group,) = report["sections"]["at_risk"]["rows"]
    assert (group["group"], group["lag"], group["status"]) == ("billing", 500, None)
    assert report["summary"]["first_full_days"] is None


def test_lag_has_no_rate_and_no_time(reports: dict[str, Any]) -> None:
    report = reports["lag-report"]
    (row,) = (r for r in report["sections"]["partitions"]["rows"] if r["topic"] == TOPIC)
    assert (row["lag"], row["log_end_offset"]) == (500, 1_000)
    names = ("rate_in", "lag_seconds", "loss_in_seconds")
    assert {name: row[name] for name in names} == dict.fromkeys(names)
