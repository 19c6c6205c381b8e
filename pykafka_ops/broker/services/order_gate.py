"""Lets in, of the orders that come by sockets, those of a controller that there is.

Whoever connects may say that it is the controller, of an epoch to come; an order like that, once
executed, would shut out the real one for ever.
"""

from __future__ import annotations

import asyncio

from pykafka_ops.broker.metadata.store import MetadataStore
from pykafka_ops.broker.metadata.znodes.cluster import ControllerEpoch
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    OrderExecutor,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

TRIES, PAUSE_SECONDS = 50, 0.1
"""A ZooKeeper that lags behind the others may learn of a new controller after us."""


class OrderGate(OrderExecutor):
    """Asks ``store`` for the epoch of the present controller before ``executor`` obeys one it has
    not heard of. A broker that is ``alone`` is its own controller and needs no socket for that."""

    def __init__(self, executor: OrderExecutor, store: MetadataStore, *, alone: bool) -> None:
        self._executor, self._store, self._alone = executor, store, alone
        self._latest = -1
        """The latest epoch that was read from the store."""

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        """As the executor; KafkaError STALE_CONTROLLER_EPOCH without such a controller."""
        await self._check(order.controller_epoch)
        return await self._executor.apply_leader_and_isr(order)

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        """As the executor; KafkaError STALE_CONTROLLER_EPOCH without such a controller."""
        await self._check(order.controller_epoch)
        return await self._executor.apply_stop_replica(order)

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        """As the executor; KafkaError STALE_CONTROLLER_EPOCH without such a controller."""
        await self._check(order.delta.controller_epoch)
        await self._executor.apply_update_metadata(order)

    async def _check(self, epoch: int) -> None:
        for tried in range(1 if self._alone else TRIES):
            if epoch <= self._latest:
                break
            if tried:
                await asyncio.sleep(PAUSE_SECONDS)
            node = await self._store.get(ControllerEpoch.path)
            self._latest = -1 if node is None else ControllerEpoch.decode(node.data)
        if epoch > self._latest or (self._alone and epoch == self._latest):
            text = f"no other controller has epoch {epoch}"
            raise KafkaError(ErrorCode.STALE_CONTROLLER_EPOCH, text)
