"""OffsetCommit (8): store the offsets of a group.

Version 1 adds generation and member, 5 drops the retention time (KIP-211), 6 adds leader epochs
(KIP-320), 7 static members (KIP-345), 9 is also for the consumer protocol of KIP-848.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicCodes
from pykafka_ops.wire.types import INT32, INT64, STRING


@struct
class OffsetCommitRequestPartition:
    """The next offset to read, and a word of the client's own."""

    partition_index: int = wire(INT32)
    committed_offset: int = wire(INT64)
    committed_leader_epoch: int = wire(INT32, "6+", default=-1, ignorable=True)
    commit_timestamp: int = wire(INT64, "1", default=-1)
    committed_metadata: str | None = wire(STRING, nullable="0+")


@struct
class OffsetCommitRequestTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[OffsetCommitRequestPartition] = wire([OffsetCommitRequestPartition])


@message(ApiKey.OFFSET_COMMIT)
class OffsetCommitRequest:
    """Offsets to store; generation -1: the group has no members (or KIP-848 epoch)."""

    group_id: str = wire(STRING)
    generation_id_or_member_epoch: int = wire(INT32, "1+", default=-1, ignorable=True)
    member_id: str = wire(STRING, "1+", ignorable=True)
    group_instance_id: str | None = wire(STRING, "7+", nullable="7+", default=None)
    retention_time_ms: int = wire(INT64, "2-4", default=-1, ignorable=True)
    topics: list[OffsetCommitRequestTopic] = wire([OffsetCommitRequestTopic])


@message(ApiKey.OFFSET_COMMIT)
class OffsetCommitResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32, "3+", ignorable=True)
    topics: list[TopicCodes] = wire([TopicCodes])
