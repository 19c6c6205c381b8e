"""Builds a broker in order, starts it, stops it in reverse. Counterpart of ``KafkaServer``."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.handlers.api import Services
from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore
from pykafka_ops.broker.metadata.membership import cluster_id, ensure_paths, register_broker
from pykafka_ops.broker.metadata.producer_ids import ProducerIds
from pykafka_ops.broker.metadata.topic_admin import TopicAdmin
from pykafka_ops.broker.net import adoption, identity, listeners
from pykafka_ops.broker.net.cleaner import LogCleaner
from pykafka_ops.broker.net.controller_loop import ControllerLoop, ControllerSettings
from pykafka_ops.broker.net.coordinators import Coordinators
from pykafka_ops.broker.net.live_settings import LiveSettings
from pykafka_ops.broker.net.replica_service import LocalReplicas
from pykafka_ops.broker.net.server import Server
from pykafka_ops.broker.net.storage_settings import storage_settings
from pykafka_ops.broker.net.tasks import PeriodicTasks
from pykafka_ops.broker.state.fetch_session import FetchSessions
from pykafka_ops.broker.state.image import BrokerInfo, MetadataImage
from pykafka_ops.broker.state.image import Endpoint as ImageEndpoint
from pykafka_ops.broker.storage.files import Lock, RealFiles
from pykafka_ops.broker.storage.log_dirs import LogDirs
from pykafka_ops.broker.storage.replicas import Replicas
from pykafka_ops.errors import SettingError, StorageError
from pykafka_ops.settings import check
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.types import uuid_text

if TYPE_CHECKING:
    from pykafka_ops.broker.net.listeners import Endpoint
    from pykafka_ops.broker.state.topic_config import TopicConfig

log = logging.getLogger("kafka.server.KafkaServer")

HOT = (ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.METADATA, ApiKey.LIST_OFFSETS, ApiKey.INIT_PRODUCER_ID)
"""Loaded right after the start, before a client asks."""

STORE_LOCK = "metadata.lock"


def wall_clock() -> int:
    """ms since 1970."""
    return time.time_ns() // 1_000_000


def monotonic_clock() -> float:
    """Monotonic ms."""
    return time.monotonic_ns() / 1e6


class Broker:
    """One broker. ``properties`` are those of server.properties; ``data_dir`` holds the embedded
    metadata store. ``on_fatal`` is called when it cannot go on (its last log directory failed).

    Raises SettingError for settings that are wrong or that would not be honoured.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        data_dir: Path,
        *,
        on_fatal: Callable[[], None] = lambda: None,
    ) -> None:
        review = check.review(properties)
        if review.refusals:
            raise SettingError("; ".join(review.refusals))
        for line in review.warnings:
            log.warning("%s", line)
        self.configs = identity.configs(properties)
        if self.configs.value("zookeeper.connect"):
            raise SettingError(
                "zookeeper.connect: clusters on ZooKeeper are not served yet; "
                "leave it out to use the embedded metadata store"
            )
        self._listen = self._listeners()
        self._data_dir = data_dir
        self._on_fatal = on_fatal
        self.fatal = False
        self.broker_id: int = self.configs.value("broker.id")
        self.cluster_id = ""
        self.endpoints: list[Endpoint] = []
        self.image = MetadataImage()
        self._log_dirs: list[str] = check.log_dirs(self.configs.value)
        self._started: list[tuple[str, Callable[[], Any]]] = []
        self._expiry: tuple[float, asyncio.TimerHandle] | None = None

    def _listeners(self) -> list[Endpoint]:
        get = self.configs.value
        protocols = listeners.protocol_map(
            self.configs.text("listener.security.protocol.map") or ""
        )
        found = listeners.parse_listeners(self.configs.text("listeners") or "", "listeners")
        listeners.check_protocols(found, protocols)
        self._protocols = protocols
        advertised = get("advertised.listeners")
        self._advertised = (
            listeners.parse_listeners(
                self.configs.text("advertised.listeners") or "", "advertised.listeners"
            )
            if advertised
            else None
        )
        return found

    # -- start ---------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open everything and accept clients; the broker knows its topics by then.

        Raises StorageError, StoreError, SettingError or OSError; what was opened is closed by
        :meth:`stop`.
        """
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(8, thread_name_prefix="broker-io")
        self._opened("threads", lambda: self._pool.shutdown(wait=False))
        fresh = await self._open_store()
        self._build()
        await self._settings.start()
        self._opened("settings", self._settings.close)
        self.logs.open(wall_clock())
        self._opened("logs", self._close_logs)
        self._opened("coordinators", self._coordinators.close)
        if fresh:
            names = await adoption.adopt(self.store, self.logs, self.broker_id)
            await self._settings.load_topics(names)
        self._tasks = PeriodicTasks(self.logs, self.configs, wall_clock)
        self._cleaner = LogCleaner(self.logs, self.configs, wall_clock, self._run_in_thread)
        await self._open_sockets()
        await self._join()
        self._tasks.start()
        self._opened("tasks", self._tasks.stop)
        self.logs.moves.is_held = self._cleaner.is_busy
        self._cleaner.start()
        self._opened("cleaner", self._cleaner.stop)
        await self._server.accept()

    async def _open_store(self) -> bool:
        """Lock and open the embedded store; whether it is new. Settles broker and cluster id."""
        self._lock = self._lock_store()
        self._opened("lock", self._lock.close)
        self.store = EmbeddedStore(self._data_dir / FILE_NAME, clock=wall_clock)
        self._opened("store", self.store.close)
        fresh = await adoption.is_fresh(self.store)
        stored_cluster = adoption.stored_identity(RealFiles(), self._log_dirs)[1]
        await ensure_paths(self.store)
        proposed = stored_cluster if fresh and stored_cluster else uuid_text(identity.random_uuid())
        self.cluster_id = await cluster_id(self.store, proposed)
        self.image.cluster_id = self.cluster_id
        return fresh

    def _lock_store(self) -> Lock:
        try:
            return RealFiles().lock(str(self._data_dir / STORE_LOCK))
        except BlockingIOError:
            raise StorageError(
                f"another broker uses {self._data_dir}: stop it (pko broker stop --data-dir "
                f"{self._data_dir}) or give this one another --data-dir"
            ) from None
        except OSError as error:
            raise StorageError(f"cannot write to {self._data_dir}: {error.strerror}") from None

    def _build(self) -> None:
        self._settings = LiveSettings(
            self.store,
            self.broker_id,
            self.configs,
            clock=wall_clock,
            on_topic=self._topic_changed,
            on_broker=self._settings_changed,
        )
        self.logs = LogDirs(
            self._log_dirs,
            broker_id=self.broker_id,
            cluster_id=self.cluster_id,
            config_of=self._settings.topic_config,
            settings=storage_settings(self.configs, wall_clock),
            on_offline=self._dir_failed,
            wake=self._wake_logs,
        )
        self.replicas = self._make_replicas()
        self._coordinators = Coordinators(
            self._loop,
            self.replicas,
            clock=wall_clock,
            timer=monotonic_clock,
            run_in_thread=self._run_in_thread,
        )
        self._service = LocalReplicas(
            self.image,
            self.replicas,
            self.logs,
            self._settings,
            coordinators=self._coordinators,
        )
        self._controller = ControllerLoop(
            self.store,
            self._service,
            ControllerSettings(
                broker_id=self.broker_id,
                clock=wall_clock,
                new_topic_id=identity.random_uuid,
                unclean=self._unclean,
                delete_enabled=self.configs.value("delete.topic.enable"),
            ),
        )
        self.logs.moves.on_moved = self._log_moved
        self.logs.on_flushed = self.replicas.flushed
        self.services = self._make_services()
        self._server = Server(self.services, self._loop)

    def _make_replicas(self) -> Replicas:
        return Replicas(
            self.broker_id,
            self.logs,
            call_soon=self._loop.call_soon,
            arm=self._arm,
            clock=wall_clock,
            max_lag_ms=lambda: self.configs.value("replica.lag.time.max.ms"),
            alive=self.image.alive,
        )

    def _make_services(self) -> Services:
        get = self.configs.value
        sessions = FetchSessions(
            get("max.incremental.fetch.session.cache.slots"),
            lambda: random.getrandbits(31),
        )
        producer_ids = ProducerIds(self.broker_id, self.store)
        return Services(
            broker_id=self.broker_id,
            cluster_id=self.cluster_id,
            clock=wall_clock,
            timer=monotonic_clock,
            image=self.image,
            configs=self.configs,
            store=self.store,
            logs=self.logs,
            replicas=self.replicas,
            topics=TopicAdmin(
                self.image,
                self._controller,
                self.configs,
                draw=random.randrange,
                new_topic_id=identity.random_uuid,
            ),
            sessions=sessions,
            producer_ids=producer_ids,
            transactions=self._coordinators.add_transactions(
                self.image, self.configs, producer_ids
            ),
            groups=self._coordinators.add_groups(self.image, self.configs),
            orders=self._service,
            run_in_thread=self._run_in_thread,
            fetch_max_bytes=get("fetch.max.bytes"),
        )

    async def _open_sockets(self) -> None:
        self._opened("server", self._server.close)
        bound = []
        for endpoint in self._listen:
            port = await self._server.listen(endpoint.name, endpoint.host, endpoint.port)
            bound.append(endpoint._replace(port=port))
        self.endpoints = bound

    async def _join(self) -> None:
        """Register, and have a controller: ours, which has told us about our topics by then."""
        told = listeners.advertise(self.endpoints, self._advertised)
        info = BrokerInfo(
            id=self.broker_id,
            endpoints=tuple(
                ImageEndpoint(e.host, e.port, e.name, self._protocols[e.name]) for e in told
            ),
            rack=self.configs.value("broker.rack"),
        )
        self._service.broker_epoch = await register_broker(self.store, info, wall_clock())
        await self._controller.start()
        self._opened("controller", self._controller.stop)

    # -- while running ---------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Import what the first client would otherwise wait for."""
        for key in HOT:
            self._server.preload(key)

    async def _run_in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await self._loop.run_in_executor(self._pool, function, *arguments)

    def _arm(self, deadline: float) -> None:
        """Have waiting requests expire at ``deadline`` (monotonic ms)."""
        if self._expiry is not None:
            if self._expiry[0] <= deadline:
                return
            self._expiry[1].cancel()
        delay = max(0.0, deadline - monotonic_clock()) / 1000
        self._expiry = (deadline, self._loop.call_later(delay, self._expire))

    def _expire(self) -> None:
        self._expiry = None
        following = self.replicas.expire(monotonic_clock())
        if following is not None:
            self._arm(following)

    def _wake_logs(self) -> None:
        self._tasks.wake()

    def _topic_changed(self, topic: str, config: TopicConfig) -> None:
        self.logs.update_config(topic, config)

    def _settings_changed(self, names: frozenset[str]) -> None:
        log.info("settings changed: %s", ", ".join(sorted(names)))
        self._server.reconfigure()
        rate = self.configs.value("replica.alter.log.dirs.io.max.bytes.per.second")
        self.logs.settings.move_bytes_per_second = rate
        verify = self.configs.value("transaction.partition.verification.enable")
        self.logs.settings.verify_transactions = verify
        for data_dir in self.logs.online:
            data_dir.forget_expiry()
            for found in data_dir.open_logs():
                found.update_config(self._settings.topic_config(found.topic))
        self._cleaner.reconfigure(names)

    def _unclean(self, topic: str) -> bool:
        return self._settings.topic_config(topic).unclean_leader_election_enable

    def _log_moved(self, topic: str, index: int) -> None:
        """A replica is in another directory: the partition goes on with that log."""
        partition = self.replicas.find(topic, index)
        if partition is not None:
            partition.move_log()

    def _dir_failed(self, path: str, gone: list[tuple[str, int]], last: bool) -> None:
        """Answer who waits on logs that are gone; without any directory the broker is over."""
        for topic, index in gone:
            self._coordinators.lost(topic, index)
            partition = self.replicas.find(topic, index)
            if partition is not None:
                partition.forget_log()
                self.replicas.wake_soon((topic, index))
        if last:
            log.critical("the last log directory, %s, failed: the broker stops", path)
            self.fatal = True
            self._on_fatal()

    # -- stop ------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Close what was opened, the last first; a part that fails does not stop the others."""
        if self._expiry is not None:
            self._expiry[1].cancel()
        while self._started:
            name, close = self._started.pop()
            try:
                outcome = close()
                if outcome is not None and asyncio.iscoroutine(outcome):
                    await outcome
            except Exception:
                log.exception("closing %s", name)

    def _opened(self, name: str, close: Callable[[], Any]) -> None:
        self._started.append((name, close))

    def _close_logs(self) -> None:
        self.logs.close(self._service.broker_epoch)
