"""ListOffsets (2), v0-9: the offset that belongs to a time, or to an end of the log."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.offset_lookup import (
    EARLIEST,
    EARLIEST_LOCAL,
    LATEST,
    LATEST_TIERED,
    MAX_TIMESTAMP,
    Lookup,
)
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

log = logging.getLogger("kafka.server.KafkaApis")

SINCE = {LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""The version that brought each special timestamp."""

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
    response = ListOffsetsResponse()
    for topic in request.topics:
        answers = []
        for partition in topic.partitions:
            answer = yield from _answer(context, request, topic.name, partition, twice)
            answers.append(answer)
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response


def _answer(
    context: Context,
    request: ListOffsetsRequest,
    topic: str,
    asked: ListOffsetsPartition,
    twice: Collection[tuple[str, int]],
) -> Steps[ListOffsetsPartitionResponse]:
    answer = ListOffsetsPartitionResponse(partition_index=asked.partition_index)
    try:
        if (topic, asked.partition_index) in twice:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        _check_timestamp(context.version, asked.timestamp)
        wanted = Lookup(
            topic,
            asked.partition_index,
            asked.timestamp,
            asked.current_leader_epoch,
            request.replica_id,
            request.isolation_level == READ_COMMITTED,
        )
        lookup = context.services.offset_lookup
        if context.version == 0:
            answer.old_style_offsets = lookup.before(wanted, asked.max_num_offsets)
        else:
            found = yield from lookup.find(wanted)
            answer.timestamp, answer.offset, answer.leader_epoch = found
    except KafkaError as error:
        answer.error_code = _code_for(context.version, error.code)
    except Exception as error:
        log.error("looking up offsets of %s-%d", topic, asked.partition_index, exc_info=error)
        answer.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
    if context.version < 4:
        answer.leader_epoch = -1
    return answer


def _check_timestamp(version: int, timestamp: int) -> None:
    special = timestamp >= EARLIEST if version == 0 else version >= SINCE.get(timestamp, 99)
    if timestamp < 0 and not special:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


def _code_for(version: int, code: int) -> int:
    """Clients before v5 do not know OFFSET_NOT_AVAILABLE."""
    if code == ErrorCode.OFFSET_NOT_AVAILABLE and version < 5:
        return ErrorCode.LEADER_NOT_AVAILABLE
    return code
