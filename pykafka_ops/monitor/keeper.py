"""After each round: puts its numbers into the history and its changes on the timeline, and has the
alert rules evaluated."""

from __future__ import annotations

from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.changes import changes
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.disks import DiskWatch
from pykafka_ops.monitor.hanging import HangingWatch
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.probes.names import without_probes
from pykafka_ops.monitor.probes.schedule import Probes
from pykafka_ops.monitor.series import values
from pykafka_ops.monitor.subjects import poll_round
from pykafka_ops.monitor.tiers.watch import BookWatch


class Keeper:
    """Gets the rounds of every cluster, each from its own thread."""

    def __init__(
        self,
        history: History,
        alerts: AlertService,
        probes: Probes | None = None,
        audits: BookWatch | None = None,
    ) -> None:
        self._history = history
        self._probes = probes
        self._audits = audits
        self._alerts = alerts
        self._last: dict[str, ClusterView] = {}
        self._disks = DiskWatch()
        self._hanging = HangingWatch()

    def hear(self, watched: WatchedCluster, view: ClusterView) -> None:
        """A round has ended."""
        now = now_ms()
        view = without_probes(view)
        full_in = self._disks.full_in(self._history, view, now)
        found = poll_round(view, now, full_in, self._hanging.of(watched, view, now))
        probes = self._probes.subjects(view.name) if self._probes else []
        audits = self._audits.subjects(view.name) if self._audits else []
        self._alerts.take(found._replace(subjects=[*found.subjects, *probes, *audits]))
        before = self._last.get(view.name)
        self._last[view.name] = view
        if before is not None:
            for change in changes(before, view):
                self._history.note(
                    view.name, now, change.kind, change.subject, change.text, change.details
                )
        if view.error is None and view.at is not None:
            self._history.record(view.name, view.at, values(view))
