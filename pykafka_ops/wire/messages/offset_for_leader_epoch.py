"""OffsetForLeaderEpoch (23): where an epoch ends (KIP-101, KIP-279, KIP-320).

Followers ask before they truncate, consumers to notice truncation. Version 1 answers with the
epoch, 2 knows the current one (KIP-320).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@struct
class OffsetForLeaderPartition:
    """One partition and the epoch asked for."""

    partition: int = wire(INT32)
    current_leader_epoch: int = wire(INT32, "2+", default=-1, ignorable=True)
    leader_epoch: int = wire(INT32)


@struct
class OffsetForLeaderTopic:
    """The partitions of one topic."""

    topic: str = wire(STRING)
    partitions: list[OffsetForLeaderPartition] = wire([OffsetForLeaderPartition])


@message(ApiKey.OFFSET_FOR_LEADER_EPOCH)
class OffsetForLeaderEpochRequest:
    """Epochs to look up; ``replica_id`` is -2 for consumers of old."""

    replica_id: int = wire(INT32, "3+", default=-2, ignorable=True)
    topics: list[OffsetForLeaderTopic] = wire([OffsetForLeaderTopic])


@struct
class EpochEndOffset:
    """The epoch found, at most the one asked for, and its end (-1: unknown)."""

    error_code: int = wire(INT16)
    partition: int = wire(INT32)
    leader_epoch: int = wire(INT32, "1+", default=-1, ignorable=True)
    end_offset: int = wire(INT64, default=-1)


@struct
class OffsetForLeaderTopicResult:
    """The partitions of one topic."""

    topic: str = wire(STRING)
    partitions: list[EpochEndOffset] = wire([EpochEndOffset])


@message(ApiKey.OFFSET_FOR_LEADER_EPOCH)
class OffsetForLeaderEpochResponse:
    """The end of each epoch."""

    throttle_time_ms: int = wire(INT32, "2+", ignorable=True)
    topics: list[OffsetForLeaderTopicResult] = wire([OffsetForLeaderTopicResult])
