"""Producer ids for InitProducerId, unique in the cluster and never given out twice.

Counterpart of ``RPCProducerIdManager``: each broker has the controller claim blocks of 1000 ids
and hands them out one by one. What is left of a block when the broker stops is lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from pykafka_ops.broker.metadata.store import StoreError
from pykafka_ops.broker.metadata.znodes.cluster import ProducerIdBlock
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.coordinator.transaction.RPCProducerIdManager")

A = TypeVar("A")


class ProducerIds:
    """The ids one broker may give out; the first block is claimed when it is needed.

    ``claim_block()`` has the controller claim one; it may raise StoreError.
    """

    def __init__(self, claim_block: Callable[[], Awaitable[ProducerIdBlock]]) -> None:
        self._claim_block = claim_block
        self._next = 0
        self._last = -1
        self._claiming = asyncio.Lock()

    def take(self) -> int | None:
        """An id from the block at hand; None when it is used up."""
        if self._next > self._last:
            return None
        self._next += 1
        return self._next - 1

    def give(self, answer: Callable[[int], A]) -> A | Coroutine[Any, Any, A]:
        """What ``answer`` makes of an id; where a block must be claimed first, a coroutine that
        ends with it. Raises KafkaError COORDINATOR_LOAD_IN_PROGRESS."""
        taken = self.take()
        return self._claim(answer) if taken is None else answer(taken)

    async def _claim(self, answer: Callable[[int], A]) -> A:
        async with self._claiming:
            while (taken := self.take()) is None:
                await self._refill()
            return answer(taken)

    def until(
        self, attempt: Callable[[], bool], answer: Callable[[], A]
    ) -> A | Coroutine[Any, Any, A]:
        """``answer()`` once ``attempt()``, which needs an id of :meth:`take`, says that it had one;
        a coroutine where a block must be claimed first. Raises KafkaError
        COORDINATOR_LOAD_IN_PROGRESS, and what ``attempt`` raises."""
        return answer() if attempt() else self._until(attempt, answer)

    async def _until(self, attempt: Callable[[], bool], answer: Callable[[], A]) -> A:
        while True:
            async with self._claiming:
                await self._refill()
            if attempt():
                return answer()

    async def _refill(self) -> None:
        if self._next > self._last:
            try:
                block = await self._claim_block()
            except StoreError as error:
                log.error("cannot claim a block of producer ids: %s", error)
                raise KafkaError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS) from error
            self._next, self._last = block.first, block.last
