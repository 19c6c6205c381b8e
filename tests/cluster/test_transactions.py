"""Transactions whose producers, partitions and coordinators are spread over three brokers."""

from __future__ import annotations

import confluent_kafka as ck
import pytest

from pykafka_ops.testing import KafkaCluster
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from tests.support.differential.two_brokers import Link

pytestmark = [pytest.mark.live, pytest.mark.java]

PRODUCERS = 6
ROUNDS = 4
PARTITIONS = 6


def transact(bootstrap: str, topic: str, number: int) -> set[bytes]:
    """Transactions over every partition, the odd ones aborted; what was committed."""
    config = {"bootstrap.servers": bootstrap, "transactional.id": f"spread-{number}"}
    producer = ck.Producer(config)
    producer.init_transactions(120)
    committed: set[bytes] = set()
    for turn in range(ROUNDS):
        producer.begin_transaction()
        values = {b"%d-%d-%d" % (number, turn, index) for index in range(PARTITIONS)}
        for index, value in enumerate(sorted(values)):
            producer.produce(topic, value, partition=index)
        if turn % 2:
            # Written first: librdkafka may abort before its partitions were added, which the
            # coordinator refuses, as Kafka's does, while the transaction before is being completed.
            producer.flush(120)
            producer.abort_transaction(120)
        else:
            producer.commit_transaction(120)
            committed |= values
    return committed


def read_committed(bootstrap: str, topic: str) -> list[bytes]:
    """Everything up to the last stable offsets."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": f"{topic}-readers",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([ck.TopicPartition(topic, index, 0) for index in range(PARTITIONS)])
    seen: list[bytes] = []
    ended: set[int | None] = set()
    while len(ended) < PARTITIONS:
        message = consumer.poll(120)
        assert message is not None, f"ends of {ended} only"
        error = message.error()
        if error is None:
            seen.append(message.value() or b"")
        else:
            assert error.code() == ck.KafkaError._PARTITION_EOF, error
            ended.add(message.partition())
    consumer.close()
    return seen


def test_what_was_committed_is_read_once_wherever_it_is_coordinated(cluster: KafkaCluster) -> None:
    topic = cluster.create_topic("spread", PARTITIONS, 3, {"min.insync.replicas": 2})
    bootstrap = cluster.bootstrap_servers
    committed: set[bytes] = set()
    for number in range(PRODUCERS):
        committed |= transact(bootstrap, topic, number)
    assert len(committed) == PRODUCERS * PARTITIONS * ROUNDS // 2
    seen = read_committed(bootstrap, topic)
    assert sorted(seen) == sorted(committed)


def test_producer_ids_of_three_brokers_never_meet(cluster: KafkaCluster) -> None:
    given: list[int] = []
    for broker in cluster.bootstrap_servers.split(","):
        link = Link(broker)
        for _ in range(1100):  # more than a block
            answer = link.ask(InitProducerIdRequest(transactional_id=None), 4)
            assert (answer.error_code, answer.producer_epoch) == (0, 0)
            given.append(answer.producer_id)
        link.close()
    assert len(set(given)) == len(given)
