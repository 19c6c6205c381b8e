"""TxnOffsetCommit (28): store the offsets of a group inside a transaction (KIP-98).

Version 3 adds member and generation, so that zombies are fenced (KIP-447).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicCodes
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@struct
class TxnOffsetCommitRequestPartition:
    """The next offset to read, and a word of the client's own."""

    partition_index: int = wire(INT32)
    committed_offset: int = wire(INT64)
    committed_leader_epoch: int = wire(INT32, "2+", default=-1, ignorable=True)
    committed_metadata: str | None = wire(STRING, nullable="0+")


@struct
class TxnOffsetCommitRequestTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[TxnOffsetCommitRequestPartition] = wire([TxnOffsetCommitRequestPartition])


@message(ApiKey.TXN_OFFSET_COMMIT)
class TxnOffsetCommitRequest:
    """Offsets that count once the transaction commits."""

    transactional_id: str = wire(STRING)
    group_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    generation_id: int = wire(INT32, "3+", default=-1)
    member_id: str = wire(STRING, "3+")
    group_instance_id: str | None = wire(STRING, "3+", nullable="3+", default=None)
    topics: list[TxnOffsetCommitRequestTopic] = wire([TxnOffsetCommitRequestTopic])


@message(ApiKey.TXN_OFFSET_COMMIT)
class TxnOffsetCommitResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32)
    topics: list[TopicCodes] = wire([TopicCodes])
