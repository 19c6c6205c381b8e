"""DeleteRecords (21), v0-2: move the start of logs forward (KIP-107).

The answer waits until every live replica has moved too, at most ``timeout_ms``.
"""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.deletion import Deleted
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)


def handle(context: Context, request: DeleteRecordsRequest) -> Answer:
    """Delete on every partition, then answer when the replicas have followed."""
    offsets = [
        (topic.name, asked.partition_index, asked.offset)
        for topic in request.topics
        for asked in topic.partitions
    ]
    found = context.services.deletion.delete(offsets, request.timeout_ms)
    return shaped(found, lambda results: _response(request, results))


def _response(request: DeleteRecordsRequest, results: Iterable[Deleted]) -> DeleteRecordsResponse:
    found = iter(results)
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=topic.name,
                partitions=[
                    _partition(asked.partition_index, *next(found)) for asked in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def _partition(index: int, code: int, low_watermark: int) -> DeleteRecordsPartitionResult:
    return DeleteRecordsPartitionResult(
        partition_index=index, low_watermark=low_watermark, error_code=code
    )
