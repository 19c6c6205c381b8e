"""ShareFetch (78): acquire and read records as a member of a share group (KIP-932).

Version 1 is of Kafka 4.1; 2 adds the mode of acquisition (KIP-1206) and renewals (KIP-1222).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.messages.share_acknowledge import AcknowledgementBatch
from pykafka_ops.wire.shared import LeaderIdAndEpoch, NodeEndpoint
from pykafka_ops.wire.types import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    RECORDS,
    STRING,
    UUID,
    Records,
)


@struct
class FetchPartition:
    """A partition to read, and what to acknowledge of it."""

    partition_index: int = wire(INT32)
    acknowledgement_batches: list[AcknowledgementBatch] = wire([AcknowledgementBatch])


@struct
class FetchTopic:
    """Partitions of one topic."""

    topic_id: bytes = wire(UUID)
    partitions: list[FetchPartition] = wire([FetchPartition])


@struct
class ForgottenTopic:
    """Partitions that the session is to read no more."""

    topic_id: bytes = wire(UUID)
    partitions: list[int] = wire([INT32])


@message(ApiKey.SHARE_FETCH)
class ShareFetchRequest:
    """Session epoch 0 opens a session, -1 ends it, else it grows by one with each request."""

    group_id: str | None = wire(STRING, nullable="0+", default=None)
    member_id: str | None = wire(STRING, nullable="0+")
    share_session_epoch: int = wire(INT32)
    max_wait_ms: int = wire(INT32)
    min_bytes: int = wire(INT32)
    max_bytes: int = wire(INT32, default=0x7FFFFFFF)
    max_records: int = wire(INT32, "1+")
    batch_size: int = wire(INT32, "1+")
    share_acquire_mode: int = wire(INT8, "2+", default=0, ignorable=True)
    is_renew_ack: bool = wire(BOOL, "2+", default=False)
    topics: list[FetchTopic] = wire([FetchTopic])
    forgotten_topics_data: list[ForgottenTopic] = wire([ForgottenTopic])


@struct
class AcquiredRecords:
    """Offsets, both ends included, that the member holds, and how often they were delivered."""

    first_offset: int = wire(INT64)
    last_offset: int = wire(INT64)
    delivery_count: int = wire(INT16)


@struct
class PartitionData:
    """Records of one partition; more may come than were acquired."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    acknowledge_error_code: int = wire(INT16)
    acknowledge_error_message: str | None = wire(STRING, nullable="0+", default=None)
    current_leader: LeaderIdAndEpoch = wire(LeaderIdAndEpoch)
    records: Records = wire(RECORDS, nullable="0")
    acquired_records: list[AcquiredRecords] = wire([AcquiredRecords])


@struct
class ShareFetchableTopicResponse:
    """The partitions of one topic."""

    topic_id: bytes = wire(UUID)
    partitions: list[PartitionData] = wire([PartitionData])


@message(ApiKey.SHARE_FETCH)
class ShareFetchResponse:
    """Records, and for how long (ms) they are held."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    acquisition_lock_timeout_ms: int = wire(INT32, "1+")
    responses: list[ShareFetchableTopicResponse] = wire([ShareFetchableTopicResponse])
    node_endpoints: list[NodeEndpoint] = wire([NodeEndpoint])
