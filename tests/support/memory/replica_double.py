"""A broker that obeys its controller in memory, and candidates for controller on one tree."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.runtime.controller.active import ControllerSettings
from pykafka_ops.broker.runtime.controller.channels import ChannelTarget
from pykafka_ops.broker.runtime.controller.leader_rebalance import RebalanceSettings
from pykafka_ops.broker.runtime.controller.loop import ControllerLoop
from pykafka_ops.broker.state.controller.leadership import TopicPartition
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    Order,
    PartitionErrors,
    ReplicaChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.image import BrokerInfo, MetadataImage
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.controller_world import broker_info
from tests.support.memory.sessions import SharedStore


class ReplicaDouble:
    """Notes what it was told; ``broken`` partitions fail with a storage error."""

    def __init__(self) -> None:
        self.image = MetadataImage()
        self.replicas: dict[TopicPartition, ReplicaChange] = {}
        self.orders: list[Order] = []
        self.broken: set[TopicPartition] = set()
        self.gate = asyncio.Event()
        self.gate.set()

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """Host the partitions."""
        await self.gate.wait()
        self.orders.append(order)
        errors: PartitionErrors = {}
        for change in order.changes:
            key = (change.topic, change.partition)
            if key in self.broken:
                errors[key] = ErrorCode.KAFKA_STORAGE_ERROR
            else:
                self.replicas[key] = change
        return errors

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """Host them no more."""
        await self.gate.wait()
        self.orders.append(order)
        for stop in order.stops:
            self.replicas.pop((stop.topic, stop.partition), None)
        return {}

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """Change the picture."""
        await self.gate.wait()
        self.orders.append(order)
        self.image.apply(order.delta)


class Node:
    """One broker of a cluster in one process."""

    def __init__(self, cluster: Nodes, id_: int, store: SharedStore) -> None:
        self.id = id_
        self.store = store
        self.replicas = ReplicaDouble()
        self._cluster = cluster
        self.loop = ControllerLoop(
            store,
            self.replicas,
            ControllerSettings(
                broker_id=id_,
                clock=lambda: 1,
                new_topic_id=cluster.new_id,
                connect=lambda info: ChannelTarget(cluster.nodes[info.id].replicas),
                rebalance=cluster.rebalance,
                rejoin=self.register,
            ),
        )

    @property
    def image(self) -> MetadataImage:
        """What the broker knows."""
        return self.replicas.image

    async def register(self) -> None:
        """Appear in the cluster."""
        await registration.register_broker(self.store, self.info, 1)

    @property
    def info(self) -> BrokerInfo:
        """How it registers."""
        return broker_info(self.id, -1)

    async def start(self) -> None:
        """Register and stand for election."""
        await self.register()
        await self.loop.start()

    async def die(self) -> None:
        """End the session without a word, as if killed."""
        if self.loop._worker is not None:
            self.loop._worker.cancel()
            await asyncio.wait([self.loop._worker])
            self.loop._worker = None
        for cancel in self.loop._cancels:
            cancel()
        self.loop._forget()
        await self.store.close()


class Nodes:
    """Brokers on one embedded tree; use as ``async with``."""

    def __init__(
        self, directory: Path, count: int = 1, *, rebalance: RebalanceSettings | None = None
    ) -> None:
        self.rebalance = rebalance
        self.first = SharedStore(directory / "m.db", clock=lambda: 1, durable=False)
        self._ids = itertools.count(1)
        self.nodes: dict[int, Node] = {}
        self._count = count

    def new_id(self) -> bytes:
        """A topic id that no other topic has."""
        return next(self._ids).to_bytes(16, "big")

    async def add(self, id_: int) -> Node:
        """Start one more broker."""
        node = Node(self, id_, self.first.sibling())
        self.nodes[id_] = node
        await node.start()
        return node

    async def __aenter__(self) -> Nodes:
        await registration.ensure_paths(self.first)
        for id_ in range(self._count):
            await self.add(id_)
        return self

    async def __aexit__(self, *_: object) -> None:
        for node in self.nodes.values():
            await node.loop.stop()
            await node.store.close()
        await self.first.close()

    def __getitem__(self, id_: int) -> Node:
        return self.nodes[id_]


async def eventually(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Let the loop run until ``condition()`` is true."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0)
