"""AlterShareGroupOffsets (91): move a share group without members (KIP-932)."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING, UUID


@struct
class AlterShareGroupOffsetsRequestPartition:
    """One partition and its new start offset."""

    partition_index: int = wire(INT32)
    start_offset: int = wire(INT64)


@struct
class AlterShareGroupOffsetsRequestTopic:
    """The partitions of one topic."""

    topic_name: str = wire(STRING)
    partitions: list[AlterShareGroupOffsetsRequestPartition] = wire(
        [AlterShareGroupOffsetsRequestPartition]
    )


@message(ApiKey.ALTER_SHARE_GROUP_OFFSETS)
class AlterShareGroupOffsetsRequest:
    """The group and where it is to start."""

    group_id: str = wire(STRING)
    topics: list[AlterShareGroupOffsetsRequestTopic] = wire([AlterShareGroupOffsetsRequestTopic])


@struct
class AlterShareGroupOffsetsResponsePartition:
    """The outcome for one partition."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)


@struct
class AlterShareGroupOffsetsResponseTopic:
    """The outcomes for one topic."""

    topic_name: str = wire(STRING)
    topic_id: bytes = wire(UUID)
    partitions: list[AlterShareGroupOffsetsResponsePartition] = wire(
        [AlterShareGroupOffsetsResponsePartition]
    )


@message(ApiKey.ALTER_SHARE_GROUP_OFFSETS)
class AlterShareGroupOffsetsResponse:
    """The outcome for the group and for each partition."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    responses: list[AlterShareGroupOffsetsResponseTopic] = wire(
        [AlterShareGroupOffsetsResponseTopic]
    )
