"""Long work on the event loop in short stretches."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pykafka_ops.broker.state.steps import Steps

T = TypeVar("T")

STRETCH_S = 0.002
"""How long work goes on before clients get a turn."""


Room = Callable[[], Awaitable[None]]


async def _at_once() -> None:
    """There is room."""


class TimeSlice:
    """Gives clients a turn at regular intervals: ``await time_slice.pause()`` between two items.

    However many are at long work in a broker's process, one goes on in each turn of its loop.
    """

    def __init__(self) -> None:
        self._until = time.monotonic() + STRETCH_S
        self.spent_s = 0.0
        """What :meth:`drive` took, but for the turns of others."""

    async def pause(self) -> None:
        """Let others have their turn if it is time."""
        if time.monotonic() > self._until:
            await (_line[0].turn() if _line else asyncio.sleep(0))
            self._until = time.monotonic() + STRETCH_S

    async def drive(self, steps: Steps[T], room: Room = _at_once) -> T:
        """Do work that pauses by itself: what it gives. ``room`` is waited for before work in a
        thread."""
        began, given, fault = time.monotonic(), None, None
        try:
            while True:
                asked = steps.send(given) if fault is None else steps.throw(fault)
                given = fault = None
                if asked is None and time.monotonic() <= self._until:
                    continue
                self.spent_s += time.monotonic() - began
                if asked is not None:
                    await room()
                    given, fault = await _in_thread(asked)
                await self.pause()
                began = time.monotonic()
        except StopIteration as end:
            self.spent_s += time.monotonic() - began
            found: T = end.value
            return found


_BESIDE = ThreadPoolExecutor(1, "long work")
"""One at a time: of more, each would let the loop wait for its turn, and hold what it unpacks."""


async def _in_thread(work: Callable[[], object]) -> tuple[object, Exception | None]:
    """What it gives, or raises."""
    try:
        return await asyncio.get_running_loop().run_in_executor(_BESIDE, work), None
    except Exception as error:
        return None, error


class _Line:
    """Those on one loop whose stretch is over, the first first."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Until it is the caller's turn, which is not before all others had theirs."""
        turn = self._loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            self._loop.call_soon(self._next)
        await turn

    def _next(self) -> None:
        if not self._waiting[0].done():  # cancelled, it may be
            self._waiting[0].set_result(None)
        self._waiting.popleft()
        if self._waiting:
            self._loop.call_soon(self._next)


_line: list[_Line] = []
"""Of this process, if it is a broker; else others do not wait for each other."""


def take_turns() -> None:
    """From now on, of all that is at long work in this process one goes on in each turn of the
    running loop, which is its only one."""
    _line[:] = [_Line(asyncio.get_running_loop())]
