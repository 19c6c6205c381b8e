"""Builds a broker in order, starts it, stops it in reverse. Counterpart of ``KafkaServer``."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.runtime.cluster import adoption, membership
from pykafka_ops.broker.runtime.cluster.membership import Membership
from pykafka_ops.broker.runtime.parts import Parts
from pykafka_ops.broker.runtime.settings.listeners import Endpoint, Listening, open_to_all
from pykafka_ops.broker.runtime.settings.start import (
    record_start,
    seal_passwords,
    settings_at_start,
)
from pykafka_ops.broker.runtime.trimming import Trimming
from pykafka_ops.broker.services.image_waits import comes_true
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.image import BrokerEndpoint as ImageEndpoint
from pykafka_ops.broker.state.image import BrokerInfo
from pykafka_ops.broker.storage.clocks import monotonic_clock
from pykafka_ops.errors import SettingError
from pykafka_ops.settings import check
from pykafka_ops.settings.broker_own import METRICS_LISTEN
from pykafka_ops.settings.providers import resolved
from pykafka_ops.settings.validators import host_and_port
from pykafka_ops.wire.apis import ApiKey

if TYPE_CHECKING:
    from pykafka_ops.broker.runtime.metrics.metrics import Metrics
    from pykafka_ops.broker.runtime.security.logins import Logins
    from pykafka_ops.broker.runtime.security.tls_listeners import TlsListeners

log = logging.getLogger("kafka.server.KafkaServer")

HOT = (ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.METADATA, ApiKey.LIST_OFFSETS, ApiKey.INIT_PRODUCER_ID)
"""Modules imported right after the start, before the first client needs them."""
TOKEN_SECRETS = ("delegation.token.secret.key", "delegation.token.master.key")
NEWS_SECONDS = 10.0
"""How long a start waits for the controller's first UpdateMetadata."""


