"""ListOffsets (2): offsets by timestamp.

Timestamps -1 latest, -2 earliest, -3 largest timestamp (version 7), -4 earliest local (8), -5 last
tiered (9), -6 earliest to be tiered (11, KIP-1023). Version 0 answers with a list of segment
starts, 2 adds isolation levels, 4 leader epochs (KIP-320), 5 OFFSET_NOT_AVAILABLE (KIP-207), 10 how
long remote storage may take (KIP-1075).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, INT64, STRING


@struct
class ListOffsetsPartition:
    """One partition and the timestamp in ms to look for."""

    partition_index: int = wire(INT32)
    current_leader_epoch: int = wire(INT32, "4+", default=-1, ignorable=True)
    timestamp: int = wire(INT64)
    max_num_offsets: int = wire(INT32, "0", default=1)


@struct
class ListOffsetsTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[ListOffsetsPartition] = wire([ListOffsetsPartition])


@message(ApiKey.LIST_OFFSETS)
class ListOffsetsRequest:
    """Offsets to look up; ``replica_id`` is -1 for clients, ``timeout_ms`` for remote storage."""

    replica_id: int = wire(INT32)
    isolation_level: int = wire(INT8, "2+")
    topics: list[ListOffsetsTopic] = wire([ListOffsetsTopic])
    timeout_ms: int = wire(INT32, "10+", default=30_000, ignorable=True)


@struct
class ListOffsetsPartitionResponse:
    """The offset found in one partition, -1 when there is none."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    old_style_offsets: list[int] = wire([INT64], "0")
    timestamp: int = wire(INT64, "1+", default=-1)
    offset: int = wire(INT64, "1+", default=-1)
    leader_epoch: int = wire(INT32, "4+", default=-1)


@struct
class ListOffsetsTopicResponse:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[ListOffsetsPartitionResponse] = wire([ListOffsetsPartitionResponse])


@message(ApiKey.LIST_OFFSETS)
class ListOffsetsResponse:
    """The offset for each partition."""

    throttle_time_ms: int = wire(INT32, "2+", ignorable=True)
    topics: list[ListOffsetsTopicResponse] = wire([ListOffsetsTopicResponse])
