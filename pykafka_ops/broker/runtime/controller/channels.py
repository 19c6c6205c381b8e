"""The controller's channels to all brokers, on each its orders one after the other.

Counterpart of ``ControllerChannelManager`` and ``RequestSendThread``. A broker that does not answer
is asked again until it is gone from the cluster; the controller does not wait meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pykafka_ops.broker import jobs
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    Order,
    OrderExecutor,
    PartitionErrors,
)
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.controller.RequestSendThread")
channels_log = logging.getLogger("kafka.controller.ControllerChannelManager")

RETRY_S = 0.1
OF_THE_PAST = (ErrorCode.STALE_BROKER_EPOCH, ErrorCode.STALE_CONTROLLER_EPOCH)

Replied = Callable[[int, Order, PartitionErrors], None]


class ChannelTarget(NamedTuple):
    """The executor of the orders for one broker, and how to close it."""

    executor: OrderExecutor
    close: Callable[[], None] = lambda: None


Connect = Callable[[BrokerInfo], ChannelTarget]


class ControllerChannel:
    """Orders for one registration of one broker; ``replied`` is called with their results."""

    def __init__(self, broker: int, epoch: int, target: ChannelTarget, replied: Replied) -> None:
        self.broker = broker
        self.epoch = epoch
        self._executor = target.executor
        self._hang_up = target.close
        self._replied = replied
        self._orders: deque[Order] = deque()
        self._task: asyncio.Task[None] | None = None

    def send(self, order: Order) -> None:
        """Hand over ``order`` after all former ones."""
        self._orders.append(order)
        if self._task is None or self._task.done():
            self._task = jobs.start(f"orders to broker {self.broker}", self._drain())

    async def idle(self) -> None:
        """Wait until everything sent so far has been handed over."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def close(self) -> None:
        """Drop what has not been sent; the broker is gone or this is no controller any more."""
        self._orders.clear()
        if self._task is not None:
            self._task.cancel()
        self._hang_up()

    async def _drain(self) -> None:
        silent = False
        while self._orders:
            order = self._orders[0]
            try:
                errors = await self._deliver(order)
            except (OSError, ConnectError) as error:
                if not silent:
                    log.warning("broker %d does not answer: %s; trying again", self.broker, error)
                silent = True
                await asyncio.sleep(RETRY_S)
                continue
            except KafkaError as error:
                # Of the past: a broker that came back gets new orders as soon as we see it.
                level = logging.INFO if error.code in OF_THE_PAST else logging.ERROR
                log.log(level, "broker %d refuses an order: %s", self.broker, error)
            except Exception:
                log.exception("sending an order to broker %d failed", self.broker)
            else:
                self._replied(self.broker, order, errors)
            silent = False
            if self._orders:
                self._orders.popleft()

    async def _deliver(self, order: Order) -> PartitionErrors:
        if isinstance(order, MetadataOrder):
            await self._executor.apply_update_metadata(order)
            return {}
        if isinstance(order, LeaderAndIsrOrder):
            return await self._executor.apply_leader_and_isr(order)
        return await self._executor.apply_stop_replica(order)


class ControllerChannels:
    """One channel per broker; its own replicas are a plain call away."""

    def __init__(
        self, broker_id: int, own: OrderExecutor, connect: Connect | None, replied: Replied
    ) -> None:
        """``own`` executes orders for broker ``broker_id``, ``connect`` connects to another one."""
        self._broker_id = broker_id
        self._own = own
        self._connect = connect
        self._replied = replied
        self._channels: dict[int, ControllerChannel] = {}

    def send(self, broker: int, order: Order, live: Mapping[int, BrokerInfo]) -> None:
        """Hand over an order; a broker that has registered anew gets a new channel."""
        channel = self._channels.get(broker)
        if channel is None or channel.epoch != order.broker_epoch:
            if channel is not None:
                channel.close()
            target = self._target(broker, live.get(broker))
            if target is None:
                return
            channel = ControllerChannel(broker, order.broker_epoch, target, self._replied)
            self._channels[broker] = channel
        channel.send(order)

    def _target(self, broker: int, info: BrokerInfo | None) -> ChannelTarget | None:
        if broker == self._broker_id:
            return ChannelTarget(self._own)
        try:
            if self._connect is not None and info is not None:
                return self._connect(info)
            channels_log.error("cannot reach broker %d", broker)
        except ConnectError as error:
            channels_log.error("cannot reach broker %d: %s", broker, error)
        return None

    def hang_up(self, live: Mapping[int, BrokerInfo]) -> None:
        """Give up on brokers that are gone."""
        for broker in [broker for broker in self._channels if broker not in live]:
            self._channels.pop(broker).close()

    def close(self) -> None:
        """Give up on all."""
        self.hang_up({})

    async def own_idle(self) -> None:
        """Wait until this broker has executed its orders."""
        own = self._channels.get(self._broker_id)
        if own is not None:
            await own.idle()
