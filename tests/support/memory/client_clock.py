"""The clock of this process's Kafka client, which no busy machine can make run out.

It stands still while anybody may still answer. Once only those are waited for that
``FakeBroker`` was told to leave without an answer, it is at the end of that wait.
"""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from pykafka_ops.client import cluster, connection, coordinators, leaders, poller, spoken
from pykafka_ops.client.config import SILENCE
from tests.support.memory.fake_broker import SILENT

PATIENCE_SECONDS = 60
"""For who may still answer; by a real clock."""
AGES_MS = 100_000


class ClientClock:
    """Stands in for the module ``time``."""

    def __init__(self, bell: socket.socket) -> None:
        self.now = 1000.0
        self._bell = bell

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def ready(self, waiting: Mapping[int, poller.Want]) -> list[tuple[int, bool]]:
        """What ``poller`` does with a real clock."""
        while True:
            fds = [fd for fd, _, _ in waiting.values() if fd >= 0]
            talking = any(_port(fd) not in SILENT.ports for fd in fds)
            found = self._poll(waiting, PATIENCE_SECONDS if talking else 0)
            if answered := [(i, False) for i, (fd, _, _) in waiting.items() if fd in found]:
                return answered
            if not talking:
                self.now = max(self.now, min(until for _, _, until in waiting.values()))
                return [(i, w[0] >= 0) for i, w in waiting.items() if w[2] <= self.now]
            assert found, f"neither an answer nor told to be silent: {waiting}"
            self._bell.recv(4096)

    def _poll(self, waiting: Mapping[int, poller.Want], seconds: float) -> set[int]:
        poll = select.poll()
        poll.register(self._bell, select.POLLIN)
        events: dict[int, int] = {}
        for fd, mask, _ in waiting.values():
            if fd >= 0:
                events[fd] = events.get(fd, 0) | mask
        for fd, mask in events.items():
            poll.register(fd, mask)
        return {fd for fd, _ in poll.poll(seconds * 1000)}


def _port(fd: int) -> int:
    with socket.socket(fileno=os.dup(fd)) as same:
        port: int = same.getsockname()[1]
    return port


def patient(folder: Path) -> dict[str, str]:
    """Variables for pko in a process of its own, which has no such clock."""
    path = folder / "patient.properties"
    path.write_text(f"default.api.timeout.ms={AGES_MS}\n{SILENCE}={AGES_MS}\n")
    return {"PKO_COMMAND_CONFIG": str(path)}


@contextmanager
def client_clock() -> Iterator[ClientClock]:
    """Give that clock to the client."""
    mine, others = socket.socketpair()
    with ExitStack() as stack:
        stack.enter_context(mine)
        stack.enter_context(others)
        clock = ClientClock(mine)
        for module in (cluster, connection, coordinators, leaders, poller, spoken):
            stack.enter_context(mock.patch.object(module, "time", clock))
        stack.enter_context(mock.patch.object(poller, "_ready", clock.ready))
        stack.enter_context(SILENT.told(lambda: others.send(b"!")))
        yield clock
