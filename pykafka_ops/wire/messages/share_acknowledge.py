"""ShareAcknowledge (79): say what became of records that a member of a share group holds (KIP-932).

Version 1 is of Kafka 4.1; 2 adds renewals (KIP-1222).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import LeaderIdAndEpoch, NodeEndpoint
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, INT64, STRING, UUID


@struct
class AcknowledgementBatch:
    """Offsets, both ends included: one type for all or one for each (0 gap, 1 accept, 2 release,
    3 reject, 4 renew)."""

    first_offset: int = wire(INT64)
    last_offset: int = wire(INT64)
    acknowledge_types: list[int] = wire([INT8])


@struct
class AcknowledgePartition:
    """What to acknowledge of one partition."""

    partition_index: int = wire(INT32)
    acknowledgement_batches: list[AcknowledgementBatch] = wire([AcknowledgementBatch])


@struct
class AcknowledgeTopic:
    """Partitions of one topic."""

    topic_id: bytes = wire(UUID)
    partitions: list[AcknowledgePartition] = wire([AcknowledgePartition])


@message(ApiKey.SHARE_ACKNOWLEDGE)
class ShareAcknowledgeRequest:
    """Session epoch -1 ends the session, else it grows by one with each request."""

    group_id: str | None = wire(STRING, nullable="0+", default=None)
    member_id: str | None = wire(STRING, nullable="0+")
    share_session_epoch: int = wire(INT32)
    is_renew_ack: bool = wire(BOOL, "2+", default=False)
    topics: list[AcknowledgeTopic] = wire([AcknowledgeTopic])


@struct
class PartitionData:
    """How it went with one partition."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    current_leader: LeaderIdAndEpoch = wire(LeaderIdAndEpoch)


@struct
class ShareAcknowledgeTopicResponse:
    """The partitions of one topic."""

    topic_id: bytes = wire(UUID)
    partitions: list[PartitionData] = wire([PartitionData])


@message(ApiKey.SHARE_ACKNOWLEDGE)
class ShareAcknowledgeResponse:
    """How it went, as a whole and with each partition."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    acquisition_lock_timeout_ms: int = wire(INT32, "2+", ignorable=True)
    responses: list[ShareAcknowledgeTopicResponse] = wire([ShareAcknowledgeTopicResponse])
    node_endpoints: list[NodeEndpoint] = wire([NodeEndpoint])
