"""Lag of a running cluster and of its files alone equals what Kafka's own tool prints."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.opened import open_inputs
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.reports.lag.report import build
from tests.conftest import Broker
from tests.support.process.commands import KafkaTools, pko

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNT = 120
NUMBERS = count()
"""Of sites: each engine has its own."""
Row = dict[str, Any]
Key = tuple[str, str, int]


class Site:
    """A topic of three partitions with a record a second, and groups that read it."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.broker, self.topic = broker, topic
        self.groups = [f"{name}-of-{topic}" for name in ("ahead", "behind", "idle")]
        self.reader: Consumer | None = None

    def fill(self) -> None:
        """Commits that differ from each other, an idle member, a group that has gone."""
        said = pko("topics", "create", self.topic, "-p", "3", "-b", self.broker.bootstrap)
        assert said.code == 0, said
        producer = Producer({"bootstrap.servers": self.broker.bootstrap})
        now = int(time.time() * 1000)
        for i in range(COUNT):
            for partition in range(3):
                stamp = now - (COUNT - 1 - i) * 1000
                producer.produce(self.topic, b"v" * 50, partition=partition, timestamp=stamp)
        assert producer.flush(120) == 0
        self.commit(self.groups[0], COUNT, COUNT - 1, COUNT)
        for i in range(4):
            self.commit(self.groups[1], 20, 90 + i, 100 - i)
        self.reader = self.consumer(self.groups[2])
        self.reader.subscribe([self.topic])
        assert len(self.reader.consume(3 * COUNT, 120)) == 3 * COUNT
        self.reader.commit(asynchronous=False)

    def consumer(self, group: str) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap,
                "group.id": group,
                "client.id": f"client-of-{group}",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )

    def commit(self, group: str, *offsets: int) -> None:
        consumer = self.consumer(group)
        places = [TopicPartition(self.topic, i, o) for i, o in enumerate(offsets)]
        consumer.commit(offsets=places, asynchronous=False)
        consumer.close()

    def report(self, engine: SparkSession, *, files: bool = False, live: bool = True) -> Report:
        query = InputQuery(topics=Names.of([self.topic]), groups=Names.of(self.groups))
        properties = {"bootstrap.servers": self.broker.bootstrap} if live else None
        locations = [str(self.broker.data_dir)] if files else []
        inputs = open_inputs(engine, query, properties=properties, locations=locations)
        try:
            return build(inputs, ReportOptions())
        finally:
            inputs.close()

    def described(self, tools: KafkaTools) -> dict[Key, tuple[str, str, str]]:
        """Committed, end and lag as ``kafka-consumer-groups --describe`` prints them."""
        words = [word for group in self.groups for word in ("--group", group)]
        server = ("--bootstrap-server", self.broker.bootstrap)
        said = tools("kafka-consumer-groups", *server, "--describe", *words)
        rows = [line.split() for line in said.out.splitlines() if self.topic in line]
        return {(r[0], r[1], int(r[2])): (r[3], r[4], r[5]) for r in rows}

    def command(self, *more: str) -> list[Row]:
        """What ``pko groups lag`` says."""
        said = pko("groups", "lag", *self.groups, *more, "-b", self.broker.bootstrap, "-o", "json")
        assert said.code == 0, said
        found: list[Row] = json.loads(said.out)["items"]
        return found


@pytest.fixture(scope="module", params=["pko_session", "apache_session"])
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    made = Site(request.getfixturevalue(request.param), f"lag-{request.param}-{next(NUMBERS)}")
    made.fill()
    yield made
    if made.reader is not None:
        made.reader.close()


def figures(report: Report) -> dict[Key, tuple[str, str, str]]:
    return {
        (str(r["group"]), str(r["topic"]), int(str(r["partition"]))): (
            str(r["current_offset"]), str(r["log_end_offset"]), str(r["lag"]),
        )
        for r in report.section("partitions").rows
    }  # fmt: skip


STEADY = ("current_offset", "log_end_offset", "lag", "lag_seconds", "lead", "state", "client_id",
          "rate_out")  # fmt: skip
"""What stays while nobody writes; verdicts do not: after ten seconds of silence all is STOP."""


def test_lag_equals_kafkas_tool_and_our_command(
    engine: SparkSession, site: Site, kafka_tools: KafkaTools
) -> None:
    wanted, report = site.described(kafka_tools), site.report(engine)
    assert len(wanted) == 9
    assert figures(report) == wanted
    assert not report.problems
    states = {r["group"]: r["state"] for r in report.section("groups").rows}
    assert states == dict(zip(site.groups, ("Empty", "Empty", "Stable"), strict=True))
    for kind, items, key in (
        ("partitions", site.command("--partitions"), ("group", "topic", "partition")),
        ("groups", site.command(), ("group",)),
    ):
        found = {tuple(r[k] for k in key): dict(r) for r in report.section(kind).rows}
        assert len(found) == len(items)
        for item in items:
            mine = found[tuple(item[k] for k in key)]
            same = {name: item[name] for name in STEADY if name in item}
            assert {name: mine[name] for name in same} == same
            assert mine["rate_in"] == pytest.approx(item["rate_in"], rel=0.5, abs=0.01)


def test_files_alone_tell_the_same_lag(
    engine: SparkSession, site: Site, kafka_tools: KafkaTools
) -> None:
    report = site.report(engine, files=True, live=False)
    assert figures(report) == site.described(kafka_tools)
    assert not report.problems
    rows = {(r["group"], r["partition"]): r for r in report.section("partitions").rows}
    behind = rows[site.groups[1], 0]
    assert (behind["lag_seconds"], behind["status"]) == (COUNT - 1 - 20, "STALL")
    assert {r["state"] for r in rows.values()} == {"Unknown"}
