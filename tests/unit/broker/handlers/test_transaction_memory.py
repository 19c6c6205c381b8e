"""Transactional ids and their partitions count as memory, and give it back."""

from __future__ import annotations

from pykafka_ops.broker.state.transactions.expiry import SPARED_MS
from pykafka_ops.broker.state.transactions.metadata import PARTITION_BYTES, TRANSACTION_BYTES
from tests.support.memory.transaction_desk import TransactionDesk

FULL = 15
"""COORDINATOR_NOT_AVAILABLE: clients ask again."""


def test_new_ids_are_refused_without_memory_and_those_there_are_go_on() -> None:
    desk = TransactionDesk()
    memory = desk.site.memory.state
    before = memory.held
    memory.limit = before + 20 * TRANSACTION_BYTES
    codes = [desk.init(f"t-{n}").code for n in range(40)]
    assert codes.count(0) < 20
    assert codes[-1] == FULL
    assert memory.held - before <= 20 * TRANSACTION_BYTES
    again = desk.init("t-0")
    assert again.code == 0
    assert desk.add("t-0", again[1:], 0) == [0]
    assert desk.end("t-0", again[1:], commit=True) == 0


def test_where_there_is_no_memory_ids_that_were_idle_for_an_hour_make_room() -> None:
    desk = TransactionDesk()
    memory = desk.site.memory.state
    memory.limit = memory.held + 20 * TRANSACTION_BYTES
    assert [desk.init(f"t-{n}").code for n in range(40)][-1] == FULL
    desk.pass_time(SPARED_MS // 2)
    busy = desk.init("t-0")[1:]
    assert desk.add("t-0", busy, 0) == [0]
    assert desk.end("t-0", busy, commit=True) == 0
    assert desk.init("new").code == FULL
    desk.pass_time(1)
    assert desk.init("new").code == FULL
    desk.pass_time(SPARED_MS // 2)
    assert desk.init("new").code == FULL  # which is when others are forgotten
    desk.pass_time(1)
    assert desk.init("new").code == 0
    assert desk.transaction("t-0").producer_id == busy[0]
    assert desk.add("t-0", busy, 0) == [0]


def test_partitions_count_until_their_transaction_has_ended() -> None:
    desk = TransactionDesk(partitions=30)
    memory = desk.site.memory.state
    producer = desk.init("x")[1:]
    idle = memory.held
    assert desk.add("x", producer, *range(10)) == [0] * 10
    assert memory.held == idle + 10 * PARTITION_BYTES
    memory.limit = memory.held + 5 * PARTITION_BYTES
    assert desk.add("x", producer, *range(10, 30)) == [FULL] * 20
    assert desk.end("x", producer, commit=True) == 0
    assert memory.held == idle


def test_ids_count_again_when_they_are_loaded_and_not_when_they_have_expired() -> None:
    desk = TransactionDesk(transactional_id_expiration_ms=3_600_000)
    before = desk.site.memory.state.held
    for n in range(5):
        desk.init(f"t-{n}")
    held = desk.site.memory.state.held
    assert held > before + 5 * TRANSACTION_BYTES
    desk.restart()
    assert desk.site.memory.state.held == held
    desk.pass_time(10 * 3_600_000)
    assert desk.site.memory.state.held == before
