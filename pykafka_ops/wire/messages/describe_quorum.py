"""DescribeQuorum (55): leader, voters and observers of the metadata log (KIP-595).

Version 1 adds when replicas fetched (KIP-836), 2 directory ids, addresses and texts (KIP-853).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING, UINT16, UUID


@struct
class PartitionRequest:
    """One partition."""

    partition_index: int = wire(INT32)


@struct
class TopicRequest:
    """The partitions of one topic."""

    topic_name: str = wire(STRING)
    partitions: list[PartitionRequest] = wire([PartitionRequest])


@message(ApiKey.DESCRIBE_QUORUM)
class DescribeQuorumRequest:
    """Partitions of Raft logs, of which there is one."""

    topics: list[TopicRequest] = wire([TopicRequest])


@struct
class ReplicaState:
    """How far a replica is; times in ms, -1: not known."""

    replica_id: int = wire(INT32)
    replica_directory_id: bytes = wire(UUID, "2+")
    log_end_offset: int = wire(INT64)
    last_fetch_timestamp: int = wire(INT64, "1+", default=-1, ignorable=True)
    last_caught_up_timestamp: int = wire(INT64, "1+", default=-1, ignorable=True)


@struct
class PartitionData:
    """One partition; ``leader_id`` is -1 while there is none."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "2+", nullable="2+", ignorable=True)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    high_watermark: int = wire(INT64)
    current_voters: list[ReplicaState] = wire([ReplicaState])
    observers: list[ReplicaState] = wire([ReplicaState])


@struct
class TopicData:
    """The partitions of one topic."""

    topic_name: str = wire(STRING)
    partitions: list[PartitionData] = wire([PartitionData])


@struct
class Listener:
    """One address of a node."""

    name: str = wire(STRING, "2+")
    host: str = wire(STRING, "2+")
    port: int = wire(UINT16, "2+")


@struct
class Node:
    """A voter and its addresses."""

    node_id: int = wire(INT32, "2+")
    listeners: list[Listener] = wire([Listener], "2+")


@message(ApiKey.DESCRIBE_QUORUM)
class DescribeQuorumResponse:
    """The quorum as the controller sees it."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, "2+", nullable="2+", ignorable=True)
    topics: list[TopicData] = wire([TopicData])
    nodes: list[Node] = wire([Node], "2+")
