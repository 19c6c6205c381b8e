"""Transactions of one broker, asked as clients ask, over real logs in memory."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.transactions.metadata import TxnState
from pykafka_ops.wire.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from pykafka_ops.wire.messages.describe_producers import DescribeProducersRequest, TopicRequest
from pykafka_ops.wire.messages.describe_transactions import DescribeTransactionsRequest
from pykafka_ops.wire.messages.list_transactions import ListTransactionsRequest
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.support.memory.transaction_desk import OFFSETS, TransactionDesk

NONE, UNKNOWN_TOPIC, INVALID_REQUEST, NOT_ENOUGH_REPLICAS = 0, 3, 42, 19
INVALID_EPOCH, INVALID_STATE, BAD_MAPPING, CONCURRENT, NOT_AUTHORIZED = 47, 48, 49, 51, 29
NOT_ATTEMPTED, FENCED, NOT_FOUND, ABORTABLE = 55, 90, 105, 120


@pytest.fixture
def desk() -> TransactionDesk:
    return TransactionDesk()


def begin(desk: TransactionDesk, tid: str = "tx", *partitions: int) -> tuple[int, int]:
    """A producer with an open transaction in these partitions."""
    given = desk.init(tid)
    assert given.code == NONE
    producer = given.producer_id, given.epoch
    if partitions:
        assert set(desk.add(tid, producer, *partitions)) == {NONE}
    return producer


def test_committed_records_are_seen_and_aborted_ones_are_not(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0, 1)
    assert desk.produce("tx", producer, 0, 0, b"a") == NONE
    assert desk.produce("tx", producer, 1, 0, b"b") == NONE
    assert (desk.committed(0), desk.lso(0)) == ([], 0)
    assert desk.end("tx", producer, commit=True) == NONE
    assert (desk.committed(0), desk.committed(1)) == ([b"a"], [b"b"])
    assert desk.add("tx", producer, 0) == [NONE]
    assert desk.produce("tx", producer, 0, 1, b"c") == NONE
    assert desk.end("tx", producer, commit=False) == NONE
    assert desk.committed(0) == [b"a"]
    assert desk.lso(0) == desk.log(0).log_end_offset == 4


def test_what_is_asked_again_is_answered_again(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0)
    assert desk.add("tx", producer, 0) == [NONE]
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.end("tx", producer, commit=False) == INVALID_STATE
    assert desk.log(0).log_end_offset == 1, "one marker"


def test_without_a_transaction_there_is_nothing_to_end(desk: TransactionDesk) -> None:
    producer = begin(desk)
    assert desk.end("tx", producer, commit=True) == INVALID_STATE
    assert desk.end("ty", producer, commit=True) == BAD_MAPPING
    assert desk.end("", producer, commit=True) == INVALID_REQUEST


@pytest.mark.parametrize(("version", "code"), [(0, INVALID_EPOCH), (1, INVALID_EPOCH), (3, FENCED)])
def test_a_new_producer_aborts_the_old_ones_transaction_and_fences_it(
    desk: TransactionDesk, version: int, code: int
) -> None:
    old = begin(desk, "tx", 0)
    assert desk.produce("tx", old, 0, 0, b"a") == NONE
    assert desk.init("tx").code == CONCURRENT, "the abort comes first"
    new = desk.init("tx")
    assert new == (NONE, old[0], old[1] + 2)
    assert desk.committed() == []
    assert desk.end("tx", old, commit=True, version=version) == code
    assert desk.add("tx", old, 0, version=version) == [code]
    assert desk.produce("tx", old, 0, 1, b"b") == INVALID_EPOCH
    assert desk.end("tx", new[1:], commit=True) == INVALID_STATE


def test_a_producer_that_names_itself_goes_on_in_the_next_epoch(desk: TransactionDesk) -> None:
    first = begin(desk)
    second = desk.init("tx", first)
    assert second == (NONE, first[0], first[1] + 1)
    assert desk.init("tx", first) == second, "asked again, the answer was lost"
    assert desk.init("tx", (first[0], 9)).code == FENCED
    assert desk.init("tx", (first[0] + 7, 0)).code == FENCED
    assert desk.init("tx", (first[0], 9), version=3).code == INVALID_EPOCH


def test_when_the_epochs_run_out_there_is_another_producer_id(desk: TransactionDesk) -> None:
    first = begin(desk)
    desk.transaction("tx").epoch = 32765
    last = desk.init("tx")
    assert last == (NONE, first[0], 32766)
    fresh = desk.init("tx", last[1:])
    assert (fresh.code, fresh.epoch) == (NONE, 0)
    assert fresh.producer_id not in first
    assert desk.init("tx", last[1:]) == fresh, "asked again, the answer was lost"
    assert desk.end("tx", last[1:], commit=True) == BAD_MAPPING


def test_a_fence_at_the_last_epoch_leaves_room_for_nobody(desk: TransactionDesk) -> None:
    first = begin(desk)
    desk.transaction("tx").epoch = 32766
    assert desk.add("tx", (first[0], 32766), 0) == [NONE]
    assert desk.init("tx").code == CONCURRENT
    assert desk.transaction("tx").epoch == 32767
    fresh = desk.init("tx")
    assert (fresh.code, fresh.epoch) == (NONE, 0)
    assert fresh.producer_id != first[0]


def test_one_partition_that_may_not_join_keeps_the_others_out(desk: TransactionDesk) -> None:
    producer = begin(desk)
    assert desk.add("tx", producer, 0, 7) == [NOT_ATTEMPTED, UNKNOWN_TOPIC]
    assert desk.add("tx", producer, 0, topic=OFFSETS) == [NOT_AUTHORIZED]
    assert desk.add("", producer, 0) == [INVALID_REQUEST]
    assert desk.transaction("tx").state is TxnState.EMPTY


def test_a_transaction_past_its_timeout_is_aborted(desk: TransactionDesk) -> None:
    given = desk.init("tx", timeout=5000)
    producer = given.producer_id, given.epoch
    desk.add("tx", producer, 0)
    desk.produce("tx", producer, 0, 0, b"a")
    desk.pass_time(5000)
    assert desk.transaction("tx").state is TxnState.ONGOING
    desk.pass_time(5000)
    assert desk.transaction("tx").state is TxnState.COMPLETE_ABORT
    assert (desk.committed(), desk.lso()) == ([], 2)
    assert desk.end("tx", producer, commit=True) == FENCED
    assert desk.produce("tx", producer, 0, 1, b"b") == INVALID_EPOCH
    assert desk.init("tx", producer).code == FENCED
    assert desk.init("tx").epoch == producer[1] + 2


def test_an_id_that_nobody_uses_is_forgotten(desk: TransactionDesk) -> None:
    desk = TransactionDesk(
        transactional_id_expiration_ms=50_000,
        transaction_remove_expired_transaction_cleanup_interval_ms=10_000,
    )
    producer = begin(desk, "tx", 0)
    begin(desk, "ty")
    desk.pass_time(40_000)
    begin(desk, "ty")
    desk.pass_time(20_000)
    assert desk.transaction("tx").state is TxnState.ONGOING, "an open transaction keeps its id"
    assert desk.end("tx", producer, commit=True) == NONE
    desk.pass_time(50_001)
    desk.restart()
    assert desk.end("tx", producer, commit=True) == BAD_MAPPING
    assert desk.init("tx").epoch == 0


def test_after_a_restart_everything_is_as_before(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0, 1)
    desk.produce("tx", producer, 0, 0, b"a")
    before = desk.transaction("tx")
    desk.restart()
    found = desk.transaction("tx")
    for name in ("producer_id", "epoch", "state", "partitions", "started", "updated", "timeout_ms"):
        assert getattr(found, name) == getattr(before, name), name
    assert desk.produce("tx", producer, 0, 1, b"b") == NONE
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.committed() == [b"a", b"b"]


@pytest.mark.parametrize("commit", [True, False])
def test_a_decided_transaction_is_completed_after_a_kill(
    desk: TransactionDesk, commit: bool
) -> None:
    from tests.support.memory.transaction_desk import KilledError

    producer = begin(desk, "tx", 0, 1)
    desk.produce("tx", producer, 0, 0, b"a")
    desk.produce("tx", producer, 1, 0, b"b")
    desk.kill_in = 1
    with pytest.raises(KilledError):
        desk.end("tx", producer, commit=commit)
    desk.restart()
    assert desk.committed(0) + desk.committed(1) == ([b"a", b"b"] if commit else [])
    assert desk.transaction("tx").state.title == ("CompleteCommit" if commit else "CompleteAbort")
    assert (desk.lso(0), desk.lso(1)) == (2, 2)


def test_a_marker_that_cannot_be_written_is_tried_again(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0, 1)
    desk.produce("tx", producer, 1, 0, b"b")
    partition = desk.site.replicas.find("t", 1)
    assert partition is not None
    partition.leader = 1
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.init("tx").code == CONCURRENT
    assert desk.add("tx", producer, 0) == [CONCURRENT]
    assert desk.transaction("tx").partitions == {("t", 1)}
    desk.pass_time(100)
    assert desk.transaction("tx").state is TxnState.PREPARE_COMMIT
    partition.leader = 0
    desk.pass_time(100)
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT
    assert desk.committed(1) == [b"b"]


def test_partitions_of_a_deleted_topic_need_no_marker(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0)
    desk.site.replicas.drop("t", 0)
    desk.site.update({"t": {}})
    desk.site.image.topics.pop("t", None)
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT


def test_a_write_the_coordinator_did_not_confirm_is_refused(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0)
    assert desk.produce("tx", producer, 1, 0, b"x") == ABORTABLE
    assert desk.produce("tx", producer, 1, 0, b"x", version=10) == INVALID_STATE
    assert desk.produce("ty", producer, 0, 0, b"x") == BAD_MAPPING
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.produce("tx", producer, 0, 0, b"late") == ABORTABLE
    desk.site.services.transactions.coordinator.close()
    assert desk.produce("tx", producer, 0, 0, b"x") == NOT_ENOUGH_REPLICAS
    assert [desk.log(n).log_end_offset for n in (0, 1)] == [1, 0]


def test_without_verification_only_the_log_decides() -> None:
    desk = TransactionDesk(verify=False)
    producer = begin(desk, "tx", 0)
    assert desk.produce("tx", producer, 1, 0, b"x") == NONE
    assert desk.lso(1) == 0, "a hanging transaction"


def test_offsets_of_a_group_join_as_a_partition(desk: TransactionDesk) -> None:
    producer = begin(desk)
    request = AddOffsetsToTxnRequest(
        transactional_id="tx", producer_id=producer[0], producer_epoch=producer[1], group_id="g"
    )
    assert desk.site.ask(request, 3).error_code == NONE
    ((topic, index),) = desk.transaction("tx").partitions
    assert topic == OFFSETS
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.log(index, OFFSETS).log_end_offset == 1
    request.producer_epoch += 1
    assert [desk.site.ask(request, v).error_code for v in (1, 2)] == [INVALID_EPOCH, FENCED]


def test_brokers_verify_partitions_of_several_transactions(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 0)
    topics = [AddPartitionsToTxnTopic(name="t", partitions=[0, 1])]
    asked = [
        AddPartitionsToTxnTransaction(
            transactional_id=tid,
            producer_id=producer[0],
            producer_epoch=producer[1],
            verify_only=verify,
            topics=topics,
        )
        for tid, verify in (("tx", True), ("ty", True), ("tz", False))
    ]
    for version in (4, 5):
        answer = desk.site.ask(AddPartitionsToTxnRequest(transactions=asked), version)
        codes = [
            [p.partition_error_code for t in each.topic_results for p in t.results_by_partition]
            for each in answer.results_by_transaction
        ]
        assert codes == [[NONE, ABORTABLE], [BAD_MAPPING] * 2, [BAD_MAPPING] * 2]
    assert desk.site.ask(AddPartitionsToTxnRequest(), 4).results_by_transaction == []


def test_transactions_are_listed_and_described(desk: TransactionDesk) -> None:
    producer = begin(desk, "tx", 1, 0)
    begin(desk, "ty")
    (found,) = desk.site.ask(
        DescribeTransactionsRequest(transactional_ids=["tx"]), 0
    ).transaction_states
    assert (found.error_code, found.transaction_state, found.producer_id) == (
        0,
        "Ongoing",
        producer[0],
    )
    assert (found.transaction_timeout_ms, found.transaction_start_time_ms) == (60_000, desk.now)
    assert [(t.topic, t.partitions) for t in found.topics] == [("t", [0, 1])]
    asked = DescribeTransactionsRequest(transactional_ids=["tz", ""])
    codes = [s.error_code for s in desk.site.ask(asked, 0).transaction_states]
    assert codes == [NOT_FOUND, INVALID_REQUEST]

    def listed(version: int = 1, **filters: object) -> list[str]:
        answer = desk.site.ask(ListTransactionsRequest(**filters), version)  # type: ignore[arg-type]
        return sorted(s.transactional_id for s in answer.transaction_states)

    assert listed(0) == ["tx", "ty"]
    assert listed(state_filters=["Ongoing", "ongoing"]) == ["tx"]
    assert listed(state_filters=["odd"]) == []
    assert listed(producer_id_filters=[producer[0]]) == ["tx"]
    desk.site.now += 5000
    assert listed(duration_filter=5000, state_filters=["Ongoing"]) == []
    assert listed(duration_filter=4999, state_filters=["Ongoing"]) == ["tx"]
    answer = desk.site.ask(ListTransactionsRequest(state_filters=["odd"]), 0)
    assert answer.unknown_state_filters == ["odd"]


def test_a_hanging_transaction_is_found_and_aborted() -> None:
    desk = TransactionDesk(verify=False)
    producer = begin(desk, "tx", 0)
    assert desk.end("tx", producer, commit=True) == NONE
    assert desk.produce("tx", producer, 0, 0, b"late") == NONE
    assert desk.lso() == 1
    asked = DescribeProducersRequest(topics=[TopicRequest(name="t", partition_indexes=[0, 5])])
    found, unknown = desk.site.ask(asked, 0).topics[0].partitions
    assert unknown.error_code == UNKNOWN_TOPIC
    (state,) = found.active_producers
    assert (state.producer_id, state.current_txn_start_offset) == (producer[0], 1)
    marker = WritableTxnMarker(
        producer_id=state.producer_id,
        producer_epoch=state.producer_epoch,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(name="t", partition_indexes=[0, 9])],
        coordinator_epoch=state.coordinator_epoch,
    )
    answer = desk.site.ask(WriteTxnMarkersRequest(markers=[marker]), 1)
    (result,) = answer.markers
    assert [p.error_code for t in result.topics for p in t.partitions] == [NONE, UNKNOWN_TOPIC]
    assert (desk.lso(), desk.committed()) == (3, [])
    assert desk.site.ask(WriteTxnMarkersRequest(), 0).markers == []


def test_many_partitions_are_marked_a_hundred_at_a_time() -> None:
    desk = TransactionDesk(partitions=250)
    producer = begin(desk, "tx", *range(250))
    assert desk.end("tx", producer, commit=True) == NONE
    assert len(desk.transaction("tx").partitions) == 150
    desk.pass_time(0)
    assert desk.transaction("tx").state is TxnState.COMPLETE_COMMIT
    assert all(desk.log(n).log_end_offset == 1 for n in range(250))
