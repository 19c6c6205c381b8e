"""AlterPartitionReassignments (45), v0: move replicas, or cancel moves (KIP-455)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


def handle(context: Context, request: AlterPartitionReassignmentsRequest) -> Answer:
    """Only the controller does it."""
    context.services.topics.require_controller(ErrorCode.NOT_CONTROLLER.text)
    return _alter(context, request)


async def _alter(
    context: Context, request: AlterPartitionReassignmentsRequest
) -> AlterPartitionReassignmentsResponse:
    wanted = {
        (topic.name, each.partition_index): each.replicas
        for topic in request.topics
        for each in topic.partitions
    }
    results = await context.services.topics.reassign(wanted)
    topics: dict[str, ReassignableTopicResponse] = {}
    for (name, index), error in results.items():
        topic = topics.setdefault(name, ReassignableTopicResponse(name=name))
        topic.partitions.append(
            ReassignablePartitionResponse(
                partition_index=index,
                error_code=ErrorCode.NONE if error is None else error.code,
                error_message=None if error is None else error.message or None,
            )
        )
    return AlterPartitionReassignmentsResponse(responses=list(topics.values()))


def failed(
    request: AlterPartitionReassignmentsRequest | None, version: int, error: KafkaError
) -> AlterPartitionReassignmentsResponse:
    """The error stands for all partitions."""
    return AlterPartitionReassignmentsResponse(
        error_code=error.code, error_message=error.message or None
    )
