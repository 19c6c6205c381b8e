"""AlterPartition (56): a leader asks the controller to change its ISR (KIP-497).

Version 1 adds the recovery state (KIP-704), 2 topic ids, 3 broker epochs (KIP-903).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, INT64, STRING, UUID


@struct
class BrokerState:
    """A member of the new ISR, with its broker epoch."""

    broker_id: int = wire(INT32, "3+")
    broker_epoch: int = wire(INT64, "3+", default=-1)


@struct
class AlterPartitionRequestPartitionData:
    """The new ISR: ``new_isr`` to version 2, with epochs from 3."""

    partition_index: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    new_isr: list[int] = wire([INT32], "0-2")
    new_isr_with_epochs: list[BrokerState] = wire([BrokerState], "3+")
    leader_recovery_state: int = wire(INT8, "1+")
    partition_epoch: int = wire(INT32)


@struct
class AlterPartitionRequestTopicData:
    """The partitions of one topic: by name to version 1, then by id."""

    topic_name: str = wire(STRING, "0-1", ignorable=True)
    topic_id: bytes = wire(UUID, "2+", ignorable=True)
    partitions: list[AlterPartitionRequestPartitionData] = wire(
        [AlterPartitionRequestPartitionData]
    )


@message(ApiKey.ALTER_PARTITION)
class AlterPartitionRequest:
    """ISRs to change, from the broker that leads the partitions."""

    broker_id: int = wire(INT32)
    broker_epoch: int = wire(INT64, default=-1)
    topics: list[AlterPartitionRequestTopicData] = wire([AlterPartitionRequestTopicData])


@struct
class AlterPartitionResponsePartitionData:
    """The state of one partition after the change, or the error."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    leader_id: int = wire(INT32)
    leader_epoch: int = wire(INT32)
    isr: list[int] = wire([INT32])
    leader_recovery_state: int = wire(INT8, "1+", ignorable=True)
    partition_epoch: int = wire(INT32)


@struct
class AlterPartitionResponseTopicData:
    """The partitions of one topic: by name to version 1, then by id."""

    topic_name: str = wire(STRING, "0-1", ignorable=True)
    topic_id: bytes = wire(UUID, "2+", ignorable=True)
    partitions: list[AlterPartitionResponsePartitionData] = wire(
        [AlterPartitionResponsePartitionData]
    )


@message(ApiKey.ALTER_PARTITION)
class AlterPartitionResponse:
    """The outcome for each partition."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    topics: list[AlterPartitionResponseTopicData] = wire([AlterPartitionResponseTopicData])
