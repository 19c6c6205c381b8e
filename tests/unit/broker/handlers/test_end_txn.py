"""EndTxn: a transaction is committed or aborted, once, by the producer that owns it."""

from __future__ import annotations

import pytest

from tests.support.memory.transaction_desk import TransactionDesk

INVALID_STATE, INVALID_EPOCH, INVALID_MAPPING, FENCED = 48, 47, 49, 90


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize(("commit", "seen"), [(True, [b"x"]), (False, [])])
def test_readers_of_committed_records_see_what_was_committed(
    version: int, commit: bool, seen: list[bytes]
) -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    who = (given.producer_id, given.epoch)
    assert desk.add("tx", who, 0) == [0]
    assert desk.produce("tx", who, 0, 0, b"x") == 0
    assert desk.committed() == []
    assert desk.end("tx", who, commit=commit, version=version) == 0
    assert desk.committed() == seen
    assert desk.lso() == 2, "the record and the marker"


def test_a_transaction_that_was_not_begun_does_not_end() -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    assert desk.end("tx", (given.producer_id, given.epoch), commit=True) == INVALID_STATE


@pytest.mark.parametrize(("version", "code"), [(0, INVALID_EPOCH), (1, INVALID_EPOCH), (2, FENCED)])
def test_a_producer_that_was_replaced_is_fenced(version: int, code: int) -> None:
    desk = TransactionDesk()
    old = desk.init("tx")
    desk.init("tx")
    who = (old.producer_id, old.epoch)
    assert desk.end("tx", who, commit=True, version=version) == code


def test_another_producer_id_does_not_own_the_transaction() -> None:
    desk = TransactionDesk()
    given = desk.init("tx")
    who = (given.producer_id + 77, given.epoch)
    assert desk.end("tx", who, commit=True) == INVALID_MAPPING
