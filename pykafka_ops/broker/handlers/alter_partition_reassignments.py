"""AlterPartitionReassignments (45), v0: move replicas, or cancel moves (KIP-455)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.shaping import by_topic, code_and_text
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)


async def handle(
    context: Context, request: AlterPartitionReassignmentsRequest
) -> AlterPartitionReassignmentsResponse:
    """Only the controller does it."""
    wanted = {
        (topic.name, each.partition_index): each.replicas
        for topic in request.topics
        for each in topic.partitions
    }
    results = await context.services.topics.reassign(wanted)
    return AlterPartitionReassignmentsResponse(
        responses=[
            ReassignableTopicResponse(name=name, partitions=[_partition(*each) for each in found])
            for name, found in by_topic(results).items()
        ]
    )


def _partition(index: int, error: KafkaError | None) -> ReassignablePartitionResponse:
    code, text = code_and_text(error)
    return ReassignablePartitionResponse(partition_index=index, error_code=code, error_message=text)
