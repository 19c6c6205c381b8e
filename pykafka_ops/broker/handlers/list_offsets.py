"""ListOffsets (2), v0-9: the offset that belongs to a time, or to an end of the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.offset_lookup import Looked, Lookup
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

READ_COMMITTED = 1


def handle(context: Context, request: ListOffsetsRequest) -> Answer:
    """Look up every partition; errors stand at the partition."""
    asked = Counter(
        (topic.name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    )
    twice = {place for place, count in asked.items() if count > 1 and context.version > 0}
    return begun(_answers(context, request, twice))


def _answers(
    context: Context, request: ListOffsetsRequest, twice: Collection[tuple[str, int]]
) -> Steps[ListOffsetsResponse]:
    response, lookup = ListOffsetsResponse(), context.services.offset_lookup
    for topic in request.topics:
        answers = []
        for partition in topic.partitions:
            if (topic.name, partition.partition_index) in twice:
                found = Looked(ErrorCode.INVALID_REQUEST)
            else:
                asked = _asked(context, request, topic.name, partition)
                found = lookup.at_end(asked) or (yield from lookup.look_up(asked))
            answers.append(_told(context.version, partition.partition_index, found))
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response


def _asked(
    context: Context, request: ListOffsetsRequest, topic: str, asked: ListOffsetsPartition
) -> Lookup:
    return Lookup(
        context.version,
        topic,
        asked.partition_index,
        asked.timestamp,
        asked.current_leader_epoch,
        request.replica_id,
        committed_only=request.isolation_level == READ_COMMITTED,
        most=asked.max_num_offsets,
    )


def _told(version: int, index: int, found: Looked) -> ListOffsetsPartitionResponse:
    timestamp, offset, leader_epoch = found.found
    return ListOffsetsPartitionResponse(
        partition_index=index,
        error_code=_code_for(version, found.error),
        old_style_offsets=found.starts or [],
        timestamp=timestamp,
        offset=offset,
        leader_epoch=leader_epoch if version >= 4 else -1,
    )


def _code_for(version: int, code: int) -> int:
    """Clients before v5 do not know OFFSET_NOT_AVAILABLE."""
    if code == ErrorCode.OFFSET_NOT_AVAILABLE and version < 5:
        return ErrorCode.LEADER_NOT_AVAILABLE
    return code
