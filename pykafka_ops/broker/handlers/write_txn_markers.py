"""WriteTxnMarkers (27), v0-1: end transactions in partitions led here (KIP-98).

From other coordinators, and from admin clients that abort a hanging transaction (KIP-664).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pykafka_ops.broker.coordinators.markers import TxnMarker
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.deferred import shaped
from pykafka_ops.wire.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from pykafka_ops.wire.shared import PartitionCode, TopicCodes


def handle(context: Context, request: WriteTxnMarkersRequest) -> Answer:
    """Write every marker; answered when all are committed or have failed."""
    codes = context.services.transactions.write_markers(
        (_marker(asked), (topic.name, index))
        for asked in request.markers
        for topic in asked.topics
        for index in topic.partition_indexes
    )
    return shaped(codes, lambda codes: _response(request, codes))


def _marker(asked: WritableTxnMarker) -> TxnMarker:
    return TxnMarker(
        asked.producer_id, asked.producer_epoch, asked.coordinator_epoch, asked.transaction_result
    )


def _response(request: WriteTxnMarkersRequest, codes: Iterable[int]) -> WriteTxnMarkersResponse:
    found = iter(codes)
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=asked.producer_id,
                topics=[_topic(topic, found) for topic in asked.topics],
            )
            for asked in request.markers
        ]
    )


def _topic(asked: WritableTxnMarkerTopic, codes: Iterator[int]) -> TopicCodes:
    partitions = [
        PartitionCode(partition_index=index, error_code=next(codes))
        for index in asked.partition_indexes
    ]
    return TopicCodes(name=asked.name, partitions=partitions)
