"""DescribeLogDirs (35): replicas on the disks of the broker asked (KIP-113).

Version 3 has an error for the whole request, 4 the size of the volume (KIP-827),
5 whether new replicas keep out of a directory (KIP-1066).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicIndexes
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING

DescribableLogDirTopic = TopicIndexes


@message(ApiKey.DESCRIBE_LOG_DIRS)
class DescribeLogDirsRequest:
    """Topics to describe; null means all."""

    topics: list[DescribableLogDirTopic] | None = wire([DescribableLogDirTopic], nullable="0+")


@struct
class DescribeLogDirsPartition:
    """Size in bytes of one replica; ``is_future_key``: it is a copy in the making."""

    partition_index: int = wire(INT32)
    partition_size: int = wire(INT64)
    offset_lag: int = wire(INT64)
    is_future_key: bool = wire(BOOL)


@struct
class DescribeLogDirsTopic:
    """The replicas of one topic."""

    name: str = wire(STRING)
    partitions: list[DescribeLogDirsPartition] = wire([DescribeLogDirsPartition])


@struct
class DescribeLogDirsResult:
    """One directory: its replicas, and the bytes of its volume (-1: unknown)."""

    error_code: int = wire(INT16)
    log_dir: str = wire(STRING)
    topics: list[DescribeLogDirsTopic] = wire([DescribeLogDirsTopic])
    total_bytes: int = wire(INT64, "4+", default=-1, ignorable=True)
    usable_bytes: int = wire(INT64, "4+", default=-1, ignorable=True)
    is_cordoned: bool = wire(BOOL, "5+", ignorable=True)


@message(ApiKey.DESCRIBE_LOG_DIRS)
class DescribeLogDirsResponse:
    """All directories of the broker."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16, "3+", ignorable=True)
    results: list[DescribeLogDirsResult] = wire([DescribeLogDirsResult])
