"""The whole monitor: starts and stops watchers, history, alerts and the HTTP server in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.login import MonitorLogin
from pykafka_ops.monitor.access.settings import NONE, AccessSettings
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.alerts.service import AlertService
from pykafka_ops.monitor.alerts.settings.tables import AlertSettings, alert_settings
from pykafka_ops.monitor.alerts.store.database import AlertDatabase
from pykafka_ops.monitor.alerts.store.kafka_lease import KafkaLease
from pykafka_ops.monitor.alerts.store.lease import TTL_SECONDS, FileLease, Lease
from pykafka_ops.monitor.audit.log import AuditLog
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import Watcher, now_ms
from pykafka_ops.monitor.config import MonitorConfig, listen_address
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import make_app
from pykafka_ops.monitor.http.doors import all_routes
from pykafka_ops.monitor.http.server import HttpServer
from pykafka_ops.monitor.keeper import Keeper
from pykafka_ops.monitor.messages.service import MessageService
from pykafka_ops.monitor.messages.settings import message_settings
from pykafka_ops.monitor.metrics.settings import metrics_settings
from pykafka_ops.monitor.mirrors.watch import MirrorWatch
from pykafka_ops.monitor.probes.schedule import Probes
from pykafka_ops.monitor.probes.settings import probe_settings
from pykafka_ops.monitor.service import Service, ShownCluster
from pykafka_ops.monitor.tiers.settings import book_settings
from pykafka_ops.monitor.tiers.watch import BookWatch


def _lease(
    settings: AlertSettings, clients: Mapping[str, ClientConfig]
) -> Callable[[AlertDatabase], Lease] | None:
    """The lease from a cluster's group, where the configuration names a cluster. UsageError."""
    if not settings.lead:
        return None
    if settings.lead not in clients:
        near = did_you_mean(settings.lead, clients)
        raise UsageError(f"[alerts] lead: there is no cluster {settings.lead}{near}")
    config = ClientConfig.of(clients[settings.lead].properties)
    return lambda database: KafkaLease(FileLease(database, ttl=TTL_SECONDS), Cluster(config))


def _opener(clients: Mapping[str, ClientConfig]) -> Callable[[str], Cluster]:
    """Opens a cluster by its name, for a change."""

    def opened(name: str) -> Cluster:
        config = ClientConfig.of(clients[name].properties)
        config.client_id = clients[name].client_id
        return Cluster(config)

    return opened


def _shown(client: ClientConfig, poll_ms: int) -> ShownCluster:
    return ShownCluster(tuple(str(a) for a in client.bootstrap), poll_ms, client.protocol)


class Monitor:
    """Call ``start`` and ``stop``. ``data`` is its directory; ``hosts`` are the names that requests
    may use for it (None: any). UsageError, StorageError, ConnectError."""

    def __init__(
        self,
        config: MonitorConfig,
        clients: Mapping[str, ClientConfig],
        data: Path,
        hosts: Sequence[str] | None,
        source: str,
        access: AccessSettings,
    ) -> None:
        settings = alert_settings(config.others, source)
        metrics = metrics_settings(config.others, source)
        messages = MessageService(clients, message_settings(config.others, source, clients))
        host, port = listen_address(config.listen)
        self._history = History(data / "history.db")
        lease = _lease(settings, clients)
        file = os.path.expanduser(settings.file) or str(data / "alerts.db")
        self._alerts = AlertService(settings, file, list(clients), lease=lease)
        probed = probe_settings(config.others, source, list(clients))
        self._probes = Probes(probed, clients, self._history)
        books = book_settings(config.others, source, list(clients))
        self._audits = BookWatch(books, now_ms, self._history) if books else None
        keeper = Keeper(self._history, self._alerts, self._probes, self._audits)
        clusters: dict[str, WatchedCluster] = {}
        links, poll_ms = MirrorWatch(clusters), config.poll_ms
        self._watchers = [
            Watcher(name, client, poll_ms=poll_ms, hearers=[keeper.hear], beside=[links.look])
            for name, client in clients.items()
        ]
        clusters |= {name: w.watched for name, w in zip(clients, self._watchers, strict=True)}
        shown = {name: _shown(client, poll_ms) for name, client in clients.items()}
        login = MonitorLogin(access, now_ms) if access.login.mode != NONE else None
        rights = MonitorAccess(access.actions, login)
        service = Service(
            clusters,
            shown,
            history=self._history,
            alerts=self._alerts,
            access=rights,
            metrics=metrics,
            requests={n: w.requests for n, w in zip(clients, self._watchers, strict=True)},
            probes=self._probes,
        )
        service.reports = Path(config.reports).expanduser() if config.reports else None
        service.books, service.audits = books, self._audits
        service.desk = ChangeDesk(rights, AuditLog(data, now_ms), _opener(clients), data, now_ms)
        service.messages = messages
        tls = (access.tls_cert, access.tls_key) if access.tls_cert else None
        self._server = HttpServer(make_app(service, all_routes(), hosts), host, port, tls)
        shown_host = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{shown_host}:{self._server.port}/"

    def start(self) -> None:
        """Begin to watch and to answer."""
        self._alerts.start()
        self._server.start()
        for watcher in self._watchers:
            watcher.start()
        self._probes.start()
        if self._audits is not None:
            self._audits.start()

    def stop(self) -> None:
        """End, and write what is left."""
        self._probes.stop()
        if self._audits is not None:
            self._audits.stop()
        for watcher in self._watchers:
            watcher.stop()
        self._server.stop()
        self._alerts.close()
        self._history.close()
