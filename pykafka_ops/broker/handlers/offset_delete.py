"""OffsetDelete (47), v0: delete offsets of a group (KIP-496)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.group_calls import answer_with
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.state.groups.offsets import TopicPartition

Codes = dict["TopicPartition", ErrorCode]


def handle(context: Context, request: OffsetDeleteRequest) -> Answer:
    """Delete what nobody reads; a group that is no consumers' and has members refuses.

    Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    groups, image = context.services.groups, context.services.image
    slot = groups.slot_of(request.group_id)
    codes: Codes = {}
    places = []
    for topic in request.topics:
        known = image.topics.get(topic.name)
        for partition in topic.partitions:
            place = (topic.name, partition.partition_index)
            if known is None or partition.partition_index not in known.partitions:
                codes[place] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            else:
                places.append(place)
    ticket = Deferred()
    now = groups.now()
    groups.run(slot, slot.shard.delete_offsets(request.group_id, places, ticket, now))

    def shape(found: ErrorCode | Codes) -> OffsetDeleteResponse:
        if isinstance(found, ErrorCode):
            return OffsetDeleteResponse(error_code=found)
        return _response({**codes, **found})

    return answer_with(ticket, shape)


def _response(codes: Codes) -> OffsetDeleteResponse:
    topics: dict[str, list[OffsetDeleteResponsePartition]] = {}
    for (topic, index), code in codes.items():
        topics.setdefault(topic, []).append(
            OffsetDeleteResponsePartition(partition_index=index, error_code=code)
        )
    return OffsetDeleteResponse(
        topics=[OffsetDeleteResponseTopic(name=n, partitions=p) for n, p in topics.items()]
    )
