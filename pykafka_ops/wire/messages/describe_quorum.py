"""DescribeQuorum (55): the controllers of a KRaft cluster (KIP-595). For clients only."""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING, UINT16, UUID


@struct
class DescribeQuorumRequestPartitionData:
    """The partition of the metadata log."""

    partition_index: int = wire(INT32)


@struct
class DescribeQuorumRequestTopicData:
    """The topic of the metadata log."""

    topic_name: str = wire(STRING)
    partitions: list[DescribeQuorumRequestPartitionData] = wire(
        [DescribeQuorumRequestPartitionData]
    )


@message(api=55, kind="request", versions="0-2", flexible="0+")
class DescribeQuorumRequest:
    """The quorum to describe."""

    topics: list[DescribeQuorumRequestTopicData] = wire([DescribeQuorumRequestTopicData])


@struct
class ReplicaState:
    """How far one replica is; times in ms."""

    replica_id: int = wire(INT32)
    replica_directory_id: bytes = wire(UUID, "2+")
    log_end_offset: int = wire(INT64)
    last_fetch_timestamp: int = wire(INT64, "1+", default=-1, ignorable=True)
    last_caught_up_timestamp: int = wire(INT64, "1+", default=-1, ignorable=True)


@struct
class DescribeQuorumResponsePartitionData:
    """Leader, voters and observers."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "2+", nullable="2+", ignorable=True)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    high_watermark: int = wire(INT64)
    current_voters: list[ReplicaState] = wire([ReplicaState])
    observers: list[ReplicaState] = wire([ReplicaState])


@struct
class DescribeQuorumResponseTopicData:
    """The topic of the metadata log."""

    topic_name: str = wire(STRING)
    partitions: list[DescribeQuorumResponsePartitionData] = wire(
        [DescribeQuorumResponsePartitionData]
    )


@struct
class Listener:
    """One listener of a controller."""

    name: str = wire(STRING, "2+")
    host: str = wire(STRING, "2+")
    port: int = wire(UINT16, "2+")


@struct
class Node:
    """One controller and its listeners."""

    node_id: int = wire(INT32, "2+")
    listeners: list[Listener] = wire([Listener], "2+")


@message(api=55, kind="response", versions="0-2", flexible="0+")
class DescribeQuorumResponse:
    """The state of the quorum."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "2+", nullable="2+", ignorable=True)
    topics: list[DescribeQuorumResponseTopicData] = wire([DescribeQuorumResponseTopicData])
    nodes: list[Node] = wire([Node], "2+")
