"""OffsetCommit (8), v0-9: store the offsets of a group.

v0 stores them in the metadata store, where consumers of old kept them.
"""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import with_codes
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.broker.state.groups.commits import Commit
from pykafka_ops.broker.state.groups.records import NEVER, OffsetAndMetadata
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse

EPOCHS_FROM = 9
"""From this version on, the generation may be a member's epoch (KIP-848)."""


def handle(context: Context, request: OffsetCommitRequest) -> Answer:
    """Write the offsets of topics that exist; one partition's metadata too long spares the rest.

    Raises KafkaError NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, or UNSUPPORTED_VERSION for a
    member of the consumer protocol that does not know epochs.
    """
    commits = _commits(request, context.services.clock())
    if context.version == 0:
        return _store(context, request, commits)
    if context.version < EPOCHS_FROM and context.services.groups.speaks_consumer(
        request.group_id, request.member_id
    ):
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    who = (request.member_id, request.group_instance_id, request.generation_id_or_member_epoch)
    codes = context.services.offsets.commit(request.group_id, who, commits)
    return shaped(
        codes, lambda codes: OffsetCommitResponse(topics=with_codes(request.topics, iter(codes)))
    )


async def _store(
    context: Context, request: OffsetCommitRequest, commits: list[Commit]
) -> OffsetCommitResponse:
    codes = await context.services.consumer_offsets.commit(request.group_id, commits)
    return OffsetCommitResponse(topics=with_codes(request.topics, iter(codes)))


def _commits(request: OffsetCommitRequest, now: int) -> list[Commit]:
    expires = NEVER if request.retention_time_ms == -1 else now + request.retention_time_ms
    return [
        (
            (topic.name, asked.partition_index),
            OffsetAndMetadata(
                asked.committed_offset,
                asked.committed_leader_epoch,
                asked.committed_metadata or "",
                now if asked.commit_timestamp == -1 else asked.commit_timestamp,
                expires,
            ),
        )
        for topic in request.topics
        for asked in topic.partitions
    ]


def shape(context: Context, request: OffsetCommitRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests like this one; None if it is not of the usual kind."""
    from pykafka_ops.broker.handlers import offset_commit_shape

    return offset_commit_shape.shape(context, request, frame)
