"""Open transactions: how old, what they hold up, which hang."""

from __future__ import annotations

from typing import Any

from pykafka_ops.client.transactions import ActiveProducer, TransactionDescription
from pykafka_ops.monitor.cluster.questions import HeldPartition, OpenTransactions
from pykafka_ops.monitor.wording.transactions import HANGING_MS, transactions_shown

NOW = 10_000_000_000
PLACE = ("orders", 0)


def opened(**more: Any) -> OpenTransactions:
    """One transaction of a minute that holds up ``orders-0``."""
    one = TransactionDescription(1, 7, 0, "Ongoing", 60_000, NOW - 60_000, (PLACE,))
    producer = ActiveProducer(7, 0, 3, 5, NOW - 1000, 40)
    held = HeldPartition(*PLACE, 40, 100, [producer])
    return OpenTransactions({"pay-1": one}, {7: "pay-1"}, [held], (), 0)._replace(**more)


def silent(producer_id: int) -> HeldPartition:
    """Held by a producer that wrote long ago."""
    last = NOW - HANGING_MS - 1000
    return HeldPartition(*PLACE, 40, 100, [ActiveProducer(producer_id, 0, 3, 5, last, 40)])


def test_a_transaction_says_how_old_it_is_and_which_groups_wait() -> None:
    found = transactions_shown(opened(), {PLACE: ["billing"]}, NOW)
    (row,), (held,) = found.rows, found.held
    assert (row["transactional_id"], row["age_seconds"], row["holds"]) == ("pay-1", 60.0, 1)
    assert row["groups"] == ["billing"]
    assert (held["records"], held["ids"], held["groups"]) == (60, ["pay-1"], ["billing"])
    assert (found.groups, found.hung) == (1, 0)


def test_what_no_coordinator_knows_hangs_once_no_transaction_may_take_so_long() -> None:
    young = opened(known={}, ids={})
    assert transactions_shown(young, {}, NOW).hung == 0
    old = opened(known={}, ids={}, held=[silent(9)])
    found = transactions_shown(old, {PLACE: ["billing"]}, NOW)
    assert (found.hung, found.rows[0]["state"]) == (1, "hangs in orders-0")
    assert found.rows[0]["groups"] == ["billing"]


def test_a_transaction_that_its_coordinator_counts_the_partition_into_does_not_hang() -> None:
    assert transactions_shown(opened(held=[silent(7)]), {}, NOW).hung == 0
    elsewhere = {"pay-1": opened().known["pay-1"]._replace(partitions=(("other", 0),))}
    assert transactions_shown(opened(held=[silent(7)], known=elsewhere), {}, NOW).hung == 1


def test_nothing_hangs_for_certain_where_a_coordinator_did_not_answer() -> None:
    unsure = opened(known={}, ids={}, held=[silent(9)], missing=("broker 2 is silent",))
    assert transactions_shown(unsure, {}, NOW).hung == 0
    too_many = opened(known={}, ids={9: "not-asked"}, held=[silent(9)])
    assert transactions_shown(too_many, {}, NOW).hung == 0


def test_producers_that_were_not_told_leave_a_partition_without_names() -> None:
    held = opened().held[0]._replace(producers=None)
    (row,) = transactions_shown(opened(held=[held]), {}, NOW).held
    assert (row["ids"], row["producer_id"]) == ([], None)


def test_the_oldest_comes_first() -> None:
    one = opened().known["pay-1"]
    known = {"new": one._replace(start=NOW - 5), "old": one, "unknown": one._replace(start=-1)}
    rows = transactions_shown(opened(known=known), {}, NOW).rows
    assert [row["transactional_id"] for row in rows] == ["old", "new", "unknown"]
    assert rows[-1]["age_seconds"] is None
