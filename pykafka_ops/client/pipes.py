"""Pipes to the brokers of a cluster, opened beside other work, and again if they break."""

from __future__ import annotations

import threading
import time
from typing import Final

from pykafka_ops.client.cluster import Cluster, Node
from pykafka_ops.client.connection import BrokerConnection
from pykafka_ops.client.pipe import Pipe
from pykafka_ops.client.poller import run
from pykafka_ops.errors import PkoError

LONGEST_PAUSE: Final = 10.0


class _Opening:
    """A connection that is being opened on a thread of its own."""

    def __init__(self, node: Node, cluster: Cluster) -> None:
        self.connection = BrokerConnection(node.address, cluster.config)
        self.trouble: PkoError | None = None
        self._deadline = time.monotonic() + cluster.config.request_timeout
        self.thread = threading.Thread(target=self._open, name=f"open {node.id}", daemon=True)
        self.thread.start()

    def _open(self) -> None:
        try:
            run(self.connection.open(self._deadline))
        except PkoError as error:
            self.trouble = error


class Pipes:
    """A pipe per broker; ``troubles`` says of those that have none why, by node id."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.troubles: dict[int, PkoError] = {}
        self._open: dict[int, Pipe] = {}
        self._opening: dict[int, _Opening] = {}
        self._again: dict[int, tuple[float, float]] = {}

    @property
    def open(self) -> list[Pipe]:
        """The pipes there are."""
        return list(self._open.values())

    @property
    def opening(self) -> bool:
        """Whether a connection is being opened."""
        return bool(self._opening)

    def get(self, node: int) -> Pipe | None:
        """The pipe to a broker; None while it is opened, or waits to be tried again."""
        pipe = self._open.get(node)
        if pipe is not None:
            return pipe
        opening = self._opening.get(node)
        if opening is None:
            where = self.cluster.nodes.get(node)
            if where is not None and time.monotonic() >= self._again.get(node, (0.0, 0.0))[0]:
                self._opening[node] = _Opening(where, self.cluster)
            return None
        if opening.thread.is_alive():
            return None
        del self._opening[node]
        if opening.trouble is not None:
            self._pause(node, opening.trouble)
            return None
        self.troubles.pop(node, None)
        self._open[node] = made = Pipe(opening.connection)
        return made

    def proven(self, node: int) -> None:
        """The broker answered: the next failure is the first again."""
        self._again.pop(node, None)

    def broke(self, pipe: Pipe, why: PkoError) -> int:
        """Forget a pipe that broke; the node id of its broker, -1 where it was forgotten before."""
        for node, known in self._open.items():
            if known is pipe:
                pipe.close()
                del self._open[node]
                self._pause(node, why)
                return node
        return -1

    def node_of(self, pipe: Pipe) -> int:
        """The node id of a pipe's broker; -1 where it is closed."""
        return next((node for node, known in self._open.items() if known is pipe), -1)

    def close(self) -> None:
        """Close all."""
        for pipe in self._open.values():
            pipe.close()
        for opening in self._opening.values():
            opening.thread.join()
            opening.connection.close()
        self._open.clear()
        self._opening.clear()

    def _pause(self, node: int, why: PkoError) -> None:
        self.troubles[node] = why
        _, before = self._again.get(node, (0.0, 0.0))
        wait = min(max(before * 2, self.cluster.config.backoff), LONGEST_PAUSE)
        self._again[node] = time.monotonic() + wait, wait
