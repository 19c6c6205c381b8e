"""The monitor as all its HTTP interfaces see it: its clusters, and who it is."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.alerts.rules.facts import AUDIT
from pykafka_ops.monitor.alerts.rules.model import Alert, Silence
from pykafka_ops.monitor.alerts.service import AlertService, AlertsNow
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.messages.service import MessageService
from pykafka_ops.monitor.metrics.settings import MetricsSettings
from pykafka_ops.monitor.probes.schedule import Probes
from pykafka_ops.monitor.tiers.settings import BookSettings
from pykafka_ops.monitor.tiers.watch import BookWatch


class ShownCluster(NamedTuple):
    """The monitor's settings to show, without secrets."""

    bootstrap: tuple[str, ...]
    poll_ms: int
    protocol: str = "PLAINTEXT"


class Service:
    """The clusters by name; ``shown``: their configuration to show; ``access``: who may do what."""

    def __init__(
        self,
        clusters: Mapping[str, WatchedCluster],
        shown: Mapping[str, ShownCluster] | None = None,
        *,
        history: History | None = None,
        alerts: AlertService | None = None,
        access: MonitorAccess | None = None,
        metrics: MetricsSettings | None = None,
        requests: Mapping[str, Mapping[str, int]] | None = None,
        probes: Probes | None = None,
    ) -> None:
        """``requests``: those that were sent to brokers, by cluster and API."""
        self.desk: ChangeDesk | None = None
        """Where changes are asked for."""
        self.access = access or MonitorAccess()
        self.history = history
        self.alerts = alerts
        self.metrics = metrics or MetricsSettings()
        self.requests = dict(requests or {})
        self.probes = probes
        self.streams = 0
        """Browsers that get an event after every round."""
        self.messages: MessageService | None = None
        """Records of topics, where they are shown."""
        self.clusters = dict(clusters)
        self.shown = dict(shown or {})
        self.reports: Path | None = None
        """Where runs of reports are kept; None: nobody said."""
        self.books: BookSettings | None = None
        """Tiers that were counted; None: nobody said where."""
        self.audits: BookWatch | None = None
        """What they make of each other."""
        self.host = socket.gethostname()
        self.is_whole = True

    def seen_by(self, person: Person) -> Service:
        """The part of it that a person may see."""
        seen = [c for c in self.clusters if self.access.may(person, "view", c, c)]
        if len(seen) == len(self.clusters):
            return self
        part = copy(self)
        part.clusters = {name: self.clusters[name] for name in seen}
        part.shown = {name: self.shown[name] for name in seen if name in self.shown}
        part.requests = {name: self.requests[name] for name in seen if name in self.requests}
        part.is_whole = False
        return part

    def alerts_now(self) -> AlertsNow | None:
        """The alerts of these clusters, and silences that may be about them; None: no alerts."""
        if self.alerts is None:
            return None
        state = self.alerts.state()
        if self.is_whole:
            return state
        return state._replace(
            firing=self._seen(state.firing),
            pending=self._seen(state.pending),
            past=self._seen(state.past),
            silences=[s for s in state.silences if self._concerns(s)],
        )

    def _seen(self, alerts: Sequence[Alert]) -> list[Alert]:
        """Those of these clusters; tiers are for who may see all."""
        return [a for a in alerts if a.key.cluster in self.clusters and a.key.kind != AUDIT]

    def _concerns(self, silence: Silence) -> bool:
        pattern = silence.patterns.get("cluster")
        return pattern is None or any(map(pattern.fullmatch, self.clusters))

    def view(self, cluster: str) -> ClusterView | None:
        """The newest view of a cluster; None if there is no such cluster."""
        found = self.clusters.get(cluster)
        return None if found is None else found.view

    def is_ready(self) -> bool:
        """Whether every cluster was asked once, with or without an answer."""
        views = [watched.view for watched in self.clusters.values()]
        return all(view.number or view.error for view in views)

    def age_seconds(self, view: ClusterView) -> float | None:
        """How old a view is; None before the first answer."""
        return None if view.at is None else max(0, now_ms() - view.at) / 1000
