"""Before a broker stops, the controller moves its leaderships to other brokers.

Counterpart of ``KafkaServer.controlledShutdown``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.broker.services.image_waits import comes_true
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.errors import ConnectError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
)

log = logging.getLogger("kafka.server.KafkaServer")

VERSION = 3
AWAY_S = 2.0
"""How long ZooKeeper may be silent before nobody is waited for: a controller without it moves
nothing."""
LOOK_S = 0.2


class ControlledShutdown:
    """``broker_epoch()`` is that of the registration at hand; ``connected()``: whether ZooKeeper
    answers."""

    def __init__(
        self,
        broker_id: int,
        link: ControllerLink,
        image: MetadataImage,
        configs: BrokerConfigs,
        broker_epoch: Callable[[], int],
        connected: Callable[[], bool],
    ) -> None:
        self._broker_id = broker_id
        self._link = link
        self._image = image
        self._configs = configs
        self._broker_epoch = broker_epoch
        self._connected = connected

    async def run(self) -> bool:
        """Have leaderships moved; whether none is left that another replica could take.

        Gives up after ``controlled.shutdown.max.retries`` attempts, or ``AWAY_S`` without
        ZooKeeper: the broker stops all the same.
        """
        moving = jobs.start("moving leaderships", self._move())
        silent = 0.0
        while not moving.done():
            await asyncio.wait({moving}, timeout=LOOK_S)
            silent = 0.0 if self._connected() else silent + LOOK_S
            if silent >= AWAY_S and not moving.done():
                moving.cancel()
                log.warning(
                    "stopping without moving all leaderships to other brokers: "
                    "ZooKeeper does not answer"
                )
                return False
        return moving.result()

    async def _move(self) -> bool:
        get = self._configs.value
        if not get("controlled.shutdown.enable"):
            return False
        attempts: int = get("controlled.shutdown.max.retries")
        for attempt in range(1, attempts + 1):
            if self._image.brokers.keys() <= {self._broker_id}:
                return True  # nobody is there to take over
            if await self._attempt():
                return True
            if attempt < attempts:
                await self._pause(get("controlled.shutdown.retry.backoff.ms") / 1000)
        log.warning("stopping although this broker still leads partitions that could not be moved")
        return False

    async def _pause(self, seconds: float) -> None:
        """Until there is another controller, at most so long."""
        former = self._image.controller_id
        await comes_true(self._image, lambda: self._image.controller_id != former, seconds)

    async def _attempt(self) -> bool:
        request = ControlledShutdownRequest(
            broker_id=self._broker_id, broker_epoch=self._broker_epoch()
        )
        try:
            response = await self._link.ask(request, VERSION, ControlledShutdownResponse)
        except (ConnectError, KafkaError) as error:
            log.warning("cannot ask the controller to move leaderships: %s", error)
            return False
        if response.error_code:
            code = ErrorCode.of(response.error_code)
            log.warning("the controller does not move leaderships: %s", code.text)
            return False
        left = response.remaining_partitions
        if left:
            log.info("this broker still leads %d partitions", len(left))
        return not left
