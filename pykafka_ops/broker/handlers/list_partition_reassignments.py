"""ListPartitionReassignments (46), v0: the partitions that are being moved (KIP-455)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


def handle(context: Context, request: ListPartitionReassignmentsRequest) -> Answer:
    """Only the controller knows."""
    context.services.topics.require_controller(ErrorCode.NOT_CONTROLLER.text)
    return _list(context, request)


async def _list(
    context: Context, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    keys = None
    if request.topics is not None:
        keys = [
            (topic.name, index) for topic in request.topics for index in topic.partition_indexes
        ]
    moving = await context.services.topics.reassignments(keys)
    topics: dict[str, OngoingTopicReassignment] = {}
    for (name, index), assignment in moving.items():
        topic = topics.setdefault(name, OngoingTopicReassignment(name=name))
        topic.partitions.append(
            OngoingPartitionReassignment(
                partition_index=index,
                replicas=list(assignment.replicas),
                adding_replicas=list(assignment.adding),
                removing_replicas=list(assignment.removing),
            )
        )
    return ListPartitionReassignmentsResponse(error_message="", topics=list(topics.values()))
