"""The controller's orders to brokers, as values; to its own broker they are plain calls.

Counterparts of LeaderAndIsr, StopReplica and UpdateMetadata. :class:`OrderExecutor` is the
side that obeys: the broker's own replicas, or a connection to another broker.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicPartition,
)
from pykafka_ops.broker.state.image import BrokerInfo, MetadataDelta
from pykafka_ops.wire.codes import ErrorCode


class ReplicaChange(NamedTuple):
    """The state of a partition that a broker hosts; ``is_new`` allows it to create the log."""

    topic: str
    topic_id: bytes
    partition: int
    state: LeaderAndIsr
    assignment: ReplicaAssignment
    is_new: bool


class StopChange(NamedTuple):
    """A partition to stop, and with ``delete`` to remove.

    ``leader_epoch`` is EPOCH_DURING_DELETE (always newer) when the topic is being deleted.
    """

    topic: str
    partition: int
    leader_epoch: int
    delete: bool


@dataclass(slots=True, kw_only=True)
class LeaderAndIsrOrder:
    """Become leader or follower of these partitions; ``leaders`` are the live brokers that lead."""

    controller_id: int
    controller_epoch: int
    broker_epoch: int
    changes: list[ReplicaChange]
    leaders: Iterable[BrokerInfo] = ()


@dataclass(slots=True, kw_only=True)
class StopReplicaOrder:
    """Stop these partitions."""

    controller_id: int
    controller_epoch: int
    broker_epoch: int
    stops: list[StopChange]


@dataclass(slots=True, kw_only=True)
class MetadataOrder:
    """Take over this part of the cluster's picture."""

    broker_epoch: int
    delta: MetadataDelta


Order = LeaderAndIsrOrder | StopReplicaOrder | MetadataOrder
PartitionErrors = dict[TopicPartition, ErrorCode]
"""Only the partitions that failed; empty if all went well."""


class OrderExecutor(Protocol):
    """Obeys a controller.

    Calls for one broker come one after the other in the order they were decided. Each raises
    KafkaError STALE_CONTROLLER_EPOCH or STALE_BROKER_EPOCH if the order is from the past.
    """

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """Lead or follow; creates logs that are missing."""

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """Stop, and delete where asked to. A partition it does not host is no error."""

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """Change the picture of the cluster (``MetadataImage.apply``)."""
