"""What the controller orders, done on this broker: lead, follow, stop, know the cluster.

Counterpart of ``ReplicaManager.becomeLeaderOrFollower``, ``stopReplicas`` and of
``maybeUpdateMetadataCache``.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from pykafka_ops.broker.state.leadership import EPOCH_DURING_DELETE
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

if TYPE_CHECKING:
    from pykafka_ops.broker.net.coordinators import Coordinators
    from pykafka_ops.broker.net.live_settings import LiveSettings
    from pykafka_ops.broker.state.image import MetadataImage
    from pykafka_ops.broker.state.orders import (
        LeaderAndIsrOrder,
        MetadataOrder,
        PartitionErrors,
        ReplicaChange,
        StopChange,
        StopReplicaOrder,
    )
    from pykafka_ops.broker.storage.log_dirs import LogDirs
    from pykafka_ops.broker.storage.partition import Partition
    from pykafka_ops.broker.storage.replicas import Replicas

log = logging.getLogger("state.change.logger")

BATCH = 50
"""Partitions handled before clients get a turn."""


class LocalReplicas:
    """A :class:`~pykafka_ops.broker.state.orders.ReplicaService` on this broker's own logs."""

    def __init__(
        self,
        image: MetadataImage,
        replicas: Replicas,
        logs: LogDirs,
        settings: LiveSettings,
        *,
        coordinators: Coordinators | None = None,
    ) -> None:
        self._image = image
        self._replicas = replicas
        self._logs = logs
        self._settings = settings
        self._coordinators = coordinators
        self._turn = asyncio.Lock()
        """Held while an order is obeyed: a new controller does not cut into the old one's."""
        self._controller_epoch = -1
        self.broker_epoch = -1

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """Lead or follow these partitions; logs of new ones are created."""
        async with self._turn:
            return await self._lead_and_follow(order)

    async def _lead_and_follow(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        self._check(order.controller_epoch, order.broker_epoch)
        await self._settings.load_topics({change.topic for change in order.changes})
        errors: PartitionErrors = {}
        for number, change in enumerate(order.changes, 1):
            try:
                self._become(change)
            except KafkaError as error:
                log.error("%s-%d: %s", change.topic, change.partition, error.message or error.code)
                errors[change.topic, change.partition] = ErrorCode(error.code)
            if number % BATCH == 0:
                await asyncio.sleep(0)
        return errors

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """Stop these partitions and delete their logs where asked to."""
        async with self._turn:
            return await self._stop_all(order)

    async def _stop_all(self, order: StopReplicaOrder) -> PartitionErrors:
        self._check(order.controller_epoch, order.broker_epoch)
        errors: PartitionErrors = {}
        for number, stop in enumerate(order.stops, 1):
            try:
                self._stop(stop)
            except KafkaError as error:
                errors[stop.topic, stop.partition] = ErrorCode(error.code)
            if number % BATCH == 0:
                await asyncio.sleep(0)
        return errors

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """Take over the controller's picture of the cluster."""
        self._check(order.delta.controller_epoch, order.broker_epoch)
        self._image.apply(order.delta)
        gone = [topic for topic in order.delta.partitions if topic not in self._image.topics]
        for topic in gone:
            self._settings.forget_topic(topic)
        if gone and self._coordinators is not None:
            self._coordinators.topics_deleted(gone)

    def _check(self, controller_epoch: int, broker_epoch: int) -> None:
        if broker_epoch != -1 and broker_epoch < self.broker_epoch:
            raise KafkaError(
                ErrorCode.STALE_BROKER_EPOCH,
                f"epoch {broker_epoch} is older than {self.broker_epoch}",
            )
        if controller_epoch < self._controller_epoch:
            raise KafkaError(
                ErrorCode.STALE_CONTROLLER_EPOCH,
                f"epoch {controller_epoch} is older than {self._controller_epoch}",
            )
        self._controller_epoch = controller_epoch

    def _become(self, change: ReplicaChange) -> None:
        replicas, logs = self._replicas, self._logs
        topic, index, state = change.topic, change.partition, change.state
        partition = replicas.find(topic, index)
        if partition is not None:
            self._check_order(partition, change)
        if logs.get(topic, index) is None:
            logs.create(
                topic,
                index,
                None if change.topic_id == ZERO_UUID else change.topic_id,
                self._settings.topic_config(topic),
                is_new=change.is_new,
            )
        if partition is None:
            partition = replicas.host(topic, index, change.topic_id)
        partition.topic_id = change.topic_id
        new_epoch = partition.become(state, change.assignment)
        if new_epoch and self._coordinators is not None:
            self._coordinators.led(partition)

    def _check_order(self, partition: Partition, change: ReplicaChange) -> None:
        if change.state.leader_epoch < partition.leader_epoch:
            raise KafkaError(ErrorCode.STALE_CONTROLLER_EPOCH, "older leader epoch")
        ids = {partition.topic_id, change.topic_id} - {ZERO_UUID}
        if len(ids) > 1:
            raise KafkaError(ErrorCode.INCONSISTENT_TOPIC_ID, "the topic has another id here")

    def _stop(self, stop: StopChange) -> None:
        partition = self._replicas.find(stop.topic, stop.partition)
        deleting = stop.leader_epoch in (EPOCH_DURING_DELETE, -1)
        if partition is not None and not deleting and stop.leader_epoch < partition.leader_epoch:
            raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        self._replicas.drop(stop.topic, stop.partition)
        if self._coordinators is not None:
            self._coordinators.lost(stop.topic, stop.partition)
        if stop.delete:
            self._logs.delete(stop.topic, stop.partition)
