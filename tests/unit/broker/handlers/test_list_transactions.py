"""ListTransactions: transactional ids by state, producer and, from version 1 on, by age."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.wire.messages.list_transactions import ListTransactionsRequest
from tests.support.memory.transaction_desk import STATE, TransactionDesk

LOADING = 14


@pytest.fixture
def desk() -> TransactionDesk:
    """``open`` has been going on for 50 ms, ``idle`` has not begun."""
    made = TransactionDesk()
    given = made.init("open")
    made.add("open", (given.producer_id, given.epoch), 0)
    made.init("idle")
    made.pass_time(50)
    return made


def listed(desk: TransactionDesk, version: int, **filters: Any) -> list[str]:
    answer = desk.site.ask(ListTransactionsRequest(**filters), version)
    assert answer.error_code == 0
    return sorted(each.transactional_id for each in answer.transaction_states)


@pytest.mark.parametrize("version", range(2))
def test_states_and_producers_are_filters(desk: TransactionDesk, version: int) -> None:
    assert listed(desk, version) == ["idle", "open"]
    assert listed(desk, version, state_filters=["Ongoing"]) == ["open"]
    producer = desk.transaction("idle").producer_id
    assert listed(desk, version, producer_id_filters=[producer]) == ["idle"]
    both = {"state_filters": ["Ongoing"], "producer_id_filters": [producer]}
    assert listed(desk, version, **both) == []


def test_only_what_has_been_open_for_longer_is_listed(desk: TransactionDesk) -> None:
    ongoing = {"state_filters": ["Ongoing"]}
    assert listed(desk, 1, duration_filter=49, **ongoing) == ["open"]
    assert listed(desk, 1, duration_filter=51, **ongoing) == []
    assert listed(desk, 1, duration_filter=51) == ["idle"], "as Kafka: it never began"


def test_states_that_do_not_exist_are_told(desk: TransactionDesk) -> None:
    answer = desk.site.ask(ListTransactionsRequest(state_filters=["Nonsense", "Empty"]), 0)
    assert answer.unknown_state_filters == ["Nonsense"]
    assert [each.transactional_id for each in answer.transaction_states] == ["idle"]


def test_nothing_is_listed_while_a_partition_is_loaded(desk: TransactionDesk) -> None:
    partition = desk.site.replicas.find(STATE, 0)
    assert partition is not None
    desk.site.services.transactions.coordinator.elected(partition)
    answer = desk.site.ask(ListTransactionsRequest(), 0)
    assert (answer.error_code, answer.transaction_states) == (LOADING, [])
    desk.site.coordinators.load()
    assert listed(desk, 0) == ["idle", "open"]
