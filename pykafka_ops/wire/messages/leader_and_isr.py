"""LeaderAndIsr (4): the controller has brokers lead and follow partitions.

Version 2 groups by topic and adds the broker epoch (KIP-380), 3 adding and removing replicas
(KIP-455), 5 topic ids and the full-update flag (KIP-516), 6 the recovery state (KIP-704), 7 the
migration flag (KIP-866).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, INT64, STRING, UUID


@struct
class LeaderAndIsrPartitionState:
    """State of one partition; ``partition_epoch`` is the znode version."""

    topic_name: str = wire(STRING, "0-1", ignorable=True)
    partition_index: int = wire(INT32)
    controller_epoch: int = wire(INT32)
    leader: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    isr: list[int] = wire([INT32])
    partition_epoch: int = wire(INT32)
    replicas: list[int] = wire([INT32])
    adding_replicas: list[int] = wire([INT32], "3+", ignorable=True)
    removing_replicas: list[int] = wire([INT32], "3+", ignorable=True)
    is_new: bool = wire(BOOL, "1+", ignorable=True)
    leader_recovery_state: int = wire(INT8, "6+")


@struct
class LeaderAndIsrTopicState:
    """The partitions of one topic."""

    topic_name: str = wire(STRING, "2+")
    topic_id: bytes = wire(UUID, "5+", ignorable=True)
    partition_states: list[LeaderAndIsrPartitionState] = wire([LeaderAndIsrPartitionState], "2+")


@struct
class LeaderAndIsrLiveLeader:
    """Address of a broker that leads one of the partitions."""

    broker_id: int = wire(INT32)
    host_name: str = wire(STRING)
    port: int = wire(INT32)


@message(ApiKey.LEADER_AND_ISR)
class LeaderAndIsrRequest:
    """``type`` 1 incremental, 2 full; partitions grouped by topic from version 2."""

    controller_id: int = wire(INT32)
    is_kraft_controller: bool = wire(BOOL, "7+")
    controller_epoch: int = wire(INT32)
    broker_epoch: int = wire(INT64, "2+", default=-1, ignorable=True)
    type: int = wire(INT8, "5+")
    ungrouped_partition_states: list[LeaderAndIsrPartitionState] = wire(
        [LeaderAndIsrPartitionState], "0-1"
    )
    topic_states: list[LeaderAndIsrTopicState] = wire([LeaderAndIsrTopicState], "2+")
    live_leaders: list[LeaderAndIsrLiveLeader] = wire([LeaderAndIsrLiveLeader])


@struct
class LeaderAndIsrPartitionError:
    """The error for one partition."""

    topic_name: str = wire(STRING, "0-4", ignorable=True)
    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)


@struct
class LeaderAndIsrTopicError:
    """The partitions of one topic."""

    topic_id: bytes = wire(UUID, "5+")
    partition_errors: list[LeaderAndIsrPartitionError] = wire([LeaderAndIsrPartitionError], "5+")


@message(ApiKey.LEADER_AND_ISR)
class LeaderAndIsrResponse:
    """``partition_errors`` to version 4, ``topics`` from 5."""

    error_code: int = wire(INT16)
    partition_errors: list[LeaderAndIsrPartitionError] = wire([LeaderAndIsrPartitionError], "0-4")
    topics: list[LeaderAndIsrTopicError] = wire([LeaderAndIsrTopicError], "5+")
