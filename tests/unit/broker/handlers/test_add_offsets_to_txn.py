"""AddOffsetsToTxn: the partition that holds a group's offsets joins the transaction."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from tests.support.memory.handler_site import Later
from tests.support.memory.transaction_desk import OFFSETS, TransactionDesk

INVALID_REQUEST, INVALID_EPOCH, FENCED = 42, 47, 90


def add(desk: TransactionDesk, tid: str, producer: tuple[int, int], version: int) -> int:
    request = AddOffsetsToTxnRequest(
        transactional_id=tid,
        producer_id=producer[0],
        producer_epoch=producer[1],
        group_id="g",
    )
    answer: Any = desk.site.ask(request, version)
    return int((answer.answer if isinstance(answer, Later) else answer).error_code)


@pytest.mark.parametrize("version", range(5))
def test_the_groups_partition_joins(version: int) -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    assert add(desk, "tx", (given.producer_id, given.epoch), version) == 0
    assert desk.transaction("tx").partitions == {(OFFSETS, partition_for("g", 2))}


@pytest.mark.parametrize(("version", "code"), [(1, INVALID_EPOCH), (2, FENCED)])
def test_a_producer_that_was_replaced_is_fenced(version: int, code: int) -> None:
    desk = TransactionDesk()
    old = desk.init("tx")
    desk.init("tx")
    assert add(desk, "tx", (old.producer_id, old.epoch), version) == code


def test_a_transaction_has_a_name() -> None:
    assert add(TransactionDesk(), "", (1, 0), 3) == INVALID_REQUEST
