"""ListPartitionReassignments (46), v0: the partitions that are being moved (KIP-455)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.shaping import by_topic
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment
from pykafka_ops.wire.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)


async def handle(
    context: Context, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """Only the controller knows."""
    keys = None
    if request.topics is not None:
        keys = [
            (topic.name, index) for topic in request.topics for index in topic.partition_indexes
        ]
    moving = await context.services.topics.reassignments(keys)
    return ListPartitionReassignmentsResponse(
        error_message="",
        topics=[
            OngoingTopicReassignment(name=name, partitions=[_partition(*each) for each in found])
            for name, found in by_topic(moving).items()
        ],
    )


def _partition(index: int, assignment: ReplicaAssignment) -> OngoingPartitionReassignment:
    return OngoingPartitionReassignment(
        partition_index=index,
        replicas=list(assignment.replicas),
        adding_replicas=list(assignment.adding),
        removing_replicas=list(assignment.removing),
    )
