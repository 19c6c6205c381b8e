"""What a broker gets in place of the operating system: clocks, sockets, files, threads, ZooKeeper.

:func:`installed` puts it where the broker's modules look these up; all else of them runs as it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pykafka_ops.broker.coordinators import hosted
from pykafka_ops.broker.coordinators.hot import commits, members
from pykafka_ops.broker.hot import produce, raw
from pykafka_ops.broker.runtime import broker, parts, time_slice
from pykafka_ops.broker.runtime.cluster import membership
from pykafka_ops.broker.runtime.logs import cleaner
from pykafka_ops.broker.runtime.settings import start
from pykafka_ops.broker.runtime.sockets import server
from pykafka_ops.broker.storage import background, closing, data_dir, log_manager
from tests.support.memory.files import MemoryFiles
from tests.support.simulated.cleaning import SimCleaner
from tests.support.simulated.ensemble import SimStore
from tests.support.simulated.loop import Clock, SimLoop, this_life
from tests.support.simulated.world import World


class NoPool:
    """Threads that do their work at once; those of the broker run in the loop's executor."""

    def __init__(self, *_: object, **__: object) -> None:
        """Of whatever size."""

    def __enter__(self) -> NoPool:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is left to do."""

    def map(self, work: Callable[..., Any], *items: Iterable[Any]) -> Iterator[Any]:
        return map(work, *items)

    def shutdown(self, wait: bool = True) -> None:
        """Nothing is left to do."""


class LatePool(NoPool):
    """Threads that do their work a little later, in any order."""

    def __init__(self, loop: SimLoop) -> None:
        super().__init__()
        self._loop = loop
        self._jobs: dict[int, Callable[[], None]] = {}
        self._number = 0

    def submit(self, work: Callable[..., Any], *arguments: Any) -> None:
        self._number += 1
        number = self._number
        self._jobs[number] = lambda: work(*arguments)
        self._loop.call_later(self._loop.draw.random() * 0.01, self._run, number)

    def _run(self, number: int) -> None:
        job = self._jobs.pop(number, None)
        if job is not None:
            job()

    def shutdown(self, wait: bool = True) -> None:
        for number in list(self._jobs):
            self._run(number)


def _files() -> MemoryFiles:
    found = this_life().files
    assert found is not None
    return found


@contextmanager
def installed(world: World) -> Iterator[None]:
    """While it lasts, brokers of this process live in the simulation. Seeds ``random``, too."""
    loop, network, ensemble = world.loop, world.network, world.ensemble
    state = random.getstate()
    random.seed(loop.draw.random())
    numbers = random.Random(loop.draw.random())

    async def open_store(*_: object) -> SimStore:
        return SimStore(ensemble)

    def lock(directory: Path) -> Any:
        return _files().lock(f"/{membership.LOCK}")

    def new_uuid() -> bytes:
        return b"\1" + numbers.randbytes(15)

    replaced: list[tuple[Any, str, Any]] = [
        (raw, "time", Clock(loop)),
        # Compiled, they ask the system itself where a broker has its own clocks.
        *((module, "wall_clock", None) for module in (produce, commits)),
        (members, "monotonic_clock", None),
        (time_slice, "time", Clock(loop)),
        (cleaner, "time", Clock(loop)),
        (cleaner, "CleanerProcess", lambda: SimCleaner(world)),
        (membership, "open_store", open_store),
        (membership, "lock", lock),
        *((module, "random_uuid", new_uuid) for module in (membership, parts)),
        (hosted, "_new_id", lambda: numbers.randbytes(8).hex()),
        (broker, "ThreadPoolExecutor", NoPool),
        (closing, "ThreadPoolExecutor", NoPool),
        (data_dir, "ThreadPoolExecutor", NoPool),
        (background, "ThreadPoolExecutor", lambda *_, **__: LatePool(loop)),
        (server, "bind", network.bind),
        *((module, "RealFiles", _files) for module in (membership, start, log_manager)),
    ]
    with ExitStack() as stack:
        for module, name, value in replaced:
            stack.enter_context(patch.object(module, name, value))
        try:
            yield
        finally:
            random.setstate(state)
