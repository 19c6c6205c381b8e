"""Wait for a condition instead of sleeping for a guess."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 120.0
"""Seconds; on a machine that is busy and stands still at times much takes long."""
POLL_SECONDS = 0.01
LASTING_PORTS = (12_000, 32_000)
WORKERS = 16
"""That may run at once: each hands out ports of its own, or two would take the same one before
either listens, or while a broker that was killed is about to start again."""


def wait_for(
    condition: Callable[[], T],
    *,
    seconds: float = PATIENCE,
    what: str = "condition",
    poll: float = POLL_SECONDS,
    about: object = None,
) -> T:
    """The first true value that ``condition`` returns; AssertionError after ``seconds``, which
    shows ``about`` as it is then."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            last = value if about is None else about
            raise AssertionError(f"{what}: not within {seconds} s (last: {last!r})")
        time.sleep(poll)


def wait_for_port(
    host: str,
    port: int,
    *,
    seconds: float = PATIENCE,
    alive: Callable[[], bool],
    said: Callable[[], str] = str,
) -> None:
    """Until something listens on ``host:port``; AssertionError with what was ``said`` once
    ``alive`` says no."""

    def open_or_dead() -> bool:
        if not alive():
            raise AssertionError(f"what should listen on {port} has ended:\n{said()}")
        with socket.socket() as probe:
            probe.settimeout(PATIENCE)
            return probe.connect_ex((host, port)) == 0

    wait_for(open_or_dead, seconds=seconds, what=f"port {port}", poll=0.02)


def _own_ports() -> Iterator[int]:
    """Those of this worker, round and round, from any of them on."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    ports = range(*LASTING_PORTS)[int(worker) % WORKERS :: WORKERS]
    first = random.randrange(len(ports))
    return itertools.cycle([*ports[first:], *ports[:first]])


_PORTS = _own_ports()


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody uses now; none that the system gives to connections, or
    another worker to a test, so that whoever listened on it can do so again."""
    while True:
        port = next(_PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
