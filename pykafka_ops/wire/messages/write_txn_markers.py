"""WriteTxnMarkers (27): the coordinator has the end of transactions written (KIP-98).

Version 2 says which protocol of transactions a producer uses (KIP-1228).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedIndexes, TopicCodes
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, INT64

WritableTxnMarkerTopic = NamedIndexes


@struct
class WritableTxnMarker:
    """One transaction; ``transaction_result`` true commits, false aborts."""

    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    transaction_result: bool = wire(BOOL)
    topics: list[WritableTxnMarkerTopic] = wire([WritableTxnMarkerTopic])
    coordinator_epoch: int = wire(INT32)
    transaction_version: int = wire(INT8, "2+", ignorable=True)


@message(ApiKey.WRITE_TXN_MARKERS)
class WriteTxnMarkersRequest:
    """Markers to write to partitions this broker leads."""

    markers: list[WritableTxnMarker] = wire([WritableTxnMarker])


@struct
class WritableTxnMarkerResult:
    """The outcome for one producer."""

    producer_id: int = wire(INT64)
    topics: list[TopicCodes] = wire([TopicCodes])


@message(ApiKey.WRITE_TXN_MARKERS)
class WriteTxnMarkersResponse:
    """The outcome for each marker."""

    markers: list[WritableTxnMarkerResult] = wire([WritableTxnMarkerResult])
