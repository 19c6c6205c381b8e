"""DescribeProducers: what the logs remember of producers, and where transactions began."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.messages.describe_producers import DescribeProducersRequest, TopicRequest
from tests.support.memory.transaction_desk import TransactionDesk

UNKNOWN_TOPIC, INVALID_TOPIC = 3, 17


def described(desk: TransactionDesk, topic: str, *partitions: int) -> list[Any]:
    wanted = [TopicRequest(name=topic, partition_indexes=list(partitions))]
    ((found,)) = desk.site.ask(DescribeProducersRequest(topics=wanted), 0).topics
    partitions_: list[Any] = found.partitions
    return partitions_


def test_a_producer_is_told_with_where_its_transaction_began() -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    who = (given.producer_id, given.epoch)
    desk.add("tx", who, 0)
    desk.produce("tx", who, 0, 0, b"a", b"b")
    (partition,) = described(desk, "t", 0)
    (producer,) = partition.active_producers
    assert (partition.partition_index, partition.error_code) == (0, 0)
    assert (producer.producer_id, producer.producer_epoch) == who
    assert (producer.last_sequence, producer.current_txn_start_offset) == (1, 0)
    assert producer.last_timestamp == desk.site.now + 1
    desk.end("tx", who, commit=True)
    ((producer,),) = [p.active_producers for p in described(desk, "t", 0)]
    assert producer.current_txn_start_offset == -1


def test_each_partition_has_its_own_error() -> None:
    desk = TransactionDesk()
    found = described(desk, "t", 1, 9)
    assert [(p.partition_index, p.error_code) for p in found] == [(1, 0), (9, UNKNOWN_TOPIC)]
    assert [p.active_producers for p in found] == [[], []]
    (nowhere,) = described(desk, "nowhere", 0)
    assert (nowhere.error_code, nowhere.active_producers) == (UNKNOWN_TOPIC, [])
    (bad,) = described(desk, "a/b", 0)
    assert bad.error_code == INVALID_TOPIC
    assert bad.error_message
