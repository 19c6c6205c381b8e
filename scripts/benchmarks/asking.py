"""Many connections, each with one request under way: the loop that raw load generators share."""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Protocol

from tests.support.process.process import cpu_ms_of

BROKERS = "BENCH_BROKERS"
"""Variable with the process ids of the brokers under the load, by commas."""


class Asker(Protocol):
    """What one connection sends; ``code_at`` is where an answer, its length in front, has its error
    code."""

    code_at: int

    def next(self) -> bytes | bytearray: ...


class Same:
    """The same request again and again."""

    def __init__(self, frame: bytes, code_at: int) -> None:
        self.frame, self.code_at = frame, code_at

    def next(self) -> bytes:
        return self.frame


class Spent:
    """CPU of the brokers from here on."""

    def __init__(self) -> None:
        self._ids = [int(word) for word in os.environ.get(BROKERS, "").split(",") if word]
        self._before = self._total()

    def seconds(self) -> float:
        return (self._total() - self._before) / 1000

    def _total(self) -> float:
        return sum(map(cpu_ms_of, self._ids))


def connect(bootstrap: str) -> socket.socket:
    """A connection to the first of the brokers."""
    host, _, port = bootstrap.partition(",")[0].rpartition(":")
    made = socket.create_connection((host, int(port)))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def ask_all(
    pairs: Sequence[tuple[socket.socket, Asker]], seconds: float, most: int = sys.maxsize
) -> dict[str, float]:
    """Every connection asks, and asks again as soon as it has its answer, until the time is over
    or there are ``most`` answers. An answer with an error ends the load."""
    poller = select.epoll()
    sockets = {made.fileno(): (made, asker) for made, asker in pairs}
    for fd, (made, _) in sockets.items():
        made.settimeout(None)  # only read when there is something
        poller.register(fd, select.EPOLLIN)
    spent, cpu, begin = Spent(), time.process_time(), time.monotonic()
    started: dict[int, float] = {}
    for fd, (made, asker) in sockets.items():
        started[fd] = time.monotonic()
        made.sendall(asker.next())
    end = begin + seconds
    times: list[float] = []
    now = begin
    while now < end and len(times) < most:
        for fd, _ in poller.poll():
            made, asker = sockets[fd]
            answer = made.recv(4096)
            (length,) = struct.unpack_from(">i", answer)
            assert length + 4 == len(answer)
            at = asker.code_at
            assert not answer[at] | answer[at + 1], f"error {answer[at : at + 2].hex()}"
            now = time.monotonic()
            times.append(now - started[fd])
            started[fd] = now
            made.sendall(asker.next())
    taken, broker_cpu = now - begin, spent.seconds()
    times.sort()
    return {
        "seconds": taken,
        "count": len(times),
        "p50": times[len(times) // 2] * 1000,
        "p99": times[len(times) * 99 // 100] * 1000,
        "client_cpu": (time.process_time() - cpu) / taken,
        "broker_cpu": broker_cpu,
    }
