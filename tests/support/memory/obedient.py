"""A broker that takes the controller's orders and notes them."""

from __future__ import annotations

import asyncio
from typing import Any

from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.handler_site import Site

STALE = ErrorCode.STALE_CONTROLLER_EPOCH
STORAGE = ErrorCode.KAFKA_STORAGE_ERROR


class Obedient:
    """Takes orders of controller epoch 5 and later; the partition t-1 fails."""

    def __init__(self) -> None:
        self.orders: list[Any] = []

    def _take(self, order: Any, epoch: int) -> PartitionErrors:
        if epoch < 5:
            raise KafkaError(STALE)
        self.orders.append(order)
        return {("t", 1): STORAGE}

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        return self._take(order, order.controller_epoch)

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        return self._take(order, order.controller_epoch)

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        self._take(order, order.delta.controller_epoch)


class OrderSite(Site):
    """A broker whose orders are noted in ``obedient.orders``."""

    def __init__(self) -> None:
        super().__init__()
        self.obedient = Obedient()
        self.services.executor = self.obedient

    def order(self, request: Any, version: int) -> Any:
        """The answer to an order."""
        return asyncio.run(self.ask_soon(request, version))
