"""Memory of requests of many items, within the limit of all requests."""

from __future__ import annotations

import asyncio
from collections import deque

from pykafka_ops.broker.runtime.sockets.buffers import BufferPool


class DecodedMemory:
    """What such requests take while they are served, charged to the pool of frames; bytes."""

    def __init__(self, pool: BufferPool) -> None:
        self._pool = pool
        self._held = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int) -> None:
        """Until there is room, in turn; alone, any request has it."""
        if self._waiting or not self._fits(size):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append((size, turn))
            await turn
        else:
            self._hold(size)

    def give_back(self, size: int) -> None:
        """It is served; who waits goes on."""
        self._hold(-size)
        self._go_on()

    def keep(self, size: int) -> bool:
        """Charge what stays when a request is over, until :meth:`forget`; False without room."""
        if not self._pool.has_room(size):
            return False
        self._pool.charge(size)
        return True

    def forget(self, size: int) -> None:
        """What was kept is gone."""
        self._pool.charge(-size)
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and (self._waiting[0][1].done() or self._fits(self._waiting[0][0])):
            size, turn = self._waiting.popleft()
            if not turn.done():
                self._hold(size)
                turn.set_result(None)

    def _fits(self, size: int) -> bool:
        return not self._held or self._pool.has_room(size)

    def _hold(self, size: int) -> None:
        self._held += size
        self._pool.charge(size)
