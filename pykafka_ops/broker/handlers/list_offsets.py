"""ListOffsets (2), v0-9: the offset that belongs to a time, or to an end of the log.

v0 answers with a list of segment starts, v1 with one offset and its timestamp; v2 brought
isolation levels, v4 leader epochs (KIP-320), v5 OFFSET_NOT_AVAILABLE (KIP-207), v7 the offset
of the largest timestamp (KIP-734), v8 the earliest local and v9 the last tiered offset.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.partitions.partition import Partition
    from pykafka_ops.broker.storage.log.log import Log
    from pykafka_ops.broker.storage.log.time_search import FoundOffset
    from pykafka_ops.wire.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest

log = logging.getLogger("kafka.server.KafkaApis")

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
SINCE = {LATEST: 1, EARLIEST: 1, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9}
"""The version that brought each special timestamp."""

CONSUMER = -1
DEBUGGER = -2
"""Replica ids of readers that are no broker; the debugger also reads from followers."""

READ_COMMITTED = 1

Found = tuple[int, int, int]
"""Timestamp (ms), offset, leader epoch; -1 each where there is none."""


def handle(context: Context, request: ListOffsetsRequest) -> Answer:
    """Look up every partition; errors stand at the partition."""
    asked = Counter(
        (topic.name, partition.partition_index)
        for topic in request.topics
        for partition in topic.partitions
    )
    response = ListOffsetsResponse()
    for topic in request.topics:
        answers = []
        for partition in topic.partitions:
            twice = context.version > 0 and asked[topic.name, partition.partition_index] > 1
            answers.append(_answer(context, request, topic.name, partition, twice=twice))
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response


def _answer(
    context: Context,
    request: ListOffsetsRequest,
    topic: str,
    asked: ListOffsetsPartition,
    *,
    twice: bool,
) -> ListOffsetsPartitionResponse:
    answer = ListOffsetsPartitionResponse(partition_index=asked.partition_index)
    try:
        if twice:
            raise KafkaError(ErrorCode.INVALID_REQUEST)
        _check_timestamp(context.version, asked.timestamp)
        partition = _partition(context, request, topic, asked)
        if context.version == 0:
            answer.old_style_offsets = _offsets_before(context, request, partition.log, asked)
        else:
            found = _find(request, partition, asked.timestamp)
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
    if version == 0:
        served = timestamp >= EARLIEST
    else:
        served = timestamp >= 0 or version >= SINCE.get(timestamp, 99)
    if not served:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)


def _code_for(version: int, code: int) -> int:
    """Clients before v5 do not know OFFSET_NOT_AVAILABLE."""
    if code == ErrorCode.OFFSET_NOT_AVAILABLE and version < 5:
        return ErrorCode.LEADER_NOT_AVAILABLE
    return code


def _partition(
    context: Context, request: ListOffsetsRequest, topic: str, asked: ListOffsetsPartition
) -> Partition:
    services = context.services
    index = asked.partition_index
    if request.replica_id == DEBUGGER:
        hosted = services.replicas.find(topic, index)
        if hosted is not None:
            hosted.check_leader_epoch(asked.current_leader_epoch)
            return hosted
    known = services.image.partition(topic, index) is not None
    return services.replicas.leader(topic, index, known=known, epoch=asked.current_leader_epoch)


def _find(request: ListOffsetsRequest, partition: Partition, timestamp: int) -> Found:
    """Raises KafkaError OFFSET_NOT_AVAILABLE while a new leader does not know yet how far the
    partition is committed, if the answer depends on that."""
    records = partition.log
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return records.times.earliest()
    if timestamp == LATEST_TIERED:
        return -1, -1, -1
    bound = _readable_end(request, records)
    if timestamp == LATEST:
        _check_committed(request, partition)
        return -1, bound, partition.leader_epoch
    found: FoundOffset | None
    if timestamp == MAX_TIMESTAMP:
        found = records.times.youngest()
        if found is not None and found.offset >= bound:
            found = None
    else:
        found = records.times.first_since(timestamp, bound)
    if found is None:
        _check_committed(request, partition)
        return -1, -1, -1
    return found


def _readable_end(request: ListOffsetsRequest, records: Log) -> int:
    """The offset the reader may read up to."""
    if request.replica_id != CONSUMER:
        return records.log_end_offset
    if request.isolation_level == READ_COMMITTED:
        return records.last_stable_offset
    return records.high_watermark


def _check_committed(request: ListOffsetsRequest, partition: Partition) -> None:
    behind = partition.log.high_watermark < partition.leader_epoch_start
    if request.replica_id == CONSUMER and behind:
        raise KafkaError(ErrorCode.OFFSET_NOT_AVAILABLE)


def _offsets_before(
    context: Context, request: ListOffsetsRequest, records: Log, asked: ListOffsetsPartition
) -> list[int]:
    """v0: starts of the segments last written at or before the timestamp, the newest first.

    Clients see nothing above the high watermark.
    """
    segments = records.segments
    starts = [max(segment.base_offset, records.log_start_offset) for segment in segments]
    if segments[-1].size:
        starts.append(records.log_end_offset)
    last = len(starts) - 1
    if asked.timestamp == EARLIEST:
        last = 0
    elif asked.timestamp != LATEST:
        times = [s.files.info(s.path(".log")).modified_ms for s in segments]
        times.append(context.services.clock())
        old = [n for n in range(len(starts)) if times[n] <= asked.timestamp]
        last = max(old, default=-1)
    offsets = sorted(starts[: last + 1], reverse=True)[: max(asked.max_num_offsets, 0)]
    high_watermark = records.high_watermark
    if request.replica_id == CONSUMER and offsets and offsets[0] > high_watermark:
        offsets = [high_watermark, *(o for o in offsets if o <= high_watermark)]
    return offsets


def failed(
    request: ListOffsetsRequest | None, version: int, error: KafkaError
) -> ListOffsetsResponse:
    """Every partition of the request with the same error."""
    response = ListOffsetsResponse()
    for topic in request.topics if request else ():
        answers = [
            ListOffsetsPartitionResponse(
                partition_index=asked.partition_index, error_code=error.code
            )
            for asked in topic.partitions
        ]
        response.topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=answers))
    return response
