"""Transactions from their coordinators, producers from the partition leaders.

Source: KIP-664 (KafkaAdminClient.listTransactions, describeProducers, abortTransaction).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pykafka_ops.client.answers import by_topic, error_of
from pykafka_ops.client.cluster import Cluster, Question
from pykafka_ops.client.coordinators import TRANSACTION, ask_coordinators
from pykafka_ops.client.coordinators import Answers as KeyAnswers
from pykafka_ops.client.leaders import Answers, Partition, ask_leaders
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.messages import describe_producers as dp
from pykafka_ops.wire.messages import describe_transactions as dtx
from pykafka_ops.wire.messages import init_producer_id as ipi
from pykafka_ops.wire.messages import list_transactions as lt
from pykafka_ops.wire.messages import write_txn_markers as wtm


class Listed(NamedTuple):
    """A transactional id, its producer id, the state of its transaction, its coordinator."""

    transactional_id: str
    producer_id: int
    state: str
    coordinator: int


class TransactionDescription(NamedTuple):
    """A transactional id in full; times in ms, ``start`` -1 where no transaction is under way."""

    coordinator: int
    producer_id: int
    producer_epoch: int
    state: str
    timeout: int
    start: int
    partitions: tuple[Partition, ...]


class ActiveProducer(NamedTuple):
    """A producer that wrote to a partition; ``start`` is the first offset of its open transaction
    (-1: none), ``coordinator_epoch`` -1 where no transaction of it has ended."""

    id: int
    epoch: int
    coordinator_epoch: int
    last_sequence: int
    last_timestamp: int
    start: int


def list_transactions(
    cluster: Cluster,
    *,
    producer_ids: Sequence[int] = (),
    duration_ms: int = -1,
    states: Sequence[str] = (),
    pattern: str | None = None,
) -> tuple[list[Listed], dict[int, PkoError]]:
    """The transactions all brokers coordinate, and the brokers that did not answer.

    ``duration_ms``: only those that run for longer (brokers from 3.8 on, KIP-994); ``states``: only
    those in one of them; ``pattern``: only those whose ids match this RE2 expression as a whole
    (brokers from 4.1 on, KIP-1152).
    """
    request = lt.ListTransactionsRequest(
        state_filters=list(states),
        producer_id_filters=list(producer_ids),
        duration_filter=duration_ms,
        transactional_id_pattern=pattern,
    )
    name, lowest = "listTransactions", 2 if pattern else int(duration_ms >= 0)
    answers, failed = cluster.call_all(
        request, lt.ListTransactionsResponse, name=name, lowest=lowest
    )
    found = [
        Listed(t.transactional_id, t.producer_id, t.transaction_state, broker)
        for broker, answer in answers.items()
        for t in answer.transaction_states
    ]
    return found, failed


def describe_transactions(
    cluster: Cluster, ids: Iterable[str]
) -> dict[str, TransactionDescription | PkoError]:
    """Each transactional id, or the PkoError that stands for it."""
    nodes: dict[str, int] = {}

    def ask(node: int, keys: list[str]) -> Question:
        nodes.update(dict.fromkeys(keys, node))
        request = dtx.DescribeTransactionsRequest(transactional_ids=keys)
        return Question(node, request, dtx.DescribeTransactionsResponse)

    def read(answer: dtx.DescribeTransactionsResponse) -> KeyAnswers[TransactionDescription]:
        for t in answer.transaction_states:
            found = TransactionDescription(
                nodes[t.transactional_id],
                t.producer_id,
                t.producer_epoch,
                t.transaction_state,
                t.transaction_timeout_ms,
                t.transaction_start_time_ms,
                tuple((topic.topic, p) for topic in t.topics for p in topic.partitions),
            )
            yield t.transactional_id, error_of(t), found

    return ask_coordinators(cluster, ids, ask, read, kind=TRANSACTION, name="describeTransactions")


def describe_producers(
    cluster: Cluster, partitions: Iterable[Partition], broker: int | None = None
) -> dict[Partition, list[ActiveProducer] | PkoError]:
    """The active producers of each partition, by its leader or as replica ``broker`` has them."""
    wanted = list(dict.fromkeys(partitions))

    def ask(node: int, part: dict[Partition, None]) -> Question:
        request = dp.DescribeProducersRequest(
            topics=[dp.TopicRequest(name=t, partition_indexes=p) for t, p in by_topic(part).items()]
        )
        return Question(node, request, dp.DescribeProducersResponse)

    if broker is None:
        return ask_leaders(
            cluster, dict.fromkeys(wanted), ask, _read_producers, name="describeProducers"
        )
    cluster.brokers("describeProducers")
    (answer,) = cluster.call_each([ask(broker, dict.fromkeys(wanted))], name="describeProducers")
    if isinstance(answer, PkoError):
        return dict.fromkeys(wanted, answer)
    return {p: error or value for p, error, value in _read_producers(answer)}


def _read_producers(answer: dp.DescribeProducersResponse) -> Answers[list[ActiveProducer]]:
    for topic in answer.topics:
        for p in topic.partitions:
            found = [
                ActiveProducer(
                    s.producer_id,
                    s.producer_epoch,
                    s.coordinator_epoch,
                    s.last_sequence,
                    s.last_timestamp,
                    s.current_txn_start_offset,
                )
                for s in p.active_producers
            ]
            yield (topic.name, p.partition_index), error_of(p), found


def abort_on(
    cluster: Cluster, partition: Partition, producer_id: int, epoch: int, coordinator_epoch: int
) -> None:
    """Write an abort marker into one partition, whatever the coordinator knows. Raises PkoError."""
    topic, index = partition
    marker = wtm.WritableTxnMarker(
        producer_id=producer_id,
        producer_epoch=epoch,
        transaction_result=False,
        topics=[wtm.WritableTxnMarkerTopic(name=topic, partition_indexes=[index])],
        coordinator_epoch=coordinator_epoch,
    )

    def ask(node: int, part: dict[Partition, None]) -> Question:
        return Question(
            node, wtm.WriteTxnMarkersRequest(markers=[marker]), wtm.WriteTxnMarkersResponse
        )

    def read(answer: wtm.WriteTxnMarkersResponse) -> Answers[None]:
        for m in answer.markers:
            for t in m.topics:
                for p in t.partitions:
                    yield (t.name, p.partition_index), error_of(p), None

    found = ask_leaders(cluster, {partition: None}, ask, read, name="abortTransaction")
    error = found[partition]
    if isinstance(error, PkoError):
        raise error


def terminate(cluster: Cluster, transactional_id: str) -> None:
    """End the transaction of an id by taking its epoch away from its producer. Raises PkoError.

    Source: KafkaAdminClient.fenceProducers, as ``kafka-transactions.sh forceTerminateTransaction``.
    """

    def ask(node: int, keys: list[str]) -> Question:
        request = ipi.InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=1,
            producer_id=-1, producer_epoch=-1,
        )  # fmt: skip
        return Question(node, request, ipi.InitProducerIdResponse)

    def read(answer: ipi.InitProducerIdResponse) -> KeyAnswers[None]:
        yield transactional_id, error_of(answer), None

    found = ask_coordinators(
        cluster, [transactional_id], ask, read, kind=TRANSACTION, name="fenceProducer"
    )
    error = found[transactional_id]
    if isinstance(error, PkoError):
        raise error
