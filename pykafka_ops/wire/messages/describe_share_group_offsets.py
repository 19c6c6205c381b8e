"""DescribeShareGroupOffsets (90): where share groups are (KIP-932).

Version 1 adds the lag (KIP-1226).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING, UUID


@struct
class DescribeShareGroupOffsetsRequestTopic:
    """Partitions of one topic."""

    topic_name: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class DescribeShareGroupOffsetsRequestGroup:
    """One group; null topics mean all of them."""

    group_id: str = wire(STRING)
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None = wire(
        [DescribeShareGroupOffsetsRequestTopic], nullable="0+"
    )


@message(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS)
class DescribeShareGroupOffsetsRequest:
    """Groups to describe."""

    groups: list[DescribeShareGroupOffsetsRequestGroup] = wire(
        [DescribeShareGroupOffsetsRequestGroup]
    )


@struct
class DescribeShareGroupOffsetsResponsePartition:
    """The first offset that is not done with (-1: none yet), and the lag (-1: not known)."""

    partition_index: int = wire(INT32)
    start_offset: int = wire(INT64)
    leader_epoch: int = wire(INT32)
    lag: int = wire(INT64, "1+", default=-1, ignorable=True)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)


@struct
class DescribeShareGroupOffsetsResponseTopic:
    """The partitions of one topic."""

    topic_name: str = wire(STRING)
    topic_id: bytes = wire(UUID)
    partitions: list[DescribeShareGroupOffsetsResponsePartition] = wire(
        [DescribeShareGroupOffsetsResponsePartition]
    )


@struct
class DescribeShareGroupOffsetsResponseGroup:
    """The offsets of one group, or the error for it."""

    group_id: str = wire(STRING)
    topics: list[DescribeShareGroupOffsetsResponseTopic] = wire(
        [DescribeShareGroupOffsetsResponseTopic]
    )
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)


@message(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS)
class DescribeShareGroupOffsetsResponse:
    """Each group asked for."""

    throttle_time_ms: int = wire(INT32)
    groups: list[DescribeShareGroupOffsetsResponseGroup] = wire(
        [DescribeShareGroupOffsetsResponseGroup]
    )
