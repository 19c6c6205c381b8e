"""Transaction indexes."""

from __future__ import annotations

import pytest

from pykafka_ops.disk.txn_index import (
    AbortedTxn,
    check_txn_index,
    collect_aborted,
    pack_aborted,
    read_txn_index,
    sound_entries,
)
from pykafka_ops.errors import CorruptIndexError

ONE = AbortedTxn(1, 10, 20, 21)
TWO = AbortedTxn(2, 15, 30, 31)
THREE = AbortedTxn(1, 40, 50, 51)


def test_entries_round_trip_and_a_torn_one_is_dropped() -> None:
    data = pack_aborted(ONE) + pack_aborted(TWO)
    assert read_txn_index(data) == [ONE, TWO] == read_txn_index(data + b"\x00" * 33)
    assert len(data) == 68


def test_only_transactions_that_touch_the_range_are_collected() -> None:
    entries = [ONE, TWO, THREE]
    assert collect_aborted(entries, 0, 12) == ([ONE], True)
    assert collect_aborted(entries, 0, 16) == ([ONE], True), "TWO ends beyond the stable offset"
    assert collect_aborted(entries, 21, 31) == ([TWO], True)
    assert collect_aborted(entries, 0, 100) == (entries, False)
    assert collect_aborted(entries, 51, 100) == ([], False)


@pytest.mark.parametrize(
    "bad",
    [
        AbortedTxn(0, 0, 0, 0),
        THREE._replace(version=1),
        THREE._replace(producer_id=-1),
        THREE._replace(first_offset=-1),
        THREE._replace(first_offset=50),
        THREE._replace(last_offset=30),
        THREE._replace(last_offset=100),
    ],
)
def test_entries_are_sound_up_to_the_first_that_cannot_be(bad: AbortedTxn) -> None:
    assert sound_entries([ONE, TWO, THREE], range(100)) == [ONE, TWO, THREE]
    assert sound_entries([ONE, TWO, bad, THREE], range(100)) == [ONE, TWO]
    assert sound_entries([ONE], range(21, 100)) == []


def test_sanity_check() -> None:
    check_txn_index(pack_aborted(ONE), 20, "f")
    with pytest.raises(CorruptIndexError, match="less than start offset 21"):
        check_txn_index(pack_aborted(ONE), 21, "f")
    check_txn_index(pack_aborted(ONE._replace(version=7)), 0, "f")
    with pytest.raises(CorruptIndexError, match="version 2 in"):
        check_txn_index(pack_aborted(ONE._replace(version=0x207)), 0, "f")
