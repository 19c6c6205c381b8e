"""OffsetDelete (47), v0: delete offsets of a group (KIP-496)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.offsets import TopicPartition
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

Codes = dict["TopicPartition", ErrorCode]


def handle(context: Context, request: OffsetDeleteRequest) -> Answer:
    """Delete what nobody reads; a group that is no consumers' and has members refuses.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    places = [
        (topic.name, asked.partition_index)
        for topic in request.topics
        for asked in topic.partitions
    ]
    return shaped(context.services.offsets.delete(request.group_id, places), _response)


def _response(found: ErrorCode | Codes) -> OffsetDeleteResponse:
    if isinstance(found, ErrorCode):
        return OffsetDeleteResponse(error_code=found)
    topics: dict[str, list[OffsetDeleteResponsePartition]] = {}
    for (topic, index), code in found.items():
        topics.setdefault(topic, []).append(
            OffsetDeleteResponsePartition(partition_index=index, error_code=code)
        )
    return OffsetDeleteResponse(
        topics=[OffsetDeleteResponseTopic(name=n, partitions=p) for n, p in topics.items()]
    )
