"""StopReplica (5): the controller has brokers stop replicas.

Version 1 groups by topic and adds the broker epoch (KIP-380), 3 says for each partition whether to
delete it, with its epoch (KIP-570).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedIndexes, TopicPartition
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING

StopReplicaPartitionV0 = TopicPartition
StopReplicaTopicV1 = NamedIndexes


@struct
class StopReplicaPartitionState:
    """One partition: its epoch, and whether its log goes."""

    partition_index: int = wire(INT32, "3+")
    leader_epoch: int = wire(INT32, "3+", default=-1)
    delete_partition: bool = wire(BOOL, "3+")


@struct
class StopReplicaTopicState:
    """The partitions of one topic."""

    topic_name: str = wire(STRING, "3+")
    partition_states: list[StopReplicaPartitionState] = wire([StopReplicaPartitionState], "3+")


@message(ApiKey.STOP_REPLICA)
class StopReplicaRequest:
    """``ungrouped_partitions`` in 0, ``topics`` in 1-2, ``topic_states`` from 3."""

    controller_id: int = wire(INT32)
    is_kraft_controller: bool = wire(BOOL, "4+")
    controller_epoch: int = wire(INT32)
    broker_epoch: int = wire(INT64, "1+", default=-1, ignorable=True)
    delete_partitions: bool = wire(BOOL, "0-2")
    ungrouped_partitions: list[StopReplicaPartitionV0] = wire([StopReplicaPartitionV0], "0")
    topics: list[StopReplicaTopicV1] = wire([StopReplicaTopicV1], "1-2")
    topic_states: list[StopReplicaTopicState] = wire([StopReplicaTopicState], "3+")


@struct
class StopReplicaPartitionError:
    """The outcome for one partition."""

    topic_name: str = wire(STRING)
    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)


@message(ApiKey.STOP_REPLICA)
class StopReplicaResponse:
    """The outcome for each partition."""

    error_code: int = wire(INT16)
    partition_errors: list[StopReplicaPartitionError] = wire([StopReplicaPartitionError])
