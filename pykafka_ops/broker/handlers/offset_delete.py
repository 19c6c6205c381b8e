"""OffsetDelete (47), v0: delete offsets of a group (KIP-496)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import by_topic
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.offsets import TopicPartition
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from pykafka_ops.wire.shared import PartitionCode, TopicCodes

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
    return OffsetDeleteResponse(
        topics=[
            TopicCodes(
                name=name,
                partitions=[PartitionCode(partition_index=i, error_code=code) for i, code in codes],
            )
            for name, codes in by_topic(found).items()
        ]
    )
