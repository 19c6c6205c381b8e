"""A stream of ``kafka-live`` from checkpoint to checkpoint: each record once, or an error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewPartitions
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from pykafka_ops.spark.sources.live.records.offsets import DataLossError
from pykafka_ops.spark.sources.live.source import KafkaLive
from tests.conftest import Broker
from tests.support.process.commands import pko
from tests.support.waiting import wait_for


class Site:
    """A topic, and streams that each begin as after a restart."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.bootstrap, self.topic = broker.bootstrap, topic
        self.command("topics", "create", topic, "-p", "1")

    def command(self, *words: str) -> None:
        said = pko(*words, "-b", self.bootstrap)
        assert said.code == 0, said

    def produce(self, count: int, partition: int = 0) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for n in range(count):
            producer.produce(self.topic, b"%d" % n, partition=partition)
        assert producer.flush(120) == 0

    def stream(self, **options: str) -> Any:
        source = KafkaLive({
            "kafka.bootstrap.servers": self.bootstrap, "what": "records",
            "subscribePattern": self.topic, "startingOffsets": "earliest", **options,
        })  # fmt: skip
        return source.streamReader(source.schema())

    def read(self, stream: Any, start: Any, end: Any) -> list[tuple[int, int]]:
        return sorted(
            (row["partition"], row["offset"])
            for task in stream.partitions(start, end)
            for batch in stream.read(task)
            for row in batch.to_pylist()
        )


def kept(offsets: Any) -> Any:
    """As a checkpoint keeps it."""
    return json.loads(json.dumps(offsets))


@pytest.fixture
def site(broker: Broker, topic: str) -> Site:
    return Site(broker, topic)


def test_restarts_repeat_and_lose_nothing_while_partitions_come(site: Site) -> None:
    site.produce(5)
    first = site.stream()
    at = kept(first.initialOffset())
    end = kept(first.latestOffset(at, ReadMaxRows(3)))
    assert end == {site.topic: {"0": 3}}
    assert site.read(first, at, end) == [(0, 0), (0, 1), (0, 2)]
    admin = AdminClient({"bootstrap.servers": site.bootstrap})
    admin.create_partitions([NewPartitions(site.topic, 2)])[site.topic].result(120)
    wait_for(lambda: len(site.stream().initialOffset()[site.topic]) == 2, what="the partition")
    site.produce(2, partition=1)
    again = site.stream()
    later = kept(again.latestOffset(end, ReadAllAvailable()))
    assert later == {site.topic: {"0": 5, "1": 2}}
    wanted = [(0, 3), (0, 4), (1, 0), (1, 1)]
    assert site.read(again, end, later) == wanted
    assert site.read(site.stream(), end, later) == wanted, "a micro-batch that is done again"


def test_available_now_ends_where_the_logs_ended_at_its_start(site: Site) -> None:
    site.produce(4)
    stream = site.stream(minOffsetsPerTrigger="1000")
    stream.prepareForTriggerAvailableNow()
    site.produce(3)
    at = stream.initialOffset()
    end = stream.latestOffset(at, ReadAllAvailable())
    assert end == {site.topic: {"0": 4}}
    assert stream.latestOffset(end, ReadAllAvailable()) == end


def test_too_few_records_wait_for_more(site: Site) -> None:
    site.produce(2)
    stream = site.stream(minOffsetsPerTrigger="4")
    at = stream.latestOffset(stream.initialOffset(), ReadAllAvailable())
    assert at == {site.topic: {"0": 2}}
    site.produce(3)
    assert stream.latestOffset(at, ReadAllAvailable()) == at
    site.produce(1)
    assert stream.latestOffset(at, ReadAllAvailable()) == {site.topic: {"0": 6}}


def test_records_that_retention_took_stop_the_stream_unless_it_may_go_on(site: Site) -> None:
    site.produce(6)
    site.command("delete-records", site.topic, "--before", "4", "--yes")
    start, end = {site.topic: {"0": 1}}, {site.topic: {"0": 6}}
    strict, lenient = site.stream(), site.stream(failOnDataLoss="false")
    with pytest.raises(DataLossError, match=r"lost its offsets from 1 on"):
        site.read(strict, start, end)
    assert site.read(lenient, start, end) == [(0, 4), (0, 5)]


def test_a_topic_that_is_gone_or_made_anew_stops_the_stream_unless_it_may_go_on(
    site: Site,
) -> None:
    site.produce(3)
    ahead = {site.topic: {"0": 30}}
    strict, lenient = site.stream(), site.stream(failOnDataLoss="false")
    with pytest.raises(DataLossError, match=r"-0 ends at 3, though offsets up to 30 were read"):
        strict.latestOffset(ahead, ReadAllAvailable())
    assert lenient.latestOffset(ahead, ReadAllAvailable()) == {site.topic: {"0": 3}}
    assert site.read(lenient, ahead, {site.topic: {"0": 3}}) == []
    gone = {site.topic: {"0": 3, "7": 9}}
    with pytest.raises(DataLossError, match=r"-7 is no longer there"):
        strict.latestOffset(gone, ReadAllAvailable())
    assert lenient.latestOffset(gone, ReadAllAvailable()) == {site.topic: {"0": 3}}
