"""The source of ``pko top``'s data: asks a cluster in rounds, and again for single pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watcher import Watcher
from pykafka_ops.top.records import RecordPage, read_page
from pykafka_ops.top.table import Page

RecordReader = Callable[[str, int, int], RecordPage]
"""Reads records of a topic and partition from an offset, -1: the newest. May raise PkoError."""


class Source(Protocol):
    """What the screen asks. ``command`` are the words that lead a ``pko`` command to the same
    cluster. All but ``view`` may take a while, or raise PkoError: not for the thread that draws.
    """

    poll_ms: int
    command: Sequence[str]

    @property
    def view(self) -> ClusterView:
        """The newest view."""

    def start(self, heard: Callable[[], None]) -> None:
        """Begin; ``heard`` is called after each round, in another thread."""

    def stop(self) -> None:
        """Ask no more."""

    def hurry(self) -> None:
        """Begin the next round now."""

    def rows(self, group: str) -> list[LagRow]:
        """The partitions of a group."""

    def records(self, topic: str, partition: int, offset: int) -> RecordPage:
        """Records from an offset, -1: the newest."""


class Plan(Protocol):
    """An action that is ready: what it changes, and its doing."""

    @property
    def subject(self) -> str:
        """The name to be typed."""

    @property
    def question(self) -> str:
        """What is asked."""

    @property
    def page(self) -> Page:
        """What would be changed."""

    def run(self) -> str:
        """Do it; what came of it, in a line. Raises PkoError."""


class Desk(Protocol):
    """Plans actions; nothing is changed before ``Plan.run``. Both raise PkoError."""

    def elect(self, topic: str) -> Plan:
        """Preferred leaders for a topic."""

    def seek(self, group: str, words: str) -> Plan:
        """Move the offsets of a group to where the words say."""


class BrokerRecords:
    """Reads records from the brokers, over a connection of its own each time."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._properties = dict(properties)
        self._lock = threading.Lock()

    def __call__(self, topic: str, partition: int, offset: int) -> RecordPage:
        """Records from an offset, -1: the newest. Raises PkoError."""
        cluster = Cluster(ClientConfig.of(self._properties))
        try:
            with self._lock:  # who leafs fast does not open many
                return read_page(cluster, topic, partition, offset)
        finally:
            cluster.close()


class DirectSource:
    """A cluster, asked by this process. ``properties``: client settings with bootstrap.servers."""

    def __init__(
        self, name: str, properties: Mapping[str, str], *, poll_ms: int, command: Sequence[str]
    ) -> None:
        self.poll_ms, self.command = poll_ms, command
        self._reader = BrokerRecords(properties)
        self._watcher = Watcher(name, ClientConfig.of(properties), poll_ms=poll_ms)

    @property
    def view(self) -> ClusterView:
        """The newest view."""
        return self._watcher.watched.view

    def start(self, heard: Callable[[], None]) -> None:
        """Begin to ask, in a thread."""
        self._watcher.hearers.append(lambda *_: heard())
        self._watcher.start()

    def stop(self) -> None:
        """Ask no more; a round under way is left alone, as it ends with the process."""
        self._watcher.stop(wait=0.2)

    def hurry(self) -> None:
        """Begin the next round now."""
        self._watcher.hurry()

    def rows(self, group: str) -> list[LagRow]:
        """The partitions of a group, as of the last round."""
        return self._watcher.watched.rows(group)

    def records(self, topic: str, partition: int, offset: int) -> RecordPage:
        """Records from an offset. Raises PkoError."""
        return self._reader(topic, partition, offset)
