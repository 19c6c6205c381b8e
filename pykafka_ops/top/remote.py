"""``pko top`` on a monitor: shows the monitor's rounds, and asks no broker for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.cluster.answers import NotAsked
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.top.monitor_api import MonitorApi
from pykafka_ops.top.records import RecordPage
from pykafka_ops.top.source import RecordReader


class MonitorSource:
    """A cluster as a monitor sees it, looked at every ``look_ms``.

    ``reader`` reads records from the brokers, where somebody said how to reach them. The age of a
    view is that of the monitor's clock, so that clocks may differ.
    """

    def __init__(
        self,
        api: MonitorApi,
        cluster: str,
        *,
        look_ms: int,
        command: Sequence[str],
        reader: RecordReader | None = None,
    ) -> None:
        self.poll_ms, self.command = look_ms, command
        self._look_ms = look_ms
        self._api, self._cluster, self._reader = api, cluster, reader
        self._view = ClusterView(cluster)
        self._tag = ""
        self._heard: Callable[[], None] = lambda: None
        self._ended, self._due = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="look", daemon=True)

    @property
    def view(self) -> ClusterView:
        """The newest view."""
        return self._view

    def start(self, heard: Callable[[], None]) -> None:
        """Begin to look, in a thread."""
        self._heard = heard
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        self._due.set()

    def hurry(self) -> None:
        """Look now; the monitor asks the cluster when it is time."""
        self._due.set()

    def look(self) -> None:
        """Take the monitor's newest view. Where it does not answer, the one at hand grows old."""
        try:
            found = self._api.view(self._cluster, self._tag)
        except PkoError as error:
            refusal = NotAsked("monitor", type(error).__name__, str(error))
            self._view, self._tag = replace(self._view, error=refusal), ""
            return
        view = self._view if found.view is None else found.view
        at = None if found.age_ms is None else now_ms() - found.age_ms
        self._view, self._tag = replace(view, at=at), found.tag
        self.poll_ms = max(self._look_ms, found.poll_ms or 0)

    def rows(self, group: str) -> list[LagRow]:
        """The partitions of a group, as the monitor has them. Raises PkoError."""
        return self._api.rows(self._cluster, group)

    def records(self, topic: str, partition: int, offset: int) -> RecordPage:
        """Records from an offset. Raises PkoError."""
        if self._reader is None:
            raise UsageError("records are read from the brokers: start pko top with -b, too")
        return self._reader(topic, partition, offset)

    def _run(self) -> None:
        while not self._ended.is_set():
            self.look()
            self._heard()
            self._due.wait(self._look_ms / 1000)
            self._due.clear()
