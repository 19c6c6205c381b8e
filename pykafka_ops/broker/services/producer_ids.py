"""Producer ids for InitProducerId, unique in the cluster and never given out twice.

Counterpart of ``RPCProducerIdManager``: each broker has the controller claim blocks of 1000 ids
and hands them out one by one. What is left of a block when the broker stops is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.broker.metadata.znodes.cluster import ProducerIdBlock
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.coordinator.transaction.RPCProducerIdManager")


class ProducerIds:
    """The ids one broker may give out; the first block is claimed when it is needed.

    ``claim_block()`` has the controller claim one; where it raises StoreError, :meth:`refill` and
    :meth:`claim` raise KafkaError COORDINATOR_LOAD_IN_PROGRESS.
    """

    def __init__(self, claim_block: Callable[[], Awaitable[ProducerIdBlock]]) -> None:
        self._claim_block = claim_block
        self._next = 0
        self._last = -1
        self._claiming = asyncio.Lock()

    def take(self) -> int | None:
        """An id from the block at hand; None when it is used up: then :meth:`claim`."""
        if self._next > self._last:
            return None
        self._next += 1
        return self._next - 1

    async def refill(self) -> None:
        """Have ids at hand for :meth:`take`."""
        async with self._claiming:
            await self._refill()

    async def until(self, attempt: Callable[[], bool]) -> None:
        """Have ids at hand until ``attempt()``, which needs one, says that it has it."""
        await self.refill()
        while not attempt():
            await self.refill()

    async def claim(self) -> int:
        """An id, from a new block if need be."""
        async with self._claiming:
            while (taken := self.take()) is None:
                await self._refill()
            return taken

    async def _refill(self) -> None:
        if self._next > self._last:
            try:
                block = await self._claim_block()
            except StoreError as error:
                log.error("cannot claim a block of producer ids: %s", error)
                raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS) from error
            self._next, self._last = block.first, block.last
