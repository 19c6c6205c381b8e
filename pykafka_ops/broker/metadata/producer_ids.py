"""Producer ids for InitProducerId, unique in the cluster and never given out twice.

Counterpart of ``ZkProducerIdManager``: each broker claims blocks of 1000 ids in the tree and
hands them out one by one. What is left of a block when the broker stops is lost.
"""

from __future__ import annotations

import asyncio

from pykafka_ops.broker.metadata.membership import allocate_producer_ids
from pykafka_ops.broker.metadata.store import MetadataStore


class ProducerIds:
    """The ids one broker may give out; the first block is claimed when it is needed."""

    def __init__(self, broker_id: int, store: MetadataStore) -> None:
        self._broker_id = broker_id
        self._store = store
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
        """Have ids at hand for :meth:`take`; raises as :meth:`claim`."""
        async with self._claiming:
            if self._next > self._last:
                block = await allocate_producer_ids(self._store, self._broker_id)
                self._next, self._last = block.first, block.last

    async def claim(self) -> int:
        """An id, from a new block if need be.

        Raises StoreError when the tree cannot be reached, KafkaError when no ids are left.
        """
        async with self._claiming:
            taken = self.take()
            while taken is None:
                block = await allocate_producer_ids(self._store, self._broker_id)
                self._next, self._last = block.first, block.last
                taken = self.take()
            return taken
