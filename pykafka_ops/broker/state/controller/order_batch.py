"""Collects the controller's orders, one set per broker (``BrokerRequestBatch``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from pykafka_ops.broker.state.controller.cluster import ControllerContext
from pykafka_ops.broker.state.controller.leadership import TopicPartition
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    Order,
    ReplicaChange,
    StopChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.controller.steps import Send, Steps, portions
from pykafka_ops.broker.state.image import MetadataDelta, PartitionImage


@dataclass(slots=True, eq=False)
class _Collected:
    """The partitions, by kind of order, that the next flush sends."""

    changes: dict[int, dict[TopicPartition, bool]] = field(default_factory=dict)
    stops: dict[int, dict[TopicPartition, bool]] = field(default_factory=dict)
    metadata: dict[TopicPartition, None] = field(default_factory=dict)
    everything_to: set[int] = field(default_factory=set)
    to_all: bool = False

    def partitions(self) -> list[TopicPartition]:
        """All partitions in the orders, each once."""
        every = chain(self.metadata, *self.changes.values(), *self.stops.values())
        return list(dict.fromkeys(every))


class OrderBatch:
    """Filled by a rule, then flushed.

    For each partition every broker gets LeaderAndIsr, then UpdateMetadata, then StopReplica, as
    in Kafka: a partition serves before clients learn of it, and stops after they have forgotten
    it. Many partitions are split into several orders, so that none takes long.
    """

    def __init__(
        self, cluster: ControllerContext, controller_id: int, controller_epoch: int
    ) -> None:
        self._cluster = cluster
        self._controller_id = controller_id
        self._epoch = controller_epoch
        self._collected = _Collected()

    def become(self, brokers: Iterable[int], topic: str, index: int, *, new: bool) -> None:
        """Tell ``brokers`` to lead or follow, and all brokers about the partition."""
        key = (topic, index)
        for broker in brokers:
            changes = self._collected.changes.setdefault(broker, {})
            changes[key] = new or changes.get(key, False)
        self.tell(topic, index)

    def stop(self, broker: int, topic: str, index: int, *, delete: bool) -> None:
        """Tell ``broker`` to stop the partition."""
        stops = self._collected.stops.setdefault(broker, {})
        key = (topic, index)
        stops[key] = delete or stops.get(key, False)

    def tell(self, topic: str, index: int) -> None:
        """Tell all brokers about the partition."""
        self._collected.metadata[topic, index] = None
        self._collected.to_all = True

    def tell_brokers(self) -> None:
        """Tell all brokers which brokers live."""
        self._collected.to_all = True

    def tell_everything(self, brokers: Iterable[int]) -> None:
        """Tell ``brokers`` about all partitions, in one order: half of them mislead clients."""
        self._collected.everything_to.update(brokers)

    def flush(self) -> Steps[None]:
        """Yield a Send with all that was collected, several if that is much."""
        collected, self._collected = self._collected, _Collected()
        for keys in list(portions(collected.partitions())) or [()]:
            changed = [key for key in keys if key in collected.metadata]
            common = self._delta(changed) if changed or collected.to_all else None
            orders: list[tuple[int, Order]] = []
            for broker in sorted(self._cluster.brokers):
                orders += self._orders(broker, collected, keys, common)
            collected.to_all = False
            collected.everything_to.clear()
            if orders:
                yield Send(orders)

    def _orders(
        self,
        broker: int,
        collected: _Collected,
        keys: Sequence[TopicPartition],
        common: MetadataDelta | None,
    ) -> list[tuple[int, Order]]:
        orders: list[tuple[int, Order]] = []
        broker_epoch = self._cluster.brokers[broker].epoch
        changes = self._replica_changes(_part(collected.changes.get(broker), keys))
        if changes:
            orders.append((broker, self._leader_and_isr(broker_epoch, changes)))
        delta = common
        if broker in collected.everything_to:
            every = ((topic, index) for topic, index, _ in self._cluster.all_partitions())
            delta = self._delta(every)
        if delta is not None:
            orders.append((broker, MetadataOrder(broker_epoch=broker_epoch, delta=delta)))
        stops = _part(collected.stops.get(broker), keys)
        if stops:
            orders.append((broker, self._stop_replica(broker_epoch, stops)))
        return orders

    def _replica_changes(self, wanted: dict[TopicPartition, bool]) -> list[ReplicaChange]:
        changes = []
        for (topic, index), new in wanted.items():
            entry = self._cluster.topics.get(topic)
            record = None if entry is None else entry.partitions.get(index)
            if entry is None or record is None or record.state is None:
                continue
            changes.append(
                ReplicaChange(topic, entry.topic_id, index, record.state, record.assignment, new)
            )
        return changes

    def _leader_and_isr(self, broker_epoch: int, changes: list[ReplicaChange]) -> Order:
        leaders = {change.state.leader for change in changes}
        return LeaderAndIsrOrder(
            controller_id=self._controller_id,
            controller_epoch=self._epoch,
            broker_epoch=broker_epoch,
            changes=changes,
            leaders=[b for id_, b in self._cluster.brokers.items() if id_ in leaders],
        )

    def _stop_replica(self, broker_epoch: int, stops: dict[TopicPartition, bool]) -> Order:
        return StopReplicaOrder(
            controller_id=self._controller_id,
            controller_epoch=self._epoch,
            broker_epoch=broker_epoch,
            stops=[
                StopChange(topic, index, self._cluster.stop_epoch(topic, index), delete)
                for (topic, index), delete in stops.items()
            ],
        )

    def _delta(self, wanted: Iterable[TopicPartition]) -> MetadataDelta:
        partitions: dict[str, dict[int, PartitionImage]] = {}
        for topic, index in wanted:
            image = self._cluster.image(topic, index)
            if image is not None:
                partitions.setdefault(topic, {})[index] = image
        return MetadataDelta(
            controller_id=self._controller_id,
            controller_epoch=self._epoch,
            brokers=list(self._cluster.brokers.values()),
            partitions=partitions,
            topic_ids={topic: self._cluster.topics[topic].topic_id for topic in partitions},
        )


def _part(
    wanted: dict[TopicPartition, bool] | None, keys: Iterable[TopicPartition]
) -> dict[TopicPartition, bool]:
    """What is ``wanted`` of ``keys``."""
    return {} if wanted is None else {key: wanted[key] for key in keys if key in wanted}
