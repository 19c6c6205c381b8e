"""An event loop on a virtual clock, and the processes that share it.

Everything a process does runs in its own :mod:`contextvars` context, so the loop knows whose turn
each callback is: those of a killed process are dropped, those of a stopped one wait. Nothing here
takes real time, and nothing but the seed decides what happens next.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.memory.files import MemoryFiles

LIFE: ContextVar[Life | None] = ContextVar("LIFE", default=None)
"""The process that runs."""
EPOCH_MS = 1_700_000_000_000
"""The wall clock when the virtual one is 0."""
MOST_WORK = 200_000
"""Callbacks at one moment of time: more is a loop that never ends."""


class Life:
    """One run of one process on ``host``; ``files`` are what it sees, ``skew_ms`` is how far its
    wall clock is off, ``boot`` counts the starts of the machine."""

    def __init__(
        self, host: str, files: MemoryFiles | None = None, skew_ms: int = 0, boot: int = 0
    ) -> None:
        self.host = host
        self.boot = boot
        self.files = files
        self.skew_ms = skew_ms
        self.alive = True
        self.paused = False
        self.held: list[asyncio.Handle] = []
        self.tasks: set[asyncio.Task[Any]] = set()
        self.context = Context()
        self.context.run(LIFE.set, self)


def this_life() -> Life:
    """The process that runs."""
    life = LIFE.get()
    assert life is not None
    return life


class StuckError(AssertionError):
    """Time stands still: callbacks call each other for ever."""


class SimLoop(asyncio.AbstractEventLoop):
    """Runs callbacks in order of time, then of their making. ``draw`` decides what is left open."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.moment: Callable[[], None] = lambda: None
        """Called before the clock moves on."""
        self.failures: list[dict[str, Any]] = []
        """What the exception handler of a real loop would log."""
        self.over = False
        self._now = 1000.0
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count()
        self._dropped: list[asyncio.Handle] = []

    # -- what asyncio asks of a loop

    def time(self) -> float:
        return self._now

    def get_debug(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + max(0.0, delay), callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is thrown away when its time comes."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name, context=context)
        life = LIFE.get() if context is None else context.get(LIFE)
        if life is not None:  # kept: a task that is collected runs its ``finally`` blocks
            life.tasks.add(task)
            task.add_done_callback(life.tasks.discard)
        return task

    async def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Any], *args: Any
    ) -> Any:
        await asyncio.sleep(self.draw.random() * 0.003)
        return func(*args)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self.over:
            self.failures.append(context)

    # -- running

    def run(self, until: float, stop: Callable[[], bool] = lambda: False) -> bool:
        """Run until the clock shows ``until`` (s), or ``stop()`` holds, which is returned."""
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            while not stop():
                if not self._run_ready():
                    continue
                self.moment()
                if not self._timers or self._timers[0][0] > until:
                    self._now = until
                    return stop()
                self._now = max(self._now, self._timers[0][0])
                while self._timers and self._timers[0][0] <= self._now:
                    self._ready.append(heapq.heappop(self._timers)[2])
            return True
        finally:
            events._set_running_loop(before)

    def _run_ready(self) -> bool:
        """Run what is ready now; whether nothing is left."""
        ready = self._ready
        for _ in range(MOST_WORK):
            if not ready:
                return True
            handle = ready.popleft()
            if handle._cancelled:
                continue
            life = handle._context.get(LIFE)  # type: ignore[attr-defined]
            if life is not None and not life.alive:
                self._dropped.append(handle)  # kept as tasks are
            elif life is not None and life.paused:
                life.held.append(handle)
            else:
                handle._run()
        raise StuckError(f"{MOST_WORK} callbacks at one moment; the next is {ready[0]!r}")

    def wake(self, life: Life) -> None:
        """A stopped process goes on (SIGCONT)."""
        life.paused = False
        held, life.held = life.held, []
        self._ready.extend(held)

    # -- sockets: see ``network``

    network: Any = None

    async def create_connection(  # type: ignore[override]
        self, factory: Callable[[], Any], host: str, port: int, *, ssl: None = None
    ) -> tuple[Any, Any]:
        assert ssl is None, "nothing is encrypted here"
        found: tuple[Any, Any] = await self.network.connect(this_life(), factory, host, port)
        return found

    async def connect_accepted_socket(  # type: ignore[override]
        self, factory: Callable[[], Any], sock: Any
    ) -> tuple[Any, Any]:
        protocol = factory()
        sock.attach(protocol)
        return sock, protocol

    def add_reader(  # type: ignore[override]
        self, fd: Any, callback: Callable[..., object], *args: Any
    ) -> None:
        context = copy_context()
        self.network.sockets[fd].watch(lambda: self.call_soon(callback, *args, context=context))

    def remove_reader(self, fd: Any) -> bool:
        self.network.sockets[fd].watch(None)
        return True


class Clock:
    """What ``time`` is to the broker."""

    def __init__(self, loop: SimLoop) -> None:
        self._loop = loop

    def time_ns(self) -> int:
        """The wall clock, as wrong as that of the machine."""
        life = LIFE.get()
        skew = 0 if life is None else life.skew_ms
        return int(self._loop.time() * 1e9) + (EPOCH_MS + skew) * 1_000_000

    def monotonic_ns(self) -> int:
        return int(self._loop.time() * 1e9)

    def monotonic(self) -> float:
        """For who asks how long its work has taken: anything up to 20 ms."""
        return self._loop.time() + self._loop.draw.random() * 0.02
