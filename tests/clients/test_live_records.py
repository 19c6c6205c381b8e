"""Records through the brokers when the ground moves: deleted records, a broker that goes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Producer

from pykafka_ops.errors import ConnectError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.sources.live.records.offsets import DataLossError
from pykafka_ops.spark.sources.live.source import KafkaLive
from tests.conftest import Broker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

COUNT = 40
SIZE = 900_000
"""Bytes of a record: several pages of ``fetch.PAGE`` in all."""


def fill(bootstrap: str, topic: str) -> None:
    said = pko("topics", "create", topic, "-p", "1", "-b", bootstrap)
    assert said.code == 0, said
    producer = Producer({"bootstrap.servers": bootstrap})
    for _ in range(COUNT):
        producer.produce(topic, bytes(SIZE), partition=0)
        producer.poll(0)
    assert producer.flush(120) == 0


def begun(bootstrap: str, topic: str, **options: str) -> tuple[list[int], Any]:
    """The offsets of the first page, and what is still to come."""
    source = KafkaLive({"kafka.bootstrap.servers": bootstrap, "what": "records",
                        "subscribe": topic, **options})  # fmt: skip
    reader: Any = source.reader(schemas.columns("offset bigint"))
    batches = (b for part in reader.partitions() for b in reader.read(part))
    first: list[int] = next(batches)["offset"].to_pylist()
    assert first[0] == 0
    assert first[-1] < COUNT // 2
    return first, batches


def begun_briefly(bootstrap: str, topic: str) -> Any:
    """What is still to come, with time-outs that a test can wait for; None when they were too
    short for the beginning."""
    how = {"kafka.default.api.timeout.ms": "1500", "kafka.request.timeout.ms": "1000"}
    try:
        return begun(bootstrap, topic, **how)[1]
    except ConnectError:
        return None


def delete(bootstrap: str, topic: str, before: int) -> None:
    said = pko("delete-records", topic, "--before", str(before), "--yes", "-b", bootstrap)
    assert said.code == 0, said


def test_records_deleted_meanwhile_stop_the_read(broker: Broker, topic: str) -> None:
    fill(broker.bootstrap, topic)
    first, rest = begun(broker.bootstrap, topic)
    delete(broker.bootstrap, topic, 30)
    with pytest.raises(DataLossError, match=f"{topic}-0 lost its offsets from {first[-1] + 1} on"):
        list(rest)


def test_records_deleted_meanwhile_are_skipped_where_that_may_be(
    broker: Broker, topic: str
) -> None:
    fill(broker.bootstrap, topic)
    _, rest = begun(broker.bootstrap, topic, failOnDataLoss="false")
    delete(broker.bootstrap, topic, 30)
    assert [n for batch in rest for n in batch["offset"].to_pylist()] == list(range(30, COUNT))


def test_a_cluster_that_goes_away_in_the_middle_is_one_clear_error(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    broker = make_broker().start()
    fill(broker.bootstrap, "orders")
    rest = wait_for(lambda: begun_briefly(broker.bootstrap, "orders"), what="a first page in time")
    broker.kill()
    with pytest.raises(ConnectError, match=f"cluster at {broker.bootstrap}: .*refused") as caught:
        list(rest)
    assert "\n" not in str(caught.value)


def test_a_broker_that_comes_back_in_time_is_read_on(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    broker = make_broker().start()
    fill(broker.bootstrap, "orders")
    first, rest = begun(broker.bootstrap, "orders")
    broker.kill()
    broker.start()
    found = [n for batch in rest for n in batch["offset"].to_pylist()]
    assert [*first, *found] == list(range(COUNT))
