"""Metadata (3): brokers, topics, leaders.

Version 0 asks for all topics with an empty list, later ones with null. Version 4 can forbid topic
creation, 10 adds topic ids (KIP-516), 12 looks topics up by id, 13 has an error for the whole
request (KIP-1102).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, STRING, UUID


@struct
class MetadataRequestTopic:
    """One topic, by name or (version 12, name null) by id."""

    topic_id: bytes = wire(UUID, "10+", ignorable=True)
    name: str | None = wire(STRING, nullable="10+")


@message(ApiKey.METADATA)
class MetadataRequest:
    """Topics to describe; null means all (version 0: an empty list does)."""

    topics: list[MetadataRequestTopic] | None = wire([MetadataRequestTopic], nullable="1+")
    allow_auto_topic_creation: bool = wire(BOOL, "4+", default=True)
    include_cluster_authorized_operations: bool = wire(BOOL, "8-10")
    include_topic_authorized_operations: bool = wire(BOOL, "8+")


@struct
class MetadataResponseBroker:
    """One broker, at the address of the listener that was asked."""

    node_id: int = wire(INT32)
    host: str = wire(STRING)
    port: int = wire(INT32)
    rack: str | None = wire(STRING, "1+", nullable="1+", default=None, ignorable=True)


@struct
class MetadataResponsePartition:
    """Leader, replicas and ISR of one partition."""

    error_code: int = wire(INT16)
    partition_index: int = wire(INT32)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32, "7+", default=-1, ignorable=True)
    replica_nodes: list[int] = wire([INT32])
    isr_nodes: list[int] = wire([INT32])
    offline_replicas: list[int] = wire([INT32], "5+", ignorable=True)


@struct
class MetadataResponseTopic:
    """One topic or the error for it."""

    error_code: int = wire(INT16)
    name: str | None = wire(STRING, nullable="12+")
    topic_id: bytes = wire(UUID, "10+", ignorable=True)
    is_internal: bool = wire(BOOL, "1+", ignorable=True)
    partitions: list[MetadataResponsePartition] = wire([MetadataResponsePartition])
    topic_authorized_operations: int = wire(INT32, "8+", default=-2147483648)


@message(ApiKey.METADATA)
class MetadataResponse:
    """The cluster as the broker that was asked sees it."""

    throttle_time_ms: int = wire(INT32, "3+", ignorable=True)
    brokers: list[MetadataResponseBroker] = wire([MetadataResponseBroker])
    cluster_id: str | None = wire(STRING, "2+", nullable="2+", default=None, ignorable=True)
    controller_id: int = wire(INT32, "1+", default=-1, ignorable=True)
    topics: list[MetadataResponseTopic] = wire([MetadataResponseTopic])
    cluster_authorized_operations: int = wire(INT32, "8-10", default=-2147483648)
    error_code: int = wire(INT16, "13+", ignorable=True)
