"""OffsetCommit (8), v0-9: store the offsets of a group.

v0 stores them in the metadata store, where consumers of old kept them. v1 brought generations,
v2 a retention of their own (to v4), v6 leader epochs, v7 static members, v8 flexible headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.group_calls import answer_with, java_length
from pykafka_ops.broker.services import consumer_offsets
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.groups.records import NEVER, Committed
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context, Shape
    from pykafka_ops.broker.state.groups.shard import Commit
    from pykafka_ops.errors import KafkaError
    from pykafka_ops.wire.messages.offset_commit import OffsetCommitRequestPartition

NONE = ErrorCode.NONE


def handle(context: Context, request: OffsetCommitRequest) -> Answer:
    """Write the offsets of topics that exist; one partition's metadata too long spares the rest.

    Raises KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    commits, response, accepted = _sort_out(context, request)
    if not accepted and response.topics:
        return response
    if context.version == 0:
        return _store(context, request.group_id, commits, response)
    groups = context.services.groups
    slot = groups.slot_of(request.group_id, may_be_empty=True)
    ticket = Deferred()
    who = (request.member_id, request.group_instance_id, request.generation_id_or_member_epoch)
    outcome = slot.shard.commit(request.group_id, who, commits, ticket, groups.now())
    groups.run(slot, outcome)

    def shape(code: ErrorCode) -> OffsetCommitResponse:
        if code is not NONE:
            for partition in accepted:
                partition.error_code = code
        return response

    return answer_with(ticket, shape)


def _sort_out(
    context: Context, request: OffsetCommitRequest
) -> tuple[list[Commit], OffsetCommitResponse, list[OffsetCommitResponsePartition]]:
    """What to write, the answer if that succeeds, and those of its partitions for which the
    group's word counts."""
    services = context.services
    known = services.image.topics
    longest = services.groups.settings.metadata_max_bytes
    now = services.clock()
    expires = NEVER if request.retention_time_ms == -1 else now + request.retention_time_ms
    commits: list[Commit] = []
    accepted: list[OffsetCommitResponsePartition] = []
    response = OffsetCommitResponse()
    for topic in request.topics:
        name, exists = topic.name, known.get(topic.name)
        partitions = []
        for asked in topic.partitions:
            answer = OffsetCommitResponsePartition(partition_index=asked.partition_index)
            partitions.append(answer)
            if exists is None or asked.partition_index not in exists.partitions:
                answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                continue
            accepted.append(answer)
            if java_length(asked.committed_metadata or "") > longest:
                answer.error_code = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                commits.append(((name, asked.partition_index), _value(asked, now, expires)))
        response.topics.append(OffsetCommitResponseTopic(name=topic.name, partitions=partitions))
    return commits, response, accepted


def _value(asked: OffsetCommitRequestPartition, now: int, expires: int) -> Committed:
    given = asked.commit_timestamp
    return Committed(
        asked.committed_offset,
        asked.committed_leader_epoch,
        asked.committed_metadata or "",
        now if given == -1 else given,
        expires,
    )


async def _store(
    context: Context, group_id: str, commits: list[Commit], response: OffsetCommitResponse
) -> OffsetCommitResponse:
    for (topic, index), value in commits:
        store = context.services.store
        await consumer_offsets.write(store, (group_id, topic, index), value.offset)
    return response


def failed(
    request: OffsetCommitRequest | None, version: int, error: KafkaError
) -> OffsetCommitResponse:
    """Every partition with the same error."""
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                partitions=[
                    OffsetCommitResponsePartition(
                        partition_index=asked.partition_index, error_code=error.code
                    )
                    for asked in topic.partitions
                ],
            )
            for topic in (request.topics if request else ())
        ]
    )


def shape(context: Context, request: OffsetCommitRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests like this one; None if it is not of the usual kind."""
    from pykafka_ops.broker.handlers import offset_commit_shape

    return offset_commit_shape.shape(context, request, frame)
