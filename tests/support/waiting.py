"""Wait for a condition instead of sleeping for a guess."""

from __future__ import annotations

import contextlib
import random
import socket
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 120.0
"""Seconds; on a machine that is busy and stands still at times much takes long."""
POLL_SECONDS = 0.01
LASTING_PORTS = (12_000, 32_000)


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
    host: str, port: int, *, seconds: float = PATIENCE, alive: Callable[[], bool]
) -> None:
    """Until something listens on ``host:port``; AssertionError once ``alive`` says no."""

    def open_or_dead() -> bool:
        if not alive():
            raise AssertionError(f"the process that should listen on {port} has ended")
        with socket.socket() as probe:
            probe.settimeout(PATIENCE)
            return probe.connect_ex((host, port)) == 0

    wait_for(open_or_dead, seconds=seconds, what=f"port {port}", poll=0.02)


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody uses now; none that the system gives to connections, so
    that whoever listened on it can do so again."""
    while True:
        port = random.randrange(*LASTING_PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
