"""Transactions whose partitions or coordinators are other brokers'."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from pykafka_ops.broker.coordinators.elsewhere import RemoteMarkers, confirm
from pykafka_ops.broker.coordinators.markers import TxnMarker
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarkerResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from pykafka_ops.wire.shared import PartitionCode, TopicCodes


class Leader:
    """Another broker: answers ``codes`` for these partitions, else NONE; may be away."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.codes: dict[tuple[str, int], ErrorCode] = {}
        self.away = False
        self.silent_about: set[tuple[str, int]] = set()

    async def __call__(self, broker: int, request: Any, version: int, answer: type[Any]) -> Any:
        assert broker == 7
        self.asked.append(request)
        await asyncio.sleep(0)
        if self.away:
            raise ConnectError("broker 7 hung up")
        if isinstance(request, WriteTxnMarkersRequest):
            assert version == 1
            return self._written(request)
        assert version == 5
        return self._confirmed(request)

    def _written(self, request: WriteTxnMarkersRequest) -> WriteTxnMarkersResponse:
        return WriteTxnMarkersResponse(
            markers=[
                WritableTxnMarkerResult(
                    producer_id=marker.producer_id,
                    topics=[
                        TopicCodes(
                            name=topic.name,
                            partitions=[
                                PartitionCode(
                                    partition_index=i, error_code=self.codes.get((topic.name, i), 0)
                                )
                                for i in topic.partition_indexes
                                if (topic.name, i) not in self.silent_about
                            ],
                        )
                        for topic in marker.topics
                    ],
                )
                for marker in request.markers
            ]
        )

    def _confirmed(self, request: AddPartitionsToTxnRequest) -> AddPartitionsToTxnResponse:
        (transaction,) = request.transactions
        assert transaction.verify_only
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transactional_id=transaction.transactional_id,
                    topic_results=[
                        AddPartitionsToTxnTopicResult(
                            name=topic.name,
                            results_by_partition=[
                                AddPartitionsToTxnPartitionResult(
                                    partition_index=i,
                                    partition_error_code=self.codes.get((topic.name, i), 0),
                                )
                                for i in topic.partitions
                            ],
                        )
                        for topic in transaction.topics
                    ],
                )
            ]
        )


@pytest.fixture
def leader() -> Leader:
    return Leader()


def write(leader: Leader, *wanted: tuple[TxnMarker, tuple[str, int]]) -> list[ErrorCode | None]:
    """Have markers written; the outcomes in the order they were asked for."""

    async def body() -> list[ErrorCode | None]:
        tasks: list[asyncio.Task[None]] = []
        markers = RemoteMarkers(7, leader, lambda work: tasks.append(asyncio.create_task(work)))
        codes: list[ErrorCode | None] = [None] * len(wanted)
        for number, (marker, partition) in enumerate(wanted):
            markers.write(marker, partition, partial(codes.__setitem__, number))
        await asyncio.gather(*tasks)
        return codes

    return asyncio.run(body())


def test_markers_that_come_together_go_together(leader: Leader) -> None:
    one, two = TxnMarker(1, 0, 5, True), TxnMarker(2, 3, 5, False)
    leader.codes["b", 0] = ErrorCode.NOT_LEADER_OR_FOLLOWER
    codes = write(leader, (one, ("a", 0)), (one, ("a", 1)), (two, ("b", 0)))
    assert codes == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER]
    (request,) = leader.asked
    first, second = request.markers
    assert (first.producer_id, first.producer_epoch, first.transaction_result) == (1, 0, True)
    assert (first.topics[0].name, first.topics[0].partition_indexes) == ("a", [0, 1])
    assert (second.producer_epoch, second.coordinator_epoch) == (3, 5)
    assert not second.transaction_result


def test_two_markers_of_one_producer_are_not_mistaken_for_each_other(leader: Leader) -> None:
    old, new = TxnMarker(1, 0, 5, True), TxnMarker(1, 1, 5, False)
    assert write(leader, (old, ("a", 0)), (new, ("a", 0))) == [ErrorCode.NONE, ErrorCode.NONE]
    assert [r.markers[0].producer_epoch for r in leader.asked] == [0, 1]


def test_a_leader_that_is_away_or_silent_is_to_be_asked_again(leader: Leader) -> None:
    marker = TxnMarker(1, 0, 5, True)
    leader.silent_about.add(("a", 1))
    found = write(leader, (marker, ("a", 0)), (marker, ("a", 1)))
    assert found == [ErrorCode.NONE, ErrorCode.UNKNOWN_SERVER_ERROR]
    leader.away = True
    assert write(leader, (marker, ("a", 0))) == [ErrorCode.REQUEST_TIMED_OUT]


def test_the_coordinator_confirms_each_partition(leader: Leader) -> None:
    who = Identity("tx", 4, 1)
    keys = [("a", 0), ("a", 2), ("b", 0)]
    leader.codes["a", 2] = ErrorCode.TRANSACTION_ABORTABLE
    codes = asyncio.run(confirm(leader, 7, who, keys))
    assert codes == {
        ("a", 0): ErrorCode.NONE,
        ("a", 2): ErrorCode.TRANSACTION_ABORTABLE,
        ("b", 0): ErrorCode.NONE,
    }
    asked = leader.asked[0].transactions[0]
    assert (asked.transactional_id, asked.producer_id, asked.producer_epoch) == ("tx", 4, 1)
    leader.away = True
    codes = asyncio.run(confirm(leader, 7, who, keys))
    assert set(codes.values()) == {ErrorCode.NETWORK_EXCEPTION}
