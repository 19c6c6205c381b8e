"""ListOffsets (2), v0-9: the offset that belongs to a time, or to an end of the log."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.offset_lookup import Looked, Lookup
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

READ_COMMITTED = 1


def handle(context: Context, request: ListOffsetsRequest) -> Answer:
    """Look up every partition; errors stand at the partition."""
    return begun(_answer(context, request))


def _answer(context: Context, request: ListOffsetsRequest) -> Steps[ListOffsetsResponse]:
    version = context.version
    committed_only = request.isolation_level == READ_COMMITTED
    found = yield from context.services.offset_lookup.look_up(
        [
            Lookup(
                version, topic.name, asked.partition_index, asked.timestamp,
                asked.current_leader_epoch, request.replica_id, committed_only,
                asked.max_num_offsets,
            )
            for topic in request.topics
            for asked in topic.partitions
        ]
    )  # fmt: skip
    looked = iter(found)
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    _partition(asked.partition_index, next(looked), version)
                    for asked in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _partition(index: int, looked: Looked, version: int) -> ListOffsetsPartitionResponse:
    code = looked.error
    if code == ErrorCode.OFFSET_NOT_AVAILABLE and version < 5:  # clients do not know it yet
        code = ErrorCode.LEADER_NOT_AVAILABLE
    timestamp, offset, leader_epoch = looked.found
    return ListOffsetsPartitionResponse(
        partition_index=index,
        error_code=code,
        old_style_offsets=looked.starts or [],
        timestamp=timestamp,
        offset=offset,
        leader_epoch=leader_epoch if version >= 4 else -1,
    )
