"""WriteTxnMarkers (27), v0-1: end transactions in partitions led here (KIP-98).

From other coordinators, and from admin clients that abort a hanging transaction (KIP-664).
v1 brought flexible headers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pykafka_ops.broker.coordinators.markers import TxnMarker
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.errors import KafkaError


def handle(context: Context, request: WriteTxnMarkersRequest) -> Answer:
    """Write every marker; answered when all are committed or have failed."""
    writer = context.services.transactions.markers
    response = WriteTxnMarkersResponse()
    work: list[tuple[TxnMarker, str, WritableTxnMarkerPartitionResult]] = []
    for asked in request.markers:
        marker = TxnMarker(
            asked.producer_id,
            asked.producer_epoch,
            asked.coordinator_epoch,
            asked.transaction_result,
        )
        result = _result(asked)
        response.markers.append(result)
        work += ((marker, t.name, p) for t in result.topics for p in t.partitions)
    answer = Deferred()
    left = len(work)

    def done(place: WritableTxnMarkerPartitionResult, code: ErrorCode) -> None:
        nonlocal left
        place.error_code = code
        left -= 1
        if not left:
            answer.resolve(response)

    for marker, topic, place in work:
        if marker.producer_id < 0 or marker.epoch < 0:
            done(place, ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka's IllegalArgumentException
        else:
            writer.write(marker, (topic, place.partition_index), partial(done, place))
    return answer if left else response


def _result(asked: WritableTxnMarker, code: int = 0) -> WritableTxnMarkerResult:
    """The places of one marker's outcomes, in the order they were asked for."""
    topics = [
        WritableTxnMarkerTopicResult(
            name=topic.name,
            partitions=[
                WritableTxnMarkerPartitionResult(partition_index=index, error_code=code)
                for index in topic.partition_indexes
            ],
        )
        for topic in asked.topics
    ]
    return WritableTxnMarkerResult(producer_id=asked.producer_id, topics=topics)


def failed(
    request: WriteTxnMarkersRequest | None, version: int, error: KafkaError
) -> WriteTxnMarkersResponse:
    """Every partition with the same error."""
    markers = request.markers if request else ()
    return WriteTxnMarkersResponse(markers=[_result(m, error.code) for m in markers])
