"""OffsetFetch (9), v0-9: read the offsets of groups.

v0 reads those in the metadata store.
"""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.broker.coordinators.offsets import FoundTopic
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)

SEVERAL_FROM = 8

Asked = dict[str, list[int]]


def handle(context: Context, request: OffsetFetchRequest) -> Answer:
    """The committed offsets; -1 where there is none."""
    stable = request.require_stable
    if context.version >= SEVERAL_FROM:
        return begun(_several(context, request, stable))
    asked = None if request.topics is None else _merged(request.topics)
    if context.version == 0:
        return _stored(context, request.group_id, asked or {})
    return begun(_one(context, request.group_id, asked, stable))


def _one(
    context: Context, group_id: str, asked: Asked | None, stable: bool
) -> Steps[OffsetFetchResponse]:
    found = yield from context.services.offsets.fetch(group_id, asked, stable=stable)
    topics = yield from each(_topic, found)
    return OffsetFetchResponse(topics=topics)


def _several(
    context: Context, request: OffsetFetchRequest, stable: bool
) -> Steps[OffsetFetchResponse]:
    response = OffsetFetchResponse()
    for asked in request.groups:
        group = yield from _group(context, asked, stable)
        response.groups.append(group)
    return response


def _merged(topics: Iterable[OffsetFetchRequestTopic]) -> Asked:
    """Each partition once, as Kafka answers them."""
    asked: dict[str, dict[int, None]] = {}
    for topic in topics:
        if topic.partition_indexes:
            asked.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
    return {name: list(indexes) for name, indexes in asked.items()}


def _topic(found: FoundTopic) -> OffsetFetchResponseTopic:
    name, places = found
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
    context: Context, asked: OffsetFetchRequestGroup, stable: bool
) -> Steps[OffsetFetchResponseGroup]:
    wanted = None if asked.topics is None else _merged(asked.topics)
    try:
        found = yield from context.services.offsets.fetch(asked.group_id, wanted, stable=stable)
    except KafkaError as error:
        return OffsetFetchResponseGroup(group_id=asked.group_id, error_code=error.code)
    topics = yield from each(_topic, found)
    return OffsetFetchResponseGroup(group_id=asked.group_id, topics=topics)


async def _stored(context: Context, group_id: str, asked: Asked) -> OffsetFetchResponse:
    """What consumers of old keep."""
    found = await context.services.consumer_offsets.fetch(group_id, asked)
    return OffsetFetchResponse(topics=[_topic(each) for each in found])
