"""Structs that messages of several APIs hold, under other names in Kafka's specifications."""

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
    """The outcomes for the partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[PartitionCode] = wire([PartitionCode])


@struct
class NamedIndexes:
    """Partitions of one topic, as some requests name them."""

    name: str = wire(STRING)
    partition_indexes: list[int] = wire([INT32])


@struct
class NamedPartitions:
    """Partitions of one topic, as other requests name them."""

    name: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class TopicIndexes:
    """Partitions of one topic, as yet others name them."""

    topic: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class TopicPartition:
    """One partition."""

    topic_name: str = wire(STRING)
    partition_index: int = wire(INT32)


@struct
class Principal:
    """A user by the type and name of the principal."""

    principal_type: str = wire(STRING)
    principal_name: str = wire(STRING)


@struct
class NamedValue:
    """One setting and its value."""

    name: str = wire(STRING)
    value: str | None = wire(STRING, nullable="0+")


@struct
class LeaderIdAndEpoch:
    """The present leader of a partition, -1 each if unknown (KIP-951)."""

    leader_id: int = wire(INT32, default=-1)
    leader_epoch: int = wire(INT32, default=-1)


@struct
class NodeEndpoint:
    """Address of a broker that leads one of the partitions."""

    node_id: int = wire(INT32)
    host: str = wire(STRING)
    port: int = wire(INT32)
    rack: str | None = wire(STRING, nullable="0+", default=None)
