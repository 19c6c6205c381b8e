"""What is asked of the system. Compiled, ``raw.pxd`` has functions of C for the same names."""

from __future__ import annotations

import os
import time
from typing import Any

IN, OUT = 1, 4
"""What a socket can be waited for: there is something to read, there is room to write."""
PIECE = 64 * 1024
"""Bytes offered to a socket at a time that did not take all at once."""


def events(most: int) -> list[tuple[int, int]]:
    """Room for so many events."""
    return []


def wait(epoll: Any, fd: int, found: list[tuple[int, int]], most: int) -> int:
    """What has happened to sockets, without waiting for it: put into ``found``; how many events.
    ``fd`` is the descriptor of ``epoll``, which is all that C needs. Raises OSError."""
    found[:] = epoll.poll(0, most)
    return len(found)


def tick() -> int:
    """A number that changes every 4 ms."""
    return time.monotonic_ns() // 4_000_000


def event(found: list[tuple[int, int]], number: int) -> tuple[int, int]:
    """Descriptor and flags of an event."""
    return found[number]


def receive(fd: int, room: memoryview) -> int:
    """Fill ``room`` from the front with what has come; how many bytes, 0 at the end, -1 if nothing
    is there. Raises OSError."""
    try:
        return os.readv(fd, (room,))
    except BlockingIOError:
        return -1


def send(fd: int, data: bytes) -> int:
    """Send what the socket takes; how many bytes. Raises OSError."""
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0
