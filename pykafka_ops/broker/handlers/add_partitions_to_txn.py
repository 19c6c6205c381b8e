"""AddPartitionsToTxn (24), v0-5: partitions join a transaction (KIP-98).

To v3 from producers: v2 brought PRODUCER_FENCED, v3 flexible headers. From v4 between brokers,
for several transactions, and able to verify only (KIP-890); v5 brought TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.transactional import for_version
from pykafka_ops.broker.state.deferred import all_of, shaped
from pykafka_ops.broker.state.transactions.metadata import TopicPartition
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

Codes = Mapping["TopicPartition", ErrorCode]

BETWEEN_BROKERS_FROM = 4


def handle(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Add (or verify) the partitions; errors stand at the partition."""
    if context.version >= BETWEEN_BROKERS_FROM:
        return _for_brokers(context, request)
    topics = request.v3_and_below_topics
    who = Identity(
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
    )
    codes = context.services.transactions.add_all(who, list(_pairs(topics)), by_client=True)
    return shaped(codes, lambda codes: _to_producer(topics, codes, context.version))


def _to_producer(
    topics: list[AddPartitionsToTxnTopic], codes: Codes, version: int
) -> AddPartitionsToTxnResponse:
    """Every topic that was asked for, also one without partitions."""
    found = _results(codes, version)
    told = {result.name for result in found}
    found += (AddPartitionsToTxnTopicResult(name=t.name) for t in topics if t.name not in told)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=found)


def _for_brokers(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Every transaction on its own; answered when the last of them is decided."""

    def response(codes: list[Codes]) -> AddPartitionsToTxnResponse:
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transactional_id=transaction.transactional_id,
                    topic_results=_results(each, context.version),
                )
                for transaction, each in zip(request.transactions, codes, strict=True)
            ]
        )

    return shaped(all_of([_one(context, each) for each in request.transactions]), response)


def _one(context: Context, transaction: AddPartitionsToTxnTransaction) -> object:
    who = Identity(
        transaction.transactional_id, transaction.producer_id, transaction.producer_epoch
    )
    transactions = context.services.transactions
    ask = transactions.verify_all if transaction.verify_only else transactions.add_all
    return ask(who, list(_pairs(transaction.topics)), by_client=False)


def _pairs(topics: Iterable[AddPartitionsToTxnTopic]) -> Iterable[TopicPartition]:
    return ((topic.name, index) for topic in topics for index in topic.partitions)


def _results(codes: Codes, version: int) -> list[AddPartitionsToTxnTopicResult]:
    by_topic: dict[str, AddPartitionsToTxnTopicResult] = {}
    for (topic, index), code in codes.items():
        result = by_topic.setdefault(topic, AddPartitionsToTxnTopicResult(name=topic))
        result.results_by_partition.append(
            AddPartitionsToTxnPartitionResult(
                partition_index=index,
                partition_error_code=for_version(code, version, knows_fenced=2),
            )
        )
    return list(by_topic.values())


def failed(
    request: AddPartitionsToTxnRequest | None, version: int, error: KafkaError
) -> AddPartitionsToTxnResponse:
    """The error at the top from v4, before at every partition."""
    if version >= BETWEEN_BROKERS_FROM or request is None:
        return AddPartitionsToTxnResponse(error_code=error.code)
    code = ErrorCode.of(error.code)
    codes = dict.fromkeys(_pairs(request.v3_and_below_topics), code)
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(codes, version))
