"""The clock of this process's ZooKeeper clients: it stands still until it is known who is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from unittest import mock

from pykafka_ops.zookeeper import client
from pykafka_ops.zookeeper.client import Client


@contextmanager
def zookeeper_clock() -> Iterator[None]:
    """Nobody is given up before a connection failed, or is there and silent; then at once."""
    really_open = Client.open

    def open_(self: Client, timeout_s: float) -> None:
        known = iter([False])  # it begins before anything can be known

        def monotonic() -> float:
            over = next(known, self.trouble or self._connection.is_silent())
            return 1e9 if over else 0.0

        with mock.patch.object(client, "time", SimpleNamespace(monotonic=monotonic)):
            really_open(self, timeout_s)

    with mock.patch.object(Client, "open", open_):
        yield
