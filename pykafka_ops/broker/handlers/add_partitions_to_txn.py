"""AddPartitionsToTxn (24), v0-5: partitions join a transaction (KIP-98).

To v3 from producers, from v4 between brokers (KIP-890).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import by_topic, for_version
from pykafka_ops.broker.state.deferred import all_of, shaped
from pykafka_ops.broker.state.transactions.asking import Identity
from pykafka_ops.broker.state.transactions.metadata import TopicPartition
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

Codes = Mapping[TopicPartition, ErrorCode]

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

    def response(codes: Codes) -> AddPartitionsToTxnResponse:
        found = by_topic(codes)
        told = {topic.name: found.get(topic.name, []) for topic in topics}  # also without any
        return AddPartitionsToTxnResponse(
            results_by_topic_v3_and_below=_results(found | told, context.version)
        )

    codes = context.services.transactions.add_all(who, _pairs(topics), by_client=True)
    return shaped(codes, response)


def _for_brokers(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Every transaction on its own; answered when the last of them is decided."""

    def response(codes: list[Codes]) -> AddPartitionsToTxnResponse:
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transactional_id=transaction.transactional_id,
                    topic_results=_results(by_topic(each), context.version),
                )
                for transaction, each in zip(request.transactions, codes, strict=True)
            ]
        )

    return shaped(all_of([_one(context, each) for each in request.transactions]), response)


def _one(context: Context, asked: AddPartitionsToTxnTransaction) -> object:
    who = Identity(asked.transactional_id, asked.producer_id, asked.producer_epoch)
    transactions = context.services.transactions
    ask = transactions.verify_all if asked.verify_only else transactions.add_all
    return ask(who, _pairs(asked.topics))


def _pairs(topics: Iterable[AddPartitionsToTxnTopic]) -> list[TopicPartition]:
    return [(topic.name, index) for topic in topics for index in topic.partitions]


def _results(
    codes: Mapping[str, list[tuple[int, ErrorCode]]], version: int
) -> list[AddPartitionsToTxnTopicResult]:
    return [
        AddPartitionsToTxnTopicResult(
            name=topic,
            results_by_partition=[
                AddPartitionsToTxnPartitionResult(
                    partition_index=index,
                    partition_error_code=for_version(code, version, knows_fenced=2),
                )
                for index, code in found
            ],
        )
        for topic, found in codes.items()
    ]
