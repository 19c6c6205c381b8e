"""OffsetFetch (9), v0-9: read the offsets of groups.

v0 reads those in the metadata store. v2 can ask for all of a group's and has an error for the
group, v5 brought leader epochs, v6 flexible headers, v7 offsets that no open transaction may
change (KIP-447), v8 several groups (KIP-709).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.group_calls import by_topic
from pykafka_ops.broker.services import consumer_offsets
from pykafka_ops.broker.state.groups.offsets import GroupOffsets
from pykafka_ops.broker.state.groups.records import Committed
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context

SEVERAL_FROM = 8
GROUP_ERROR_FROM = 2
NO_OFFSET = Committed(-1)
NOTHING = GroupOffsets()

Asked = dict[str, list[int]]
Found = list[tuple[str, list[tuple[int, Committed, int]]]]
"""By topic: partition, its offset, error code."""


def handle(context: Context, request: OffsetFetchRequest) -> Answer:
    """The committed offsets; -1 where there is none."""
    if context.version >= SEVERAL_FROM:
        return OffsetFetchResponse(groups=[_group(context, request, g) for g in request.groups])
    asked = None if request.topics is None else _merged(request.topics)
    if context.version == 0:
        return _stored(context, request.group_id, asked or {})
    found = _read(context, request.group_id, asked, request.require_stable)
    return OffsetFetchResponse(topics=[_topic(name, places) for name, places in found])


def _merged(
    topics: Iterable[OffsetFetchRequestTopic | OffsetFetchRequestTopics],
) -> Asked:
    """Each partition once, as Kafka answers them."""
    asked: dict[str, dict[int, None]] = {}
    for topic in topics:
        if topic.partition_indexes:
            asked.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
    return {name: list(indexes) for name, indexes in asked.items()}


def _read(context: Context, group_id: str, asked: Asked | None, stable: bool) -> Found:
    """Raises KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS."""
    slot = context.services.groups.slot_of(group_id, may_be_empty=True)
    offsets = slot.shard.offsets.get(group_id, NOTHING)
    if asked is None:
        asked = by_topic(list(offsets.committed))
    return [
        (name, [_place(offsets, (name, index), stable) for index in indexes])
        for name, indexes in asked.items()
    ]


def _place(
    offsets: GroupOffsets, place: tuple[str, int], stable: bool
) -> tuple[int, Committed, int]:
    if stable and offsets.unstable(place):
        return place[1], NO_OFFSET, ErrorCode.UNSTABLE_OFFSET_COMMIT
    return place[1], offsets.committed.get(place, NO_OFFSET), ErrorCode.NONE


def _topic(name: str, places: Iterable[tuple[int, Committed, int]]) -> OffsetFetchResponseTopic:
    return OffsetFetchResponseTopic(
        name=name,
        partitions=[
            OffsetFetchResponsePartition(
                partition_index=index,
                committed_offset=value.offset,
                committed_leader_epoch=value.leader_epoch,
                metadata=value.metadata,
                error_code=code,
            )
            for index, value, code in places
        ],
    )


def _group(
    context: Context, request: OffsetFetchRequest, asked: OffsetFetchRequestGroup
) -> OffsetFetchResponseGroup:
    response = OffsetFetchResponseGroup(group_id=asked.group_id)
    wanted = None if asked.topics is None else _merged(asked.topics)
    try:
        found = _read(context, asked.group_id, wanted, request.require_stable)
    except KafkaError as error:
        response.error_code = error.code
        return response
    for name, places in found:
        partitions = [
            OffsetFetchResponsePartitions(
                partition_index=index,
                committed_offset=value.offset,
                committed_leader_epoch=value.leader_epoch,
                metadata=value.metadata,
                error_code=code,
            )
            for index, value, code in places
        ]
        response.topics.append(OffsetFetchResponseTopics(name=name, partitions=partitions))
    return response


async def _stored(context: Context, group_id: str, asked: Asked) -> OffsetFetchResponse:
    """What consumers of old keep; UNKNOWN_TOPIC_OR_PARTITION where there is none."""
    services = context.services
    response = OffsetFetchResponse()
    for topic, indexes in asked.items():
        places = []
        for index in indexes:
            offset = None
            if topic in services.image.topics:
                offset = await consumer_offsets.read(services.store, (group_id, topic, index))
            code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if offset is None else ErrorCode.NONE
            places.append((index, NO_OFFSET if offset is None else Committed(offset), code))
        response.topics.append(_topic(topic, places))
    return response


def failed(
    request: OffsetFetchRequest | None, version: int, error: KafkaError
) -> OffsetFetchResponse:
    """The group's error; before v2 every partition has it."""
    if version >= SEVERAL_FROM:
        groups = request.groups if request else ()
        return OffsetFetchResponse(
            groups=[
                OffsetFetchResponseGroup(group_id=g.group_id, error_code=error.code) for g in groups
            ]
        )
    if version >= GROUP_ERROR_FROM:
        return OffsetFetchResponse(error_code=error.code)
    topics = (request.topics if request else None) or ()
    return OffsetFetchResponse(
        topics=[
            _topic(t.name, [(n, NO_OFFSET, error.code) for n in t.partition_indexes])
            for t in topics
        ]
    )
