"""DescribeTransactions: state, age and partitions of the transactions this broker coordinates."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.messages.describe_transactions import DescribeTransactionsRequest
from tests.support.memory.transaction_desk import TransactionDesk

INVALID_REQUEST, NOT_FOUND = 42, 105


def described(desk: TransactionDesk, *ids: str) -> list[Any]:
    request = DescribeTransactionsRequest(transactional_ids=list(ids))
    found: list[Any] = desk.site.ask(request, 0).transaction_states
    return found


def test_an_open_transaction_tells_its_start_and_its_partitions() -> None:
    desk = TransactionDesk()
    given = desk.init("tx", timeout=5000)
    desk.pass_time(10)
    desk.add("tx", (given.producer_id, given.epoch), 1, 0)
    (state,) = described(desk, "tx")
    assert (state.transactional_id, state.error_code) == ("tx", 0)
    assert (state.producer_id, state.producer_epoch) == (given.producer_id, given.epoch)
    assert (state.transaction_state, state.transaction_timeout_ms) == ("Ongoing", 5000)
    assert state.transaction_start_time_ms == desk.site.now
    assert [(t.topic, t.partitions) for t in state.topics] == [("t", [0, 1])]


def test_one_that_has_not_begun_has_no_start() -> None:
    desk = TransactionDesk()
    desk.init("tx")
    (state,) = described(desk, "tx")
    assert (state.transaction_state, state.transaction_start_time_ms) == ("Empty", -1)
    assert state.topics == []


def test_each_id_has_its_own_error() -> None:
    desk = TransactionDesk()
    desk.init("tx")
    codes = [state.error_code for state in described(desk, "nobody", "", "tx")]
    assert codes == [NOT_FOUND, INVALID_REQUEST, 0]
