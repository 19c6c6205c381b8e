"""Executes the controller's orders on this broker: lead, follow, stop, update the metadata.

Counterpart of ``ReplicaManager.becomeLeaderOrFollower``, ``stopReplicas`` and of
``maybeUpdateMetadataCache``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from pykafka_ops.broker.coordinators.hosted import Coordinators
from pykafka_ops.broker.metadata.store import SessionLostError
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.runtime.log_text import first_of
from pykafka_ops.broker.runtime.replication.fetchers import ReplicaFetchers
from pykafka_ops.broker.runtime.settings.live import LiveSettings
from pykafka_ops.broker.runtime.time_slice import TimeSlice
from pykafka_ops.broker.state.controller.leadership import EPOCH_DURING_DELETE, TopicPartition
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    PartitionErrors,
    ReplicaChange,
    StopChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

log = logging.getLogger("state.change.logger")

EXPECTED = (ErrorCode.STALE_CONTROLLER_EPOCH,)
"""A new controller repeats what is known."""


class LocalOrderExecutor:
    """A :class:`.orders.OrderExecutor` on this broker's own logs."""

    def __init__(
        self,
        image: MetadataImage,
        replicas: Replicas,
        logs: LogManager,
        settings: LiveSettings,
        *,
        coordinators: Coordinators,
        fetchers: ReplicaFetchers,
    ) -> None:
        self._image = image
        self._replicas = replicas
        self._logs = logs
        self._settings = settings
        self._coordinators = coordinators
        self._fetchers = fetchers
        self._turn = asyncio.Lock()
        """Held while an order is executed: a new controller's order waits for the old one's."""
        self._controller_epoch = -1
        self._without_space: set[TopicPartition] = set()
        """Partitions refused for a full disk: the controller waits for their return."""
        self.broker_epoch = -1

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """Lead or follow these partitions; logs of new ones are created."""
        async with self._turn:
            return await self._lead_and_follow(order)

    async def _lead_and_follow(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        self._check(order.controller_epoch, order.broker_epoch)
        try:
            await self._settings.load_topics({change.topic for change in order.changes})
        except SessionLostError:  # a broker that registers anew gets all of it again
            raise KafkaError(ErrorCode.STALE_BROKER_EPOCH, "the session is lost") from None
        errors: PartitionErrors = {}
        leaders = {broker.id for broker in order.leaders}
        refused: dict[str, list[str]] = {}
        time_slice = TimeSlice()
        for change in order.changes:
            try:
                self._become(change, leaders)
            except KafkaError as error:
                name, reason = f"{change.topic}-{change.partition}", error.message or error.code
                if error.code in EXPECTED:
                    refused.setdefault(str(reason), []).append(name)
                else:
                    log.error("%s: %s", name, reason)
                errors[change.topic, change.partition] = ErrorCode(error.code)
            await time_slice.pause()
        for reason, names in refused.items():  # one line: a new controller sends every partition
            log.info("%s: %s", first_of(names), reason)
        self._fetchers.end_idle()
        return errors

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """Stop these partitions and delete their logs where asked to."""
        async with self._turn:
            return await self._stop_all(order)

    async def _stop_all(self, order: StopReplicaOrder) -> PartitionErrors:
        self._check(order.controller_epoch, order.broker_epoch)
        errors: PartitionErrors = {}
        time_slice = TimeSlice()
        for stop in order.stops:
            try:
                self._stop(stop)
            except KafkaError as error:
                errors[stop.topic, stop.partition] = ErrorCode(error.code)
            await time_slice.pause()
        self._fetchers.end_idle()
        return errors

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """Take over the controller's metadata of the cluster."""
        self._check(order.delta.controller_epoch, order.broker_epoch)
        known = self._image.brokers
        self._image.apply(order.delta)
        dead = known.keys() - self._image.brokers.keys()
        if dead:
            self._replicas.brokers_gone(dead)
        gone = [topic for topic in order.delta.partitions if topic not in self._image.topics]
        for topic in gone:
            self._settings.forget_topic(topic)
        if gone:
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

    # -- becoming leader or follower

    def _become(self, change: ReplicaChange, leaders: Collection[int]) -> None:
        """As ``becomeLeaderOrFollower`` decides; raises KafkaError for what it refuses."""
        replicas = self._replicas
        topic, index, state = change.topic, change.partition, change.state
        partition = replicas.find(topic, index)
        self._check_space(change)
        if partition is not None and not self._is_news(partition, change):
            return
        if replicas.broker_id not in change.assignment.replicas:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "not assigned to this broker")
        leads = state.leader == replicas.broker_id
        self._ensure_log(change)
        if partition is None:
            partition = replicas.host(topic, index, change.topic_id)
        if change.topic_id != ZERO_UUID:
            partition.topic_id = change.topic_id
        if not leads and state.leader not in leaders and not self._image.alive(state.leader):
            log.info("%s-%d: its leader, %d, is not alive", topic, index, state.leader)
            return  # the log is there, so that its high watermark is kept
        if state.partition_epoch < partition.partition_epoch:
            return
        if leads:
            self._fetchers.stop([partition.key])
        new_epoch = partition.become(state, change.assignment)
        if not leads and new_epoch:
            self._fetchers.follow(partition)
        replicas.wake_soon(partition.key)
        if new_epoch:
            self._coordinators.led(partition)

    def _check_space(self, change: ReplicaChange) -> None:
        """Refuse to serve with a full disk what another replica in sync has."""
        key, me = (change.topic, change.partition), self._replicas.broker_id
        data_dir = self._logs.directory_of(key)
        if data_dir is not None and data_dir.home.full and change.state.isr != (me,):
            self._without_space.add(key)
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "its log directory is full")

    def _is_news(self, partition: Partition, change: ReplicaChange) -> bool:
        """Whether there is anything to do, other than to learn the topic's id."""
        if partition.offline:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "its log directory is offline")
        known, ordered = partition.topic_id, change.topic_id
        if ZERO_UUID not in (known, ordered) and known != ordered:
            raise KafkaError(ErrorCode.INCONSISTENT_TOPIC_ID, "the topic has another id here")
        if change.state.leader_epoch > partition.leader_epoch:
            return True
        if change.state.leader_epoch < partition.leader_epoch:
            raise KafkaError(ErrorCode.STALE_CONTROLLER_EPOCH, "older leader epoch")
        back = partition.key in self._without_space
        self._without_space.discard(partition.key)
        if known != ordered and (ordered != ZERO_UUID or not partition.is_leader):
            if ordered != ZERO_UUID:
                partition.log.place.assign_topic_id(ordered)
            partition.topic_id = ordered
        elif not back:
            raise KafkaError(ErrorCode.STALE_CONTROLLER_EPOCH, "nothing new")
        if not partition.is_leader:
            self._fetchers.follow(partition)
        return False

    def _ensure_log(self, change: ReplicaChange) -> None:
        topic, index = change.topic, change.partition
        topic_id = None if change.topic_id == ZERO_UUID else change.topic_id
        if self._logs.claim((topic, index)):
            return  # its Log is made when it is used
        if self._logs.offline and not change.is_new:  # it may be in such a directory
            self._replicas.host(topic, index, change.topic_id).go_offline()
        config = self._settings.topic_config(topic)
        self._logs.create(topic, index, topic_id, config, is_new=change.is_new)

    # -- stopping

    def _stop(self, stop: StopChange) -> None:
        """As ``stopReplicas``: what is not deleted is only copied no more."""
        key = stop.topic, stop.partition
        partition = self._replicas.find(*key)
        if partition is not None:
            if partition.offline:
                raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR)
            deleting = stop.leader_epoch in (EPOCH_DURING_DELETE, -1)
            if not deleting and stop.leader_epoch < partition.leader_epoch:
                raise KafkaError(ErrorCode.FENCED_LEADER_EPOCH)
        self._fetchers.stop([key])
        if not stop.delete:
            self._replicas.wake_soon(key)
            return
        self._replicas.drop(*key)
        self._coordinators.lost(*key)
        self._logs.delete(*key)

    # -- a log directory that failed

    def dir_failed(self, gone: list[TopicPartition]) -> None:
        """The logs of these partitions are gone until the next start: requests that wait for them
        are answered, and nothing is copied to them."""
        self._fetchers.stop(gone)
        for key in gone:
            self._coordinators.lost(*key)
            partition = self._replicas.find(*key)
            if partition is not None:
                partition.go_offline()
                self._replicas.wake_soon(key)
