"""AddPartitionsToTxn (24), v0-5: partitions join a transaction (KIP-98).

To v3 from producers, from v4 between brokers (KIP-890).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import by_topic, for_version
from pykafka_ops.broker.state.deferred import shaped
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
)

Codes = Mapping[TopicPartition, ErrorCode]

BETWEEN_BROKERS_FROM = 4


def handle(context: Context, request: AddPartitionsToTxnRequest) -> Answer:
    """Add (or verify) the partitions; errors stand at the partition."""
    version, transactions = context.version, context.services.transactions
    if version >= BETWEEN_BROKERS_FROM:
        asked = [
            (Identity(t.transactional_id, t.producer_id, t.producer_epoch), _pairs(t.topics),
             t.verify_only)
            for t in request.transactions
        ]  # fmt: skip
        several = transactions.for_brokers(asked)
        return shaped(several, lambda codes: _several(request, codes, version))
    topics = request.v3_and_below_topics
    who = Identity(
        request.v3_and_below_transactional_id,
        request.v3_and_below_producer_id,
        request.v3_and_below_producer_epoch,
    )
    one = transactions.add_all(who, _pairs(topics), by_client=True)
    return shaped(
        one,
        lambda codes: AddPartitionsToTxnResponse(
            results_by_topic_v3_and_below=_results(codes, version, topics)
        ),
    )


def _several(
    request: AddPartitionsToTxnRequest, codes: Iterable[Codes], version: int
) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResult(
                transactional_id=transaction.transactional_id,
                topic_results=_results(each, version),
            )
            for transaction, each in zip(request.transactions, codes, strict=True)
        ]
    )


def _pairs(topics: Iterable[AddPartitionsToTxnTopic]) -> list[TopicPartition]:
    return [(topic.name, index) for topic in topics for index in topic.partitions]


def _results(
    codes: Codes, version: int, topics: Iterable[AddPartitionsToTxnTopic] = ()
) -> list[AddPartitionsToTxnTopicResult]:
    """By topic; those of ``topics`` that have no partitions, too."""
    found = by_topic(codes)
    for topic in topics:
        found.setdefault(topic.name, [])
    return [
        AddPartitionsToTxnTopicResult(
            name=name,
            results_by_partition=[
                AddPartitionsToTxnPartitionResult(
                    partition_index=index,
                    partition_error_code=for_version(code, version, knows_fenced=2),
                )
                for index, code in results
            ],
        )
        for name, results in found.items()
    ]
