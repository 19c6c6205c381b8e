"""OffsetDelete (47): delete the offsets of a group (KIP-496)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicCodes
from pykafka_ops.wire.types import INT16, INT32, STRING


@struct
class OffsetDeleteRequestPartition:
    """One partition."""

    partition_index: int = wire(INT32)


@struct
class OffsetDeleteRequestTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[OffsetDeleteRequestPartition] = wire([OffsetDeleteRequestPartition])


@message(ApiKey.OFFSET_DELETE)
class OffsetDeleteRequest:
    """Offsets to delete; topics somebody still reads are refused."""

    group_id: str = wire(STRING)
    topics: list[OffsetDeleteRequestTopic] = wire([OffsetDeleteRequestTopic])


@message(ApiKey.OFFSET_DELETE)
class OffsetDeleteResponse:
    """The outcome for each partition."""

    error_code: int = wire(INT16)
    throttle_time_ms: int = wire(INT32, ignorable=True)
    topics: list[TopicCodes] = wire([TopicCodes])
