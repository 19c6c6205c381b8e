"""AddPartitionsToTxn: from producers partitions of topics that they may write; the rest is between
brokers. One partition that cannot be added keeps all out."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Need, Served, refused
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)

_BETWEEN_BROKERS_FROM: Final = 4
_BROKER: Final = Need(Operation.CLUSTER_ACTION)
_ID: Final = Need(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, "v3_and_below_transactional_id")


def guard(context: Context, request: AddPartitionsToTxnRequest, served: Served) -> Answer:
    """An error at every partition if the client has no right to one. Raises KafkaError."""
    if context.version >= _BETWEEN_BROKERS_FROM:
        _BROKER.require(context, request)
        return served.handle(context, request)
    _ID.require(context, request)
    topics = [topic.name for topic in request.v3_and_below_topics]
    hidden = refused(context, Operation.WRITE, ResourceType.TOPIC, topics)
    if not hidden:
        return served.handle(context, request)

    def code(topic: str, index: int) -> ErrorCode:
        if topic in hidden:
            return ErrorCode.TOPIC_AUTHORIZATION_FAILED
        known = context.services.image.partition(topic, index) is not None
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ErrorCode.OPERATION_NOT_ATTEMPTED if known else unknown

    return AddPartitionsToTxnResponse(
        results_by_topic_v3_and_below=[
            AddPartitionsToTxnTopicResult(
                name=topic.name,
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(
                        partition_index=index, partition_error_code=code(topic.name, index)
                    )
                    for index in topic.partitions
                ],
            )
            for topic in request.v3_and_below_topics
        ]
    )
