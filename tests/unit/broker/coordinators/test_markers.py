"""Decisions and markers where other replicas must have them too, and where disks fail."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.transactions.metadata import TxnState
from pykafka_ops.wire.messages.end_txn import EndTxnRequest
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.support.memory.handler_site import ME, OTHER, Later
from tests.support.memory.replication import follower_at, lead
from tests.support.memory.transaction_desk import OFFSETS, STATE, TransactionDesk

NONE, NOT_AVAILABLE, NOT_COORDINATOR, TIMED_OUT, CONCURRENT = 0, 15, 16, 7, 51
NOT_LEADER, NOT_ENOUGH, OLD_COORDINATOR, UNKNOWN = 6, 19, 52, -1


@pytest.fixture
def desk() -> TransactionDesk:
    made = TransactionDesk()
    given = made.init("tx")
    assert made.add("tx", (given.producer_id, given.epoch), 0, 1) == [NONE, NONE]
    assert made.produce("tx", (given.producer_id, given.epoch), 0, 0, b"a") == NONE
    return made


def producer(desk: TransactionDesk) -> tuple[int, int]:
    found = desk.transaction("tx")
    return found.producer_id, found.epoch


def partitions(desk: TransactionDesk, topic: str) -> list[Partition]:
    return [p for p in desk.site.replicas.all() if p.topic == topic]


def replicate(desk: TransactionDesk, topic: str) -> None:
    """From now on the other broker must have everything of the topic."""
    for partition in partitions(desk, topic):
        lead(partition, (ME, OTHER))
        follower_at(partition, partition.log.log_end_offset)


def catch_up(desk: TransactionDesk, topic: str) -> None:
    for partition in partitions(desk, topic):
        follower_at(partition, partition.log.log_end_offset)
        desk.site.replicas.wake(partition.key)


def ask_to_end(desk: TransactionDesk, *, commit: bool = True) -> Any:
    request = EndTxnRequest(
        transactional_id="tx",
        producer_id=producer(desk)[0],
        producer_epoch=producer(desk)[1],
        committed=commit,
    )
    return desk.site.ask(request, 3)


def test_a_decision_counts_when_the_replicas_have_it(desk: TransactionDesk) -> None:
    replicate(desk, STATE)
    later = ask_to_end(desk)
    assert isinstance(later, Later)
    assert not later.done
    assert desk.transaction("tx").state is TxnState.ONGOING
    assert desk.init("tx").code == CONCURRENT
    assert desk.lso(0) == 0
    catch_up(desk, STATE)
    assert later.answer.error_code == NONE
    assert desk.committed(0) == [b"a"]
    assert desk.transaction("tx").state is TxnState.PREPARE_COMMIT, "the end is not replicated"
    catch_up(desk, STATE)
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT


def test_a_decision_that_was_replicated_late_is_completed_all_the_same(
    desk: TransactionDesk,
) -> None:
    replicate(desk, STATE)
    later = ask_to_end(desk)
    desk.pass_time(5000)
    assert later.answer.error_code == NOT_AVAILABLE
    assert desk.end("tx", producer(desk), commit=False) == CONCURRENT
    catch_up(desk, STATE)
    assert desk.transaction("tx").state is TxnState.PREPARE_COMMIT
    desk.pass_time(10_000)
    catch_up(desk, STATE)
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT
    assert desk.committed(0) == [b"a"]


def test_markers_wait_for_the_replicas_of_their_partitions(desk: TransactionDesk) -> None:
    replicate(desk, "t")
    assert desk.end("tx", producer(desk), commit=True) == NONE
    assert desk.transaction("tx").partitions == {("t", 0), ("t", 1)}
    catch_up(desk, "t")
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT
    assert [desk.log(n).log_end_offset for n in (0, 1)] == [2, 1]


def test_without_enough_replicas_nothing_is_decided(desk: TransactionDesk) -> None:
    for partition in partitions(desk, STATE):
        partition.isr = ()
    assert desk.end("tx", producer(desk), commit=True) == NOT_AVAILABLE
    for partition in partitions(desk, STATE):
        partition.isr = (ME,)
    assert desk.end("tx", producer(desk), commit=True) == NONE


def test_who_waits_when_the_coordinator_moves_is_told_so(desk: TransactionDesk) -> None:
    replicate(desk, STATE)
    later = ask_to_end(desk)
    desk.site.services.transactions.coordinator.close()
    assert later.answer.error_code == NOT_COORDINATOR
    assert ask_to_end_code(desk) == NOT_COORDINATOR


def ask_to_end_code(desk: TransactionDesk) -> int:
    request = EndTxnRequest(transactional_id="tx", producer_id=1, producer_epoch=0)
    return int(desk.site.ask(request, 3).error_code)


def test_an_end_that_cannot_be_written_is_tried_again(desk: TransactionDesk) -> None:
    def lose_the_replicas(*facts: object) -> None:
        for partition in partitions(desk, STATE):
            partition.isr = ()

    writer = desk.site.services.transactions.markers
    writer.on_marker = lose_the_replicas  # type: ignore[attr-defined]
    assert desk.end("tx", producer(desk), commit=True) == NONE
    assert (desk.committed(0), desk.transaction("tx").pending) == ([b"a"], None)
    desk.pass_time(100)
    assert desk.transaction("tx").state is TxnState.PREPARE_COMMIT
    for partition in partitions(desk, STATE):
        partition.isr = (ME,)
    desk.pass_time(100)
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT
    assert [desk.log(n).log_end_offset for n in (0, 1)] == [2, 1], "no second markers"


def test_a_marker_that_a_failed_disk_refuses_keeps_the_transaction_decided(
    desk: TransactionDesk,
) -> None:
    desk.files.fail("append", error=errno.EIO, match="t-1")
    assert desk.end("tx", producer(desk), commit=True) == NONE
    assert desk.transaction("tx").state is TxnState.PREPARE_COMMIT
    assert desk.init("tx").code == CONCURRENT


def ask_for_markers(desk: TransactionDesk, topic: str, coordinator: int, *indexes: int) -> Any:
    marker = WritableTxnMarker(
        producer_id=producer(desk)[0],
        producer_epoch=producer(desk)[1],
        transaction_result=True,
        topics=[WritableTxnMarkerTopic(name=topic, partition_indexes=list(indexes))],
        coordinator_epoch=coordinator,
    )
    return desk.site.ask(WriteTxnMarkersRequest(markers=[marker]), 1)


def codes(answer: Any) -> list[int]:
    return [p.error_code for m in answer.markers for t in m.topics for p in t.partitions]


def test_markers_of_other_coordinators_are_answered_when_replicated(desk: TransactionDesk) -> None:
    desk.site.replicas.find("t", 1).leader = OTHER  # type: ignore[union-attr]
    assert codes(ask_for_markers(desk, "t", 9, 0, 1)) == [NONE, NOT_LEADER]
    assert codes(ask_for_markers(desk, "t", 8, 0)) == [OLD_COORDINATOR]
    replicate(desk, "t")
    later = ask_for_markers(desk, "t", 9, 0)
    assert isinstance(later, Later)
    desk.pass_time(30_000)
    assert codes(later.answer) == [TIMED_OUT]


def test_a_marker_in_the_offsets_topic_is_told_to_the_groups(desk: TransactionDesk) -> None:
    said: list[tuple[object, ...]] = []
    writer = desk.site.services.transactions.markers
    writer.on_marker = lambda *facts: said.append(facts)  # type: ignore[attr-defined]
    assert codes(ask_for_markers(desk, OFFSETS, 3, 0)) == [NONE]
    assert said == [(OFFSETS, 0, producer(desk)[0], 0, True)]
