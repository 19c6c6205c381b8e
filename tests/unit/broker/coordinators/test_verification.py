"""The first write of a transaction whose coordinator is another broker waits for its word."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from pykafka_ops.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch

STATE, OFFSETS = "__transaction_state", "__consumer_offsets"
NONE = ErrorCode.NONE


class Coordinator:
    """The other broker: says ``code`` for each partition, or is away."""

    def __init__(self) -> None:
        self.code = NONE
        self.away = False
        self.asked: list[dict[str, list[int]]] = []

    async def __call__(self, broker: int, request: Any, version: int, answer: type[Any]) -> Any:
        assert (broker, version) == (OTHER, 5)
        assert isinstance(request, AddPartitionsToTxnRequest)
        (asked,) = request.transactions
        assert (asked.transactional_id, asked.producer_id, asked.verify_only) == ("tx", 5, True)
        self.asked.append({topic.name: topic.partitions for topic in asked.topics})
        if self.away:
            raise ConnectError("broker 1 hung up")
        topics = [
            AddPartitionsToTxnTopicResult(
                name=topic.name,
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(
                        partition_index=index, partition_error_code=self.code
                    )
                    for index in topic.partitions
                ],
            )
            for topic in asked.topics
        ]
        result = AddPartitionsToTxnResult(transactional_id="tx", topic_results=topics)
        return AddPartitionsToTxnResponse(results_by_transaction=[result])


@pytest.fixture
def coordinator() -> Coordinator:
    return Coordinator()


@pytest.fixture
def site(coordinator: Coordinator) -> Site:
    made = Site(ask=coordinator)
    made.logs.home.settings.verify_transactions = True
    made.topic("t", 2)
    made.update({STATE: dict.fromkeys(range(50), PartitionImage(OTHER, 0, (OTHER,), (OTHER,)))})
    return made


def records(sequence: int = 0, value: bytes = b"a") -> bytes:
    return batch(value, producer_id=5, producer_epoch=0, base_sequence=sequence, transactional=True)


def send(site: Site, *partitions: int, sequence: int = 0, version: int = 11) -> Any:
    """Produce in the transaction; what arrived in the request is overwritten when it returns."""
    data = [bytearray(records(sequence)) for _ in partitions]
    topic = TopicProduceData(
        name="t",
        partition_data=[
            PartitionProduceData(index=index, records=memoryview(each))
            for index, each in zip(partitions, data, strict=True)
        ],
    )
    request = ProduceRequest(transactional_id="tx", acks=-1, timeout_ms=1000, topic_data=[topic])
    return site.ask(request, version)


def codes(answer: Any) -> list[int]:
    return [each.error_code for each in answer.responses[0].partition_responses]


def end(site: Site, index: int = 0) -> int:
    partition = site.replicas.find("t", index)
    assert partition is not None
    return partition.log.log_end_offset


def test_it_is_appended_once_the_coordinator_has_confirmed(
    site: Site, coordinator: Coordinator
) -> None:
    later = send(site, 0, 1)
    assert isinstance(later, Later)
    assert not later.done
    assert (end(site, 0), end(site, 1)) == (0, 0)
    site.coordinators.load()
    assert codes(later.answer) == [NONE, NONE]
    assert coordinator.asked == [{"t": [0, 1]}]
    assert (end(site, 0), end(site, 1)) == (1, 1)
    assert codes(send(site, 0, 1, sequence=1)) == [NONE, NONE], "nobody is asked again"
    assert len(coordinator.asked) == 1


@pytest.mark.parametrize(
    ("said", "version", "shown"),
    [
        (ErrorCode.TRANSACTION_ABORTABLE, 11, ErrorCode.TRANSACTION_ABORTABLE),
        (ErrorCode.TRANSACTION_ABORTABLE, 10, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.INVALID_PRODUCER_ID_MAPPING, 11, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        (ErrorCode.PRODUCER_FENCED, 11, ErrorCode.INVALID_PRODUCER_EPOCH),
        (ErrorCode.NOT_COORDINATOR, 11, ErrorCode.NOT_ENOUGH_REPLICAS),
    ],
)
def test_what_the_coordinator_refuses_is_not_appended(
    site: Site, coordinator: Coordinator, said: ErrorCode, version: int, shown: ErrorCode
) -> None:
    coordinator.code = said
    later = send(site, 0, version=version)
    site.coordinators.load()
    assert codes(later.answer) == [shown]
    assert end(site) == 0


def test_while_the_coordinator_is_away_producers_try_again(
    site: Site, coordinator: Coordinator
) -> None:
    coordinator.away = True
    later = send(site, 0)
    site.coordinators.load()
    assert codes(later.answer) == [ErrorCode.NOT_ENOUGH_REPLICAS]
    coordinator.away = False
    later = send(site, 0)
    site.coordinators.load()
    assert codes(later.answer) == [NONE]
    assert end(site) == 1


def test_nothing_is_appended_for_a_producer_that_hung_up(
    site: Site, coordinator: Coordinator
) -> None:
    later = send(site, 0)
    later.deferred.abandon()
    site.coordinators.load()
    assert end(site) == 0


def test_who_leads_no_more_when_the_word_comes_says_so(site: Site) -> None:
    later = send(site, 0)
    site.replicas.drop("t", 0)
    site.coordinators.load()
    assert codes(later.answer) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]


def test_without_verification_nobody_is_asked(site: Site, coordinator: Coordinator) -> None:
    for index in (0, 1):
        partition = site.replicas.find("t", index)
        assert partition is not None
        partition.log.producers.verify = False
    assert codes(send(site, 0)) == [NONE]
    assert coordinator.asked == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [(NONE, NONE), (ErrorCode.NOT_COORDINATOR, ErrorCode.NOT_ENOUGH_REPLICAS)],
)
def test_offsets_of_a_group_wait_for_the_coordinator_too(
    site: Site, coordinator: Coordinator, said: ErrorCode, shown: ErrorCode
) -> None:
    coordinator.code = said
    site.coordinators.led(*site.topic(OFFSETS, 1))
    request = TxnOffsetCommitRequest(
        transactional_id="tx",
        group_id="g",
        producer_id=5,
        producer_epoch=0,
        topics=[
            TxnOffsetCommitRequestTopic(
                name="t",
                partitions=[TxnOffsetCommitRequestPartition(partition_index=0, committed_offset=3)],
            )
        ],
    )
    later = site.ask(request, 4)
    assert isinstance(later, Later)
    assert not later.done
    site.coordinators.load()
    assert later.answer.topics[0].partitions[0].error_code == shown
    assert coordinator.asked == [{OFFSETS: [0]}]


def test_where_the_coordinator_is_here_it_is_asked_at_once(
    site: Site, coordinator: Coordinator
) -> None:
    site.update({STATE: dict.fromkeys(range(50), PartitionImage(ME, 0, (ME,), (ME,)))})
    assert codes(send(site, 0)) == [ErrorCode.NOT_ENOUGH_REPLICAS], "its shard is not loaded"
    assert coordinator.asked == []
