"""Structs that several responses hold: an error code for each partition, by topic."""

from __future__ import annotations

from pykafka_ops.wire.message import struct, wire
from pykafka_ops.wire.types import INT16, INT32, STRING


@struct
class PartitionCode:
    """The outcome for one partition."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)


@struct
class TopicCodes:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[PartitionCode] = wire([PartitionCode])
