"""The controller's channels to all brokers (``ControllerChannelManager``)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from pykafka_ops.broker.runtime.controller.channel import ChannelTarget, ControllerChannel, Replied
from pykafka_ops.broker.state.controller.orders import Order, OrderExecutor
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.errors import ConnectError

log = logging.getLogger("kafka.controller.ControllerChannelManager")

Connect = Callable[[BrokerInfo], ChannelTarget]


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
            log.error("no way to reach broker %d", broker)
        except ConnectError as error:
            log.error("no way to reach broker %d: %s", broker, error)
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
