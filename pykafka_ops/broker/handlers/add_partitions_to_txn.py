"""AddPartitionsToTxn (24), v0-5: partitions join a transaction (KIP-98).

To v3 from producers: v2 brought PRODUCER_FENCED, v3 flexible headers. From v4 between brokers,
for several transactions, and able to verify only (KIP-890); v5 brought TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.transactional import answer_of, for_version, reply_with
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.names import is_internal
from pykafka_ops.broker.state.transactions.shard import Identity
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.state.transactions.metadata import TopicPartition

Codes = dict["TopicPartition", ErrorCode]


def handle(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Add (or verify) the partitions; errors stand at the partition."""
    if context.version >= 4:
        return _for_brokers(context, request)
    topics = request.v3_and_below_topics
    who = Identity(
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
    )
    added = _add(context, who, topics)
    if not isinstance(added, Deferred):
        return _to_producer(topics, added)
    if added.done:
        return _to_producer(topics, added.answer)
    answer = Deferred()
    answer.on_abandon = added.abandon
    added.then(lambda codes: _resolve(answer, topics, codes))
    return answer


def _resolve(answer: Deferred, topics: list[AddPartitionsToTxnTopic], codes: object) -> None:
    answer.resolve(_to_producer(topics, codes))


def _to_producer(
    topics: list[AddPartitionsToTxnTopic], codes: object
) -> AddPartitionsToTxnResponse:
    """Every topic that was asked for, also one without partitions."""
    assert isinstance(codes, dict)
    found = _results(codes)
    told = {result.name for result in found}
    found += (AddPartitionsToTxnTopicResult(name=t.name) for t in topics if t.name not in told)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=found)


def _for_brokers(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Every transaction on its own; answered when the last of them is decided."""
    response = AddPartitionsToTxnResponse()
    waiting = 0
    answer = Deferred()

    def put(result: AddPartitionsToTxnResult, codes: object) -> None:
        nonlocal waiting
        assert isinstance(codes, dict)
        result.topic_results = _results(codes)
        waiting -= 1
        if not waiting:
            answer.resolve(response)

    waiting = len(request.transactions)
    for transaction in request.transactions:
        result = AddPartitionsToTxnResult(transactional_id=transaction.transactional_id)
        response.results_by_transaction.append(result)
        found = _one(context, transaction)
        if isinstance(found, Deferred):
            found.then(partial(put, result))
        else:
            put(result, found)
    if not request.transactions or answer.done:
        return response
    return answer


def _one(context: Context, transaction: AddPartitionsToTxnTransaction) -> Codes | Deferred:
    who = Identity(
        transaction.transactional_id, transaction.producer_id, transaction.producer_epoch
    )
    if not transaction.verify_only:
        return _add(context, who, transaction.topics)
    verify = context.services.transactions.verify
    partitions = list(_pairs(transaction.topics))
    return _refused(context, partitions) or {p: verify(who, p) for p in partitions}


def _add(
    context: Context, who: Identity, topics: Iterable[AddPartitionsToTxnTopic]
) -> Codes | Deferred:
    """All partitions or none: one that may not join keeps the others out."""
    partitions = list(_pairs(topics))
    refused = _refused(context, partitions)
    if refused:
        return refused
    if not who.transactional_id:
        return dict.fromkeys(partitions, ErrorCode.INVALID_REQUEST)
    version = context.version
    reply = reply_with(
        lambda code, _: dict.fromkeys(partitions, for_version(code, version, knows_fenced=2))
    )
    try:
        context.services.transactions.add(who, partitions, reply)
    except KafkaError as error:
        return dict.fromkeys(partitions, ErrorCode.of(error.code))
    found = answer_of(reply)
    assert isinstance(found, (dict, Deferred))
    return found


def _refused(context: Context, partitions: list[TopicPartition]) -> Codes:
    """One that may not join keeps the others out; empty if all may."""
    refused = {p: code for p in partitions if (code := _refusal(context, p)) is not None}
    if not refused:
        return refused
    return {p: refused.get(p, ErrorCode.OPERATION_NOT_ATTEMPTED) for p in partitions}


def _refusal(context: Context, partition: TopicPartition) -> ErrorCode | None:
    """Why a partition may not join; clients have no business with internal topics."""
    topic, index = partition
    if context.version < 4 and is_internal(topic):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    if context.services.image.partition(topic, index) is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return None


def _pairs(topics: Iterable[AddPartitionsToTxnTopic]) -> Iterable[TopicPartition]:
    return ((topic.name, index) for topic in topics for index in topic.partitions)


def _results(codes: Codes) -> list[AddPartitionsToTxnTopicResult]:
    by_topic: dict[str, AddPartitionsToTxnTopicResult] = {}
    for (topic, index), code in codes.items():
        result = by_topic.get(topic)
        if result is None:
            result = by_topic[topic] = AddPartitionsToTxnTopicResult(name=topic)
        result.results_by_partition.append(
            AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)
        )
    return list(by_topic.values())


def failed(
    request: AddPartitionsToTxnRequest | None, version: int, error: KafkaError
) -> AddPartitionsToTxnResponse:
    """The error at the top from v4, before at every partition."""
    if version >= 4 or request is None:
        return AddPartitionsToTxnResponse(error_code=error.code)
    code = ErrorCode.of(error.code)
    codes = dict.fromkeys(_pairs(request.v3_and_below_topics), code)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(codes))
