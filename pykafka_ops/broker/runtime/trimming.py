"""Gives memory back to the system that the C library keeps when clients have given much back.

What stays lies between what was freed, and glibc by itself gives back only the end of its heap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pykafka_ops.broker import jobs
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.storage.linux import give_memory_back

LOOK_SECONDS = 10.0
MUCH = 16 * 1024 * 1024
"""Bytes given back that make it worth the time: about a millisecond for each MiB."""


class Trimming:
    """``run_in_thread`` does what blocks."""

    def __init__(
        self,
        memory: Memory,
        run_in_thread: Callable[..., Coroutine[Any, Any, Any]],
        trim: Callable[[], None] = give_memory_back,
    ) -> None:
        self._memory = memory
        self._run_in_thread = run_in_thread
        self._trim = trim
        self._fallen = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = jobs.start("trimming of the heap", self._run())

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Trim if clients have given much back since it was done last."""
        memory = self._memory
        for account in (memory.state, memory.answers, memory.producers):
            self._fallen += account.fallen()
        if self._fallen >= MUCH:
            self._fallen = 0
            await self._run_in_thread(self._trim)
