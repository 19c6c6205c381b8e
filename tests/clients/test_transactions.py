"""Transactions through client libraries: commit, abort, fencing, offsets, time-outs."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from typing import Any

import aiokafka
import confluent_kafka as ck
import kafka
import pytest

from tests.support.clients.base import Client
from tests.support.java import java_kit
from tests.support.java.java_kit import CLIENTS
from tests.support.waiting import wait_for

MakeBroker = Callable[..., Any]


def producer(bootstrap: str, identity: str, **more: object) -> ck.Producer:
    config = {"bootstrap.servers": bootstrap, "transactional.id": identity, "log_level": 0}
    made = ck.Producer({**config, **{k.replace("_", "."): v for k, v in more.items()}})
    made.init_transactions(120)
    return made


def committed(bootstrap: str, topic: str, partition: int = 0) -> list[bytes]:
    """What a reader of committed records finds up to the end it is told."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,
        }
    )
    try:
        consumer.assign([ck.TopicPartition(topic, partition, 0)])
        found: list[bytes] = []
        while True:
            message = consumer.poll(120)
            assert message is not None, "no end of the partition"
            if message.error():
                assert message.error().code() == ck.KafkaError._PARTITION_EOF, message.error()
                return found
            found.append(message.value())
    finally:
        consumer.close()


def by_confluent(bootstrap: str, topic: str) -> None:
    made = producer(bootstrap, f"{topic}-ck")
    for value, commit in ((b"a", True), (b"b", False), (b"c", True)):
        made.begin_transaction()
        made.produce(topic, value, partition=0)
        made.flush(120)
        (made.commit_transaction if commit else made.abort_transaction)(120)


def by_kafka_python(bootstrap: str, topic: str) -> None:
    made = kafka.KafkaProducer(bootstrap_servers=bootstrap, transactional_id=f"{topic}-kp")
    made.init_transactions()
    for value, commit in ((b"a", True), (b"b", False), (b"c", True)):
        made.begin_transaction()
        made.send(topic, value, partition=0).get(120)
        (made.commit_transaction if commit else made.abort_transaction)()
    made.close()


def by_aiokafka(bootstrap: str, topic: str) -> None:
    async def body() -> None:
        made = aiokafka.AIOKafkaProducer(
            bootstrap_servers=bootstrap, transactional_id=f"{topic}-ak"
        )
        await made.start()
        for value, commit in ((b"a", True), (b"b", False), (b"c", True)):
            await made.begin_transaction()
            await made.send_and_wait(topic, value, partition=0)
            await (made.commit_transaction if commit else made.abort_transaction)()
        await made.stop()

    asyncio.run(body())


@pytest.mark.parametrize("act", [by_confluent, by_kafka_python, by_aiokafka])
def test_aborted_records_are_hidden_from_readers_of_committed_ones(
    broker: Any, reader: Client, topic: str, act: Callable[[str, str], None]
) -> None:
    reader.create_topic(topic)
    act(broker.bootstrap, topic)
    assert committed(broker.bootstrap, topic) == [b"a", b"c"]
    assert reader.offsets(topic) == (0, 6), "markers take offsets"


def test_an_open_transaction_holds_readers_back(broker: Any, reader: Client, topic: str) -> None:
    reader.create_topic(topic)
    made = producer(broker.bootstrap, topic)
    made.begin_transaction()
    made.produce(topic, b"a", partition=0)
    made.flush(120)
    plain = ck.Producer({"bootstrap.servers": broker.bootstrap})
    plain.produce(topic, b"b", partition=0)
    plain.flush(120)
    assert committed(broker.bootstrap, topic) == []
    made.commit_transaction(120)
    assert committed(broker.bootstrap, topic) == [b"a", b"b"]


def test_the_second_producer_of_an_id_fences_the_first(
    broker: Any, reader: Client, topic: str
) -> None:
    reader.create_topic(topic)
    first = producer(broker.bootstrap, topic)
    first.begin_transaction()
    first.produce(topic, b"old", partition=0)
    first.flush(120)
    second = producer(broker.bootstrap, topic)
    with pytest.raises(ck.KafkaException) as caught:
        first.commit_transaction(120)
    assert caught.value.args[0].code() == ck.KafkaError._FENCED
    assert caught.value.args[0].fatal()
    second.begin_transaction()
    second.produce(topic, b"new", partition=0)
    second.commit_transaction(120)
    assert committed(broker.bootstrap, topic) == [b"new"]


def test_offsets_count_only_when_their_transaction_commits(
    broker: Any, reader: Client, topic: str
) -> None:
    reader.create_topic(topic)
    group = {"bootstrap.servers": broker.bootstrap, "group.id": topic, "enable.auto.commit": False}
    consumer = ck.Consumer({**group, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    wait_for(lambda: consumer.poll(0.1) or consumer.assignment(), what="an assignment")
    made = producer(broker.bootstrap, topic)
    for offset, commit, stands in ((5, False, -1001), (7, True, 7), (9, False, 7)):
        made.begin_transaction()
        made.produce(topic, b"x", partition=0)
        at = [ck.TopicPartition(topic, 0, offset)]
        made.send_offsets_to_transaction(at, consumer.consumer_group_metadata(), 120)
        (made.commit_transaction if commit else made.abort_transaction)(120)
        (found,) = consumer.committed([ck.TopicPartition(topic, 0)], 120)
        assert found.offset == stands, (offset, commit)
    consumer.close()


def test_a_transaction_past_its_timeout_is_aborted(make_broker: MakeBroker, topic: str) -> None:
    broker = make_broker(transaction_abort_timed_out_transaction_cleanup_interval_ms=100).start()
    late = producer(broker.bootstrap, topic, transaction_timeout_ms=1000)
    late.begin_transaction()
    late.produce(topic, b"late", partition=0)
    late.flush(120)
    plain = ck.Producer({"bootstrap.servers": broker.bootstrap})
    plain.produce(topic, b"plain", partition=0)
    plain.flush(120)
    wait_for(lambda: committed(broker.bootstrap, topic), what="the abort")
    assert committed(broker.bootstrap, topic) == [b"plain"]
    with pytest.raises(ck.KafkaException):
        late.commit_transaction(120)


@pytest.mark.java
@pytest.mark.parametrize("version", CLIENTS)
def test_java_clients_go_through_the_life_of_transactions(
    broker: Any, reader: Client, topic: str, version: str
) -> None:
    reader.create_topic(topic, 2)
    done = subprocess.run(
        [
            *("java", "-Xmx256M", *java_kit.BRIEF_JVM, "-cp"),
            *(java_kit.compiled("TransactionDriver", version), "TransactionDriver"),
            *(broker.bootstrap, topic),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    facts = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert facts == {
        "first": "a to 4 of 4",
        "second": "z to 4 of 4",
        "offset after abort": "none",
        "offset after commit": "2",
        "with offsets": "a e to 8 of 8",
        "listed": "Ongoing",
        "described": f"Ongoing [{topic}-0] 60000",
        "open": "8 true",
        "fenced": facts["fenced"],
        "aborted by hand": "a e to 12 of 12",
        "fenced by admin": "none",
        "after that": facts["after that"],
    }
    gone = {"ProducerFencedException", "InvalidProducerEpochException"}
    assert {facts["fenced"], facts["after that"]} <= gone
