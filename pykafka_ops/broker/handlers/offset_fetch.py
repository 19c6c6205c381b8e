"""OffsetFetch (9), v0-9: read the offsets of groups.

v0 reads those in the metadata store.
"""

from __future__ import annotations

from pykafka_ops.broker.coordinators.offsets import FoundTopic, Offsets
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponseTopic,
)

SEVERAL_FROM = 8


def handle(context: Context, request: OffsetFetchRequest) -> Answer:
    """The committed offsets; -1 where there is none."""
    if context.version == 0:
        return _stored(context, request)
    return begun(_answer(context, request))


def _answer(context: Context, request: OffsetFetchRequest) -> Steps[OffsetFetchResponse]:
    offsets, stable = context.services.offsets, request.require_stable
    if context.version < SEVERAL_FROM:
        found = yield from offsets.fetch(request.group_id, request.topics, stable=stable)
        topics = yield from each(_topic, found)
        return OffsetFetchResponse(topics=topics)
    response = OffsetFetchResponse()
    for asked in request.groups:
        group = yield from _group(offsets, asked, stable)
        response.groups.append(group)
    return response


def _group(
    offsets: Offsets, asked: OffsetFetchRequestGroup, stable: bool
) -> Steps[OffsetFetchResponseGroup]:
    try:
        reader = asked.member_id, asked.member_epoch
        found = yield from offsets.fetch(asked.group_id, asked.topics, stable=stable, reader=reader)
    except KafkaError as error:
        return OffsetFetchResponseGroup(group_id=asked.group_id, error_code=error.code)
    topics = yield from each(_topic, found)
    return OffsetFetchResponseGroup(group_id=asked.group_id, topics=topics)


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


async def _stored(context: Context, request: OffsetFetchRequest) -> OffsetFetchResponse:
    """What consumers of old keep."""
    found = await context.services.consumer_offsets.fetch(request.group_id, request.topics or ())
    return OffsetFetchResponse(topics=[_topic(each) for each in found])