class Broker:
    """One broker. ``properties`` are those of server.properties; ``data_dir`` holds the embedded
    metadata store unless ``zookeeper.connect`` is set. ``on_fatal`` is called when it cannot go
    on (its last log directory failed).

    Raises SettingError for settings that are wrong or that would not be honoured.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        data_dir: str | PathLike[str],
        *,
        on_fatal: Callable[[], None] = lambda: None,
    ) -> None:
        properties = resolved(properties, os.environ)
        review = check.review(properties)
        if review.refusals:
            raise SettingError("; ".join(review.refusals))
        for line in review.warnings:
            log.warning("%s", line)
        self.configs = settings_at_start(properties)
        seal_passwords(self.configs)
        self._listening = Listening(self.configs)
        self._logins = self._make_logins()
        self._data_dir = fspath(data_dir)
        self._on_fatal = on_fatal
        self.endpoints: list[Endpoint] = []
        self.metrics: Metrics | None = None
        """Served over HTTP, where ``metrics.listen`` is set."""
        self._started: list[tuple[str, Callable[[], Any]]] = []

    def _make_logins(self) -> Logins | None:
        protocols = self._listening.used_protocols
        asked = any(protocol.startswith("SASL_") for protocol in protocols.values())
        if not asked and not any(map(self.configs.value, TOKEN_SECRETS)):
            return None
        from pykafka_ops.broker.runtime.security.logins import Logins  # few ask for it

        return Logins(
            self.configs,
            protocols,
            inter_broker=self._listening.inter_broker,
            env=os.environ,
            call_later=lambda *when: self.parts.server.call_later(*when),
        )

    @property
    def broker_id(self) -> int:
        """The id in the cluster, known once started."""
        return self._membership.broker_id

    @property
    def cluster_id(self) -> str:
        """The cluster's id, known once started."""
        return self._membership.cluster_id

    @property
    def fatal(self) -> bool:
        """Whether it could not go on."""
        return self.parts.failed_dirs.fatal

    # -- start ---------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open everything and accept clients; the broker knows its topics by then.

        Raises StorageError, StoreError, SettingError or OSError; what was opened is closed by
        :meth:`stop`.
        """
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="broker-io")
        self._opened("threads", lambda: self._pool.shutdown(wait=False))
        self._open_metrics()
        tls = self._make_tls()
        await self._settle_ids()
        self.parts = parts = Parts(
            self._membership,
            self._loop,
            listener=self._listening.inter_broker,
            run_in_thread=self._run_in_thread,
            on_fatal=self._on_fatal,
            log_in=self._logins.outgoing if self._logins is not None else None,
            tls=tls,
        )
        if self.metrics is not None:
            parts.server.measure()
        self._opened("deadlines", parts.deadlines.stop)
        await self._start_logins()
        await parts.settings.start()
        self._opened("settings", parts.settings.close)
        if tls is not None:
            await tls.load()  # dynamic settings say what: of Kafka's, too, they are read before
            tls.start(monotonic_clock)
            self._opened("TLS", tls.close)
        await self._open_authorizer()
        parts.logs.open(monotonic_clock())
        self._opened("logs", self._close_logs)
        self._opened("coordinators", parts.coordinators.close)
        if self._membership.fresh:
            names = await adoption.adopt(self._membership.store, parts.logs, self.broker_id)
            await parts.settings.load_topics(names)
        self._opened("peers", parts.peers.close)
        self._opened("fetchers", parts.fetchers.close)
        self._opened("failures of log directories", parts.failed_dirs.stop)
        self._opened("full directories", parts.full_dirs.stop)
        await self._open_sockets()
        parts.isr_changes.start()
        self._opened("ISR changes", parts.isr_changes.stop)
        await self._join()
        self._start_upkeep(parts)
        self._membership.store.serving()
        await parts.server.accept()
        self._opened("leaderships", self._hand_over)
        if self.metrics is not None:
            self.metrics.running(parts)
        await self._hear_of_ourselves()

    def _start_upkeep(self, parts: Parts) -> None:
        """What goes on by itself while clients are served."""
        parts.tasks.start()
        self._opened("tasks", parts.tasks.stop)
        trimming = Trimming(parts.memory, self._run_in_thread)
        trimming.start()
        self._opened("trimming", trimming.stop)
        parts.cleaner.start()
        self._opened("cleaner", parts.cleaner.stop)

    async def _open_authorizer(self) -> None:
        acls = self.parts.services.acls
        if acls is not None:
            from pykafka_ops.broker.runtime.cluster.acl_watch import AclWatch  # few have rules

            watch = AclWatch(acls)
            self._opened("access rules", watch.close)
            await watch.start()
            acls.authorizer.changed.append(self.parts.server.rights_changed)
            self.parts.services.levels_changed.append(acls.authorizer.ask_again)

    async def _start_logins(self) -> None:
        if self._logins is not None:
            self._logins.guard(self.parts)
            self._opened("logins", self._logins.close)
            await self._logins.start()

    def _open_metrics(self) -> None:
        address = self.configs.value(METRICS_LISTEN)
        if address:
            from pykafka_ops.broker.runtime.metrics.metrics import Metrics  # few ask for it

            self.metrics = Metrics(*host_and_port(METRICS_LISTEN, address), self._loop)
            self._opened("metrics", self.metrics.close)

    def _make_tls(self) -> TlsListeners | None:
        listening = self._listening
        if not any(
            protocol in ("SSL", "SASL_SSL") for protocol in listening.used_protocols.values()
        ):
            return None
        from pykafka_ops.broker.runtime.security.tls_listeners import TlsListeners  # few have TLS

        return TlsListeners(
            self.configs, listening.used_protocols, listening.inter_broker, self._run_in_thread
        )

    async def _settle_ids(self) -> None:
        """Lock the directory, open the tree; settles broker and cluster id."""
        self._opened("lock", membership.lock(self._data_dir).close)
        store = await membership.open_store(self.configs, self._data_dir)
        self._opened("store", store.close)
        if not self.configs.value("zookeeper.connect"):
            record_start(self.configs.static, self._data_dir)
        self._membership = await Membership.take(store, self.configs)

    async def _open_sockets(self) -> None:
        server = self.parts.server
        self._opened("server", server.close)
        bound = []
        for endpoint in self._listening.endpoints:
            self._warn_if_open(endpoint)
            port = await server.listen(endpoint.name, endpoint.host, endpoint.port)
            bound.append(endpoint._replace(port=port))
        self.endpoints = bound

    def _warn_if_open(self, endpoint: Endpoint) -> None:
        if self.configs.text("authorizer.class.name"):
            return  # who is in may do what the rules say
        line = open_to_all(
            endpoint,
            self._listening.used_protocols[endpoint.name],
            ListenerConfigs(self.configs, endpoint.name).value("ssl.client.auth"),
        )
        if line is not None:
            log.warning("%s", line)

    async def _join(self) -> None:
        """Register, and wait for a controller: our own one has sent us our topics by then."""
        protocols = self._listening.protocols
        info = BrokerInfo(
            id=self.broker_id,
            endpoints=tuple(
                ImageEndpoint(e.host, e.port, e.name, protocols[e.name])
                for e in self._listening.announced(self.endpoints)
            ),
            rack=self.configs.value("broker.rack"),
        )
        self.parts.server.queue_clients()  # a controller connects as soon as it sees us
        self.parts.executor.broker_epoch = await self._membership.register(info)
        await self.parts.controller.start()
        self._opened("controller", self.parts.controller.stop)

    async def _hear_of_ourselves(self) -> None:
        """Wait for the first metadata from another broker that is the controller: only then this
        broker can name brokers to clients."""
        image = self.parts.image
        if not await comes_true(image, lambda: image.alive(self.broker_id), NEWS_SECONDS):
            log.warning("the controller has not sent metadata of the cluster yet")

    # -- while running ---------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Import modules that the first client would otherwise wait for."""
        for key in HOT:
            self.parts.server.dispatch.preload(key)

    async def _run_in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._pool, function, *arguments)

    # -- stop ------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Close what was opened, the last first; a part that fails does not stop the others."""
        if self.metrics is not None:
            self.metrics.stopping()
        while self._started:
            name, close = self._started.pop()
            try:
                outcome = close()
                if outcome is not None and asyncio.iscoroutine(outcome):
                    await outcome
            except Exception:
                log.exception("closing %s", name)

    async def _hand_over(self) -> None:
        if self.parts.controller.connected:
            await self.parts.controlled_shutdown.run()
        else:  # nobody can be controller now
            log.warning(
                "stopping without moving leaderships to other brokers: ZooKeeper does not answer"
            )

    def _opened(self, name: str, close: Callable[[], Any]) -> None:
        self._started.append((name, close))

    def _close_logs(self) -> None:
        self.parts.logs.close(self.parts.executor.broker_epoch)
