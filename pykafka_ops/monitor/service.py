"""What every door of the monitor asks: the clusters it watches, and who it is."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.store import History


class ShownCluster(NamedTuple):
    """What the monitor was told to do, without secrets, for those who ask."""

    bootstrap: tuple[str, ...]
    poll_ms: int


class Service:
    """The clusters by name; ``shown`` what is told of their configuration."""

    def __init__(
        self,
        clusters: Mapping[str, WatchedCluster],
        shown: Mapping[str, ShownCluster] | None = None,
        *,
        history: History | None = None,
        alerts: AlertService | None = None,
    ) -> None:
        self.history = history
        self.alerts = alerts
        self.clusters = dict(clusters)
        self.shown = dict(shown or {})
        self.host = socket.gethostname()

    def view(self, cluster: str) -> ClusterView | None:
        """The last view of a cluster; None for an unknown one."""
        found = self.clusters.get(cluster)
        return None if found is None else found.view

    def is_ready(self) -> bool:
        """Whether every cluster was asked once, with or without an answer."""
        views = [watched.view for watched in self.clusters.values()]
        return all(view.number or view.error for view in views)

    def age_seconds(self, view: ClusterView) -> float | None:
        """How old a view is; None while there was no answer at all."""
        return None if view.at is None else max(0, now_ms() - view.at) / 1000
