"""DeleteRecords (21), v0-2: move the start of logs forward (KIP-107).

The answer waits until every live replica has moved too, at most ``timeout_ms``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.deletion import Deleted
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.errors import KafkaError
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
    response = DeleteRecordsResponse()
    for topic in request.topics:
        partitions = []
        for asked in topic.partitions:
            code, low_watermark = next(found)
            partitions.append(
                DeleteRecordsPartitionResult(
                    partition_index=asked.partition_index,
                    low_watermark=low_watermark,
                    error_code=code,
                )
            )
        response.topics.append(DeleteRecordsTopicResult(name=topic.name, partitions=partitions))
    return response


def failed(
    request: DeleteRecordsRequest | None, version: int, error: KafkaError
) -> DeleteRecordsResponse:
    """Every partition of the request with the same error."""
    return _response(request or DeleteRecordsRequest(), repeat(Deleted(error.code)))
