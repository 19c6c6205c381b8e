"""UpdateMetadata (6): the controller sends brokers the leaders and the live brokers.

Version 5 groups by topic and adds the broker epoch (KIP-380), 7 topic ids (KIP-516), 8 the
full-update flag (KIP-866).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, INT64, STRING, UUID


@struct
class UpdateMetadataPartitionState:
    """State of one partition; leader -2 means the topic is being deleted."""

    topic_name: str = wire(STRING, "0-4", ignorable=True)
    partition_index: int = wire(INT32)
    controller_epoch: int = wire(INT32)
    leader: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    isr: list[int] = wire([INT32])
    zk_version: int = wire(INT32)
    replicas: list[int] = wire([INT32])
    offline_replicas: list[int] = wire([INT32], "4+", ignorable=True)


@struct
class UpdateMetadataTopicState:
    """The partitions of one topic."""

    topic_name: str = wire(STRING, "5+")
    topic_id: bytes = wire(UUID, "7+", ignorable=True)
    partition_states: list[UpdateMetadataPartitionState] = wire(
        [UpdateMetadataPartitionState], "5+"
    )


@struct
class UpdateMetadataEndpoint:
    """One listener of a broker."""

    port: int = wire(INT32, "1+")
    host: str = wire(STRING, "1+")
    listener: str = wire(STRING, "3+", ignorable=True)
    security_protocol: int = wire(INT16, "1+")


@struct
class UpdateMetadataBroker:
    """One live broker: host and port in version 0, then its listeners."""

    id: int = wire(INT32)
    v0_host: str = wire(STRING, "0", ignorable=True)
    v0_port: int = wire(INT32, "0", ignorable=True)
    endpoints: list[UpdateMetadataEndpoint] = wire([UpdateMetadataEndpoint], "1+", ignorable=True)
    rack: str | None = wire(STRING, "2+", nullable="2+", ignorable=True)


@message(ApiKey.UPDATE_METADATA)
class UpdateMetadataRequest:
    """What changed, or (``type`` 2) the whole cluster."""

    controller_id: int = wire(INT32)
    is_kraft_controller: bool = wire(BOOL, "8+")
    type: int = wire(INT8, "8+", tag=0)
    controller_epoch: int = wire(INT32)
    broker_epoch: int = wire(INT64, "5+", default=-1, ignorable=True)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = wire(
        [UpdateMetadataPartitionState], "0-4"
    )
    topic_states: list[UpdateMetadataTopicState] = wire([UpdateMetadataTopicState], "5+")
    live_brokers: list[UpdateMetadataBroker] = wire([UpdateMetadataBroker])


@message(ApiKey.UPDATE_METADATA)
class UpdateMetadataResponse:
    """Whether the broker took it."""

    error_code: int = wire(INT16)
