"""AddPartitionsToTxn: from producers to version 3, between brokers from version 4 on."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from tests.support.memory.transaction_desk import TransactionDesk

UNKNOWN_TOPIC, NOT_ATTEMPTED, INVALID_EPOCH, FENCED, ABORTABLE = 3, 55, 47, 90, 120


@pytest.mark.parametrize("version", range(4))
def test_partitions_join_the_transaction(version: int) -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    assert desk.add("tx", (given.producer_id, given.epoch), 0, 1, version=version) == [0, 0]
    assert desk.transaction("tx").partitions == {("t", 0), ("t", 1)}


def test_one_partition_that_is_not_there_keeps_the_others_out() -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    codes = desk.add("tx", (given.producer_id, given.epoch), 0, 9)
    assert sorted(codes) == [UNKNOWN_TOPIC, NOT_ATTEMPTED]
    assert not desk.transaction("tx").partitions


@pytest.mark.parametrize(("version", "code"), [(1, INVALID_EPOCH), (2, FENCED)])
def test_a_producer_that_was_replaced_is_fenced(version: int, code: int) -> None:
    desk = TransactionDesk()
    old = desk.init("tx")
    desk.init("tx")
    assert desk.add("tx", (old.producer_id, old.epoch), 0, version=version) == [code]


@pytest.mark.parametrize("version", [4, 5])
def test_a_broker_asks_whether_partitions_are_in_a_transaction(version: int) -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    desk.add("tx", (given.producer_id, given.epoch), 0)
    asked = AddPartitionsToTxnTransaction(
        transactional_id="tx",
        producer_id=given.producer_id,
        producer_epoch=given.epoch,
        verify_only=True,
        topics=[AddPartitionsToTxnTopic(name="t", partitions=[0, 1])],
    )
    answer = desk.site.ask(AddPartitionsToTxnRequest(transactions=[asked]), version)
    (transaction,) = answer.results_by_transaction
    (topic,) = transaction.topic_results
    codes = {p.partition_index: p.partition_error_code for p in topic.results_by_partition}
    assert transaction.transactional_id == "tx"
    assert codes == {0: 0, 1: ABORTABLE}
    assert desk.transaction("tx").partitions == {("t", 0)}, "it was to be asked only"
