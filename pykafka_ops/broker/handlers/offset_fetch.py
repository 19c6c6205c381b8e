"""OffsetFetch (9), v0-9: read the offsets of groups.

v0 reads those in the metadata store. v2 can ask for all of a group's and has an error for the
group, v5 brought leader epochs, v6 flexible headers, v7 offsets that no open transaction may
change (KIP-447), v8 several groups (KIP-709).
"""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.broker.coordinators.offsets import NO_OFFSET
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
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

SEVERAL_FROM = 8
GROUP_ERROR_FROM = 2

Asked = dict[str, list[int]]


def handle(context: Context, request: OffsetFetchRequest) -> Answer:
    """The committed offsets; -1 where there is none."""
    if context.version >= SEVERAL_FROM:
        return OffsetFetchResponse(groups=[_group(context, request, g) for g in request.groups])
    asked = None if request.topics is None else _merged(request.topics)
    if context.version == 0:
        return _stored(context, request.group_id, asked or {})
    stable = request.require_stable
    found = context.services.offsets.fetch(request.group_id, asked, stable=stable)
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


def _topic(
    name: str, places: Iterable[tuple[int, OffsetAndMetadata, int]]
) -> OffsetFetchResponseTopic:
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
        stable = request.require_stable
        found = context.services.offsets.fetch(asked.group_id, wanted, stable=stable)
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
    found = await context.services.consumer_offsets.fetch(group_id, asked)
    missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return OffsetFetchResponse(
        topics=[
            _topic(
                topic,
                [
                    (n, NO_OFFSET, missing) if offset is None else (n, OffsetAndMetadata(offset), 0)
                    for n, offset in zip(asked[topic], offsets, strict=True)
                ],
            )
            for topic, offsets in found.items()
        ]
    )


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
