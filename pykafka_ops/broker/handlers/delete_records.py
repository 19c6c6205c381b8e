"""DeleteRecords (21), v0-2: move the start of logs forward (KIP-107).

The answer waits until every live replica has moved too, at most ``timeout_ms``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.names import is_internal
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.partitions.partition import Partition
    from pykafka_ops.wire.messages.delete_records import (
        DeleteRecordsPartition,
        DeleteRecordsRequest,
    )

log = logging.getLogger("kafka.server.ReplicaManager")

HIGH_WATERMARK = -1
"""The offset that stands for "everything that is committed"."""

NO_LOW_WATERMARK = -1

Pending = list[tuple["Partition", int, DeleteRecordsPartitionResult]]
"""Deleted here, not on all replicas yet: partition, offset they must reach, answer."""


def handle(context: Context, request: DeleteRecordsRequest) -> Answer:
    """Delete on every partition, then answer when the replicas have followed."""
    pending: Pending = []
    response = DeleteRecordsResponse()
    for topic in request.topics:
        results = [_delete(context, topic.name, asked, pending) for asked in topic.partitions]
        response.topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=results))
    if pending:
        return _wait(context, response, pending, request.timeout_ms)
    return response


def _delete(
    context: Context, topic: str, asked: DeleteRecordsPartition, pending: Pending
) -> DeleteRecordsPartitionResult:
    result = DeleteRecordsPartitionResult(
        partition_index=asked.partition_index, low_watermark=NO_LOW_WATERMARK
    )
    try:
        partition = _partition(context, topic, asked.partition_index)
        offset = _move_start(partition, asked.offset)
        context.services.replicas.wake_soon(partition.key)  # followers are to hear of it
        result.low_watermark = partition.low_watermark(context.services.image.alive)
        if result.low_watermark < offset:
            pending.append((partition, offset, result))
    except KafkaError as error:
        result.error_code = error.code
    except Exception as error:
        log.error("deleting records of %s-%d", topic, asked.partition_index, exc_info=error)
        result.error_code = ErrorCode.UNKNOWN_SERVER_ERROR
    return result


def _partition(context: Context, topic: str, index: int) -> Partition:
    services = context.services
    if services.image.partition(topic, index) is None:
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    if is_internal(topic):
        raise KafkaError(ErrorCode.INVALID_TOPIC_EXCEPTION)
    return services.replicas.leader(topic, index)


def _move_start(partition: Partition, offset: int) -> int:
    """Let the log begin at ``offset``; the offset that stands for.

    Raises KafkaError POLICY_VIOLATION or OFFSET_OUT_OF_RANGE.
    """
    records = partition.log
    if not records.config.deletes:
        raise KafkaError(ErrorCode.POLICY_VIOLATION)
    if offset == HIGH_WATERMARK:
        offset = records.high_watermark
    if not 0 <= offset <= records.high_watermark:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    records.delete_records(offset)
    return offset


def _wait(
    context: Context, response: DeleteRecordsResponse, pending: Pending, timeout_ms: int
) -> Deferred:
    services = context.services
    deferred = Deferred()
    image = services.image

    def ready() -> bool:
        return all(
            not partition.is_leader or partition.low_watermark(image.alive) >= offset
            for partition, offset, _ in pending
        )

    def finish(expired: bool) -> None:
        for partition, offset, result in pending:
            if not partition.is_leader:
                _refuse(result, ErrorCode.NOT_LEADER_OR_FOLLOWER)
                continue
            low = partition.low_watermark(image.alive)
            if low >= offset:
                result.low_watermark = low
            else:
                result.error_code = ErrorCode.REQUEST_TIMED_OUT
        deferred.resolve(response)

    def fail(error: Exception) -> None:
        code = error.code if isinstance(error, KafkaError) else ErrorCode.UNKNOWN_SERVER_ERROR
        log.error("waiting for replicas to delete records failed: %r", error)
        for _, _, result in pending:
            _refuse(result, code)
        deferred.resolve(response)

    keys = [partition.key for partition, _, _ in pending]
    waiter = Waiter(keys, services.timer() + timeout_ms, ready, finish, fail)
    deferred.on_abandon = lambda: services.replicas.deletes.drop(waiter)
    services.replicas.wait(services.replicas.deletes, waiter)
    return deferred


def _refuse(result: DeleteRecordsPartitionResult, code: int) -> None:
    result.error_code = code
    result.low_watermark = NO_LOW_WATERMARK


def failed(
    request: DeleteRecordsRequest | None, version: int, error: KafkaError
) -> DeleteRecordsResponse:
    """Every partition of the request with the same error."""
    response = DeleteRecordsResponse()
    for topic in request.topics if request else ():
        results = [
            DeleteRecordsPartitionResult(
                partition_index=asked.partition_index,
                low_watermark=NO_LOW_WATERMARK,
                error_code=error.code,
            )
            for asked in topic.partitions
        ]
        response.topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=results))
    return response
