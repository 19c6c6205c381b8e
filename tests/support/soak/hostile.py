"""Clients that mean no good, or are in no hurry; and one that asks how the broker does."""

from __future__ import annotations

import contextlib
import random
import struct
import threading
import time

from tests.support.soak.job import Job
from tests.support.wire import raw
from tests.support.wire.raw import Connection, request, send_quietly, string

MB = 1 << 20
JOIN_GROUP = 11


class SlowReaders(Job):
    """Asks for large answers and reads none, or some of it slowly, and goes."""

    name = "slow readers"
    pause = 0.2
    most = 30

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__(bootstrap)
        self.topic = topic
        self._open: list[Connection] = []
        self._chance = random.Random(5)

    def step(self) -> None:
        connection = Connection(self.bootstrap)
        for n in range(5):
            asked = raw.fetch(self.topic, 0, max_bytes=16 * MB, partition=n % 3, correlation=n)
            connection.send(asked)
        self._open.append(connection)
        for each in self._chance.sample(self._open, min(3, len(self._open))):
            if each.readable():
                with contextlib.suppress(ConnectionError):
                    each.socket.recv(100_000)
        if len(self._open) > self.most:
            self._open.pop(self._chance.randrange(len(self._open))).close()
        self.done += 1

    def finish(self) -> None:
        for connection in self._open:
            connection.close()


class Attackers(Job):
    """Garbage, lies about lengths, requests cut short, members with much metadata."""

    name = "hostile requests"
    pause = 0.1

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._chance = random.Random(6)

    def step(self) -> None:
        chance = self._chance
        attack = chance.choice((self._garbage, self._lie, self._unknown, self._cut, self._member))
        with contextlib.suppress(ConnectionError), Connection(self.bootstrap) as connection:
            send_quietly(connection, attack())
            connection.socket.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                connection.socket.recv(1000)
        self.done += 1

    def _garbage(self) -> bytes:
        data = self._chance.randbytes(self._chance.randrange(1, 5000))
        return struct.pack(">i", len(data)) + data

    def _lie(self) -> bytes:
        size = self._chance.choice((-1, 0, 2**31 - 1, 100 * MB, 1 * MB))
        return struct.pack(">i", size) + bytes(100)

    def _unknown(self) -> bytes:
        return request(self._chance.randrange(-5, 200), self._chance.randrange(-2, 30))

    def _cut(self) -> bytes:
        whole = raw.fetch("stream", 0)
        return whole[: self._chance.randrange(1, len(whole))]

    def _member(self) -> bytes:
        """A JoinGroup v2 with a large protocol, to a group of its own."""
        body = string(f"attack-{self._chance.randrange(1000)}") + struct.pack(">ii", 6000, 6000)
        body += string("") + string("consumer") + struct.pack(">i", 1) + string("range")
        return request(JOIN_GROUP, 2, body + struct.pack(">i", MB) + bytes(MB))


class Probe(Job):
    """Sends small requests and takes the time; that is the latency of the broker's loop."""

    name = "small requests"
    pause = 0.02

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._connection = Connection(bootstrap, seconds=60)
        self._lock = threading.Lock()
        self._ms: list[float] = []

    def step(self) -> None:
        begun = time.monotonic()
        self._connection.ask(request(raw.API_VERSIONS, 0))
        with self._lock:
            self._ms.append((time.monotonic() - begun) * 1000)
        self.done += 1

    def take(self) -> list[float]:
        """The latencies (ms) since the last call."""
        with self._lock:
            taken, self._ms = self._ms, []
        return taken

    def finish(self) -> None:
        self._connection.close()
