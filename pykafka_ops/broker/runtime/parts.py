"""Everything a broker consists of, made from its settings and put together; nothing runs yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.coordinators.hosted import Coordinators
from pykafka_ops.broker.coordinators.offsets import Offsets
from pykafka_ops.broker.coordinators.verification import Verification
from pykafka_ops.broker.deadline_timer import DeadlineTimer
from pykafka_ops.broker.handlers.api import Services
from pykafka_ops.broker.partitions.append import AppendSite
from pykafka_ops.broker.partitions.deletion import RecordDeletion
from pykafka_ops.broker.partitions.fetches import Fetches
from pykafka_ops.broker.partitions.offset_lookup import OffsetLookup
from pykafka_ops.broker.partitions.read import ReadSite
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.runtime.cluster.controlled_shutdown import ControlledShutdown
from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.broker.runtime.cluster.membership import Membership
from pykafka_ops.broker.runtime.cluster.peers import Peers
from pykafka_ops.broker.runtime.cluster.producer_blocks import ProducerBlocks
from pykafka_ops.broker.runtime.controller.active import ControllerSettings
from pykafka_ops.broker.runtime.controller.channels import ChannelTarget
from pykafka_ops.broker.runtime.controller.leader_rebalance import RebalanceSettings
from pykafka_ops.broker.runtime.controller.loop import ControllerLoop
from pykafka_ops.broker.runtime.logs.cleaner import LogCleaner
from pykafka_ops.broker.runtime.logs.failed_dirs import FailedDirs
from pykafka_ops.broker.runtime.logs.full_dirs import FullDirs
from pykafka_ops.broker.runtime.logs.tasks import PeriodicTasks
from pykafka_ops.broker.runtime.replication.fetchers import ReplicaFetchers
from pykafka_ops.broker.runtime.replication.isr_changes import IsrChanges
from pykafka_ops.broker.runtime.replication.order_executor import LocalOrderExecutor
from pykafka_ops.broker.runtime.replication.site import Site
from pykafka_ops.broker.runtime.settings.effects import SettingEffects
from pykafka_ops.broker.runtime.settings.live import LiveSettings
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.broker.services.consumer_offsets import ConsumerOffsets
from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.broker.services.order_gate import OrderGate
from pykafka_ops.broker.services.producer_ids import ProducerIds
from pykafka_ops.broker.services.topic_admin import TopicAdmin
from pykafka_ops.broker.state.fetch_session import FetchSessions
from pykafka_ops.broker.state.image import BrokerInfo, MetadataImage
from pykafka_ops.broker.state.memory import Memory
from pykafka_ops.broker.state.producer_room import ProducerRoom
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.state.replication.throttle import ReplicationThrottles
from pykafka_ops.broker.storage.clocks import monotonic_clock, wall_clock
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.log_manager import LogManager
from pykafka_ops.errors import ConnectError
from pykafka_ops.random_uuid import random_uuid
from pykafka_ops.settings import check

if TYPE_CHECKING:  # a broker alone asks nobody
    from pykafka_ops.broker.runtime.cluster.peer import LogIn, Peer
    from pykafka_ops.broker.runtime.security.tls_listeners import TlsListeners
    from pykafka_ops.broker.services.acl_admin import AclAdmin
    from pykafka_ops.broker.state.controller.topic_requests import TopicSpec
    from pykafka_ops.errors import KafkaError


class Parts:
    """The parts of one broker by name.

    ``listener`` is the one for brokers, which they log in to by ``log_in``; ``run_in_thread`` does
    what blocks.
    """

    def __init__(
        self,
        membership: Membership,
        loop: asyncio.AbstractEventLoop,
        *,
        listener: str,
        run_in_thread: Callable[..., Any],
        on_fatal: Callable[[], None],
        log_in: LogIn | None = None,
        tls: TlsListeners | None = None,
    ) -> None:
        self._loop = loop
        self._tls = tls
        self._run_in_thread = run_in_thread
        self.membership = membership
        self.configs = membership.configs
        self.broker_id = membership.broker_id
        self.image = MetadataImage(membership.cluster_id)
        self.failed_dirs = FailedDirs(
            membership, lambda gone: self.executor.dir_failed(gone), on_fatal
        )
        self.memory = Memory()
        self.deadlines = DeadlineTimer(loop, monotonic_clock)
        self.peers = Peers(
            self.image,
            self.configs,
            self.broker_id,
            listener,
            log_in,
            tls=None if tls is None else tls.to_brokers,
        )
        self._make_storage()
        self._make_cluster()
        self.logs.moves.on_moved = self.replicas.log_moved
        self.logs.on_flushed = self.replicas.flushed
        self.services = self._make_services()
        self.server = Server(self.services, loop, inter_broker=listener, tls=tls)
        self.tasks = PeriodicTasks(self.logs, self.configs, clock=wall_clock, timer=monotonic_clock)
        self.cleaner = LogCleaner(self.logs, self.configs, wall_clock, run_in_thread)
        self.logs.moves.is_held = self.cleaner.is_busy
        self.settings.effects = self._setting_effects()

    def _make_storage(self) -> None:
        membership = self.membership
        self.throttles = ReplicationThrottles(membership.broker_id, self.configs.value)
        self.quotas = QuotaEntities()
        self.settings = LiveSettings(
            membership.store,
            membership.broker_id,
            self.configs,
            throttles=self.throttles,
            quotas=self.quotas,
        )
        self.logs = LogManager(
            check.log_dirs(self.configs.value),
            broker_id=membership.broker_id,
            cluster_id=membership.cluster_id,
            config_of=self.settings.topic_config,
            settings=self._storage_settings(),
            on_offline=self.failed_dirs.failed,
            wake=lambda: self.tasks.wake(),
        )
        self.replicas = Replicas(
            membership.broker_id,
            self.logs,
            call_soon=self._loop.call_soon,
            arm=self.deadlines.arm,
            timer=monotonic_clock,
            max_lag_ms=lambda: self.configs.value("replica.lag.time.max.ms"),
            alive=self.image.alive,
        )
        self.deadlines.due = lambda: self.replicas.expire(monotonic_clock())
        self.full_dirs = FullDirs(self.logs, self.replicas, self.image, self.failed_dirs.announce)
        self.logs.on_full = self.full_dirs.filled

    def _storage_settings(self) -> StorageSettings:
        get = self.configs.value
        return StorageSettings(
            clock=wall_clock,
            timer=monotonic_clock,
            recovery_threads_per_dir=get("num.recovery.threads.per.data.dir"),
            producer_id_expiration_ms=get("producer.id.expiration.ms"),
            producer_id_expiration_check_ms=get("producer.id.expiration.check.interval.ms"),
            verify_transactions=get("transaction.partition.verification.enable"),
            flush_check_ms=get("log.flush.scheduler.interval.ms"),
            recovery_point_checkpoint_ms=get("log.flush.offset.checkpoint.interval.ms"),
            log_start_checkpoint_ms=get("log.flush.start.offset.checkpoint.interval.ms"),
            move_threads=get("num.replica.alter.log.dirs.threads") or 0,
            high_watermark_checkpoint_ms=get("replica.high.watermark.checkpoint.interval.ms"),
            producer_room=ProducerRoom(self.memory.producers),
        )

    def _setting_effects(self) -> SettingEffects:
        copies = [] if self._tls is None else [self._tls.reconfigure]
        return SettingEffects(
            self.configs,
            self.logs,
            self.settings.topic_config,
            allow_unclean=self.controller.unclean_allowed,
            copies=[
                lambda _: self.server.reconfigure(),
                self.cleaner.reconfigure,
                lambda _: self.fetchers.reconfigure(),
                *copies,
            ],
        )

    def _make_cluster(self) -> None:
        self.coordinators = Coordinators(
            self._loop,
            self.replicas,
            clock=wall_clock,
            timer=monotonic_clock,
            run_in_thread=self._run_in_thread,
            memory=self.memory.state,
        )
        self.fetchers = ReplicaFetchers(
            Site(
                broker_id=self.broker_id,
                broker_epoch=lambda: self.executor.broker_epoch,
                replicas=self.replicas,
                configs=self.configs,
                connect=self._connect_fetcher,
                timer=monotonic_clock,
                throttle=self.throttles.follower,
            )
        )
        self.executor = LocalOrderExecutor(
            self.image,
            self.replicas,
            self.logs,
            self.settings,
            coordinators=self.coordinators,
            fetchers=self.fetchers,
        )
        settings = self._controller_settings()
        self.controller = ControllerLoop(self.membership.store, self.executor, settings)
        self.requests = ControllerRequests(self.controller, self.membership.store)
        self.link = self._link("controller")
        self.isr_changes = IsrChanges(
            self.broker_id, self.link, self.replicas, lambda: self.executor.broker_epoch
        )
        self.controlled_shutdown = ControlledShutdown(
            self.broker_id,
            self.link,
            self.image,
            self.configs,
            lambda: self.executor.broker_epoch,
            lambda: self.controller.connected,
        )

    def _controller_settings(self) -> ControllerSettings:
        return ControllerSettings(
            broker_id=self.broker_id,
            clock=wall_clock,
            new_topic_id=random_uuid,
            unclean=self._unclean,
            delete_enabled=self.configs.value("delete.topic.enable"),
            connect=self._connect,
            rebalance=RebalanceSettings.of(self.configs.value),
            rejoin=self._rejoin,
        )

    def _link(self, purpose: str) -> ControllerLink:
        return ControllerLink(
            self.broker_id,
            self.image,
            self.requests,
            lambda broker: self.peers.peer(broker, purpose),
        )

    def _connect(self, broker: BrokerInfo) -> ChannelTarget:
        from pykafka_ops.broker.runtime.controller.remote_order_executor import RemoteOrderExecutor

        remote = RemoteOrderExecutor(self.peers.connect(broker, "controller"), self.peers.listener)
        return ChannelTarget(remote, remote.close)

    def _connect_fetcher(self, leader: int, fetcher: int) -> Peer:
        broker = self.image.brokers.get(leader)
        if broker is None:
            raise ConnectError(f"broker {leader} is not alive")
        return self.peers.connect(broker, f"fetcher-{fetcher}")

    async def _rejoin(self) -> None:
        self.executor.broker_epoch = await self.membership.rejoin()

    def _unclean(self, topic: str) -> bool:
        return self.settings.topic_config(topic).unclean_leader_election_enable

    def _make_services(self) -> Services:
        get = self.configs.value
        sessions = FetchSessions(
            get("max.incremental.fetch.session.cache.slots"),
            lambda: _draw(1 << 31),
            self.memory.state,
        )
        site = ReadSite(self.replicas, self.image, self.throttles.leader)
        blocks = ProducerBlocks(self.broker_id, self.link, lambda: self.executor.broker_epoch)
        producer_ids = ProducerIds(blocks.claim)
        transactions = self.coordinators.add_transactions(
            self.image, self.configs, producer_ids.take, self.peers.asker("transactions")
        )
        groups = self.coordinators.add_groups(self.image, self.configs)
        store, longest = self.membership.store, lambda: groups.settings.metadata_max_bytes
        verification = Verification(transactions, self.replicas, wall_clock)
        return Services(
            broker_id=self.broker_id,
            cluster_id=self.membership.cluster_id,
            clock=wall_clock,
            timer=monotonic_clock,
            image=self.image,
            configs=self.configs,
            logs=self.logs,
            replicas=self.replicas,
            append_site=AppendSite(
                self.replicas, self.image, wall_clock, verification, self.memory.copies
            ),
            deletion=RecordDeletion(self.replicas, self.image),
            offset_lookup=OffsetLookup(self.replicas, self.image, wall_clock),
            fetches=Fetches(site, sessions, self.configs, self._run_in_thread),
            store=store,
            topics=self._make_topics(),
            producer_ids=producer_ids,
            transactions=transactions,
            groups=groups,
            offsets=Offsets(groups, self.image, verification),
            consumer_offsets=ConsumerOffsets(store, self.image, longest),
            executor=OrderGate(self.executor, store, alone=not get("zookeeper.connect")),
            controller=self.requests,
            run_in_thread=self._run_in_thread,
            quotas=self.quotas,
            memory=self.memory,
            acls=self._make_acls(),
            check_tls=None if self._tls is None else self._tls.check,
        )

    def _make_acls(self) -> AclAdmin | None:
        if not self.configs.text("authorizer.class.name"):
            return None
        from pykafka_ops.broker.runtime.settings.authorizer import authorizer_of  # few have one
        from pykafka_ops.broker.services.acl_admin import AclAdmin

        return AclAdmin(self.membership.store, authorizer_of(self.configs))

    def _make_topics(self) -> TopicAdmin:
        # A line of its own, which a quota may hold up: nothing else has to wait then.
        link = self._link("controller-topics")

        async def send_on(
            specs: Sequence[TopicSpec], timeout_ms: int
        ) -> dict[str, KafkaError | None]:
            from pykafka_ops.broker.runtime.cluster.send_on import TopicForwarder

            return await TopicForwarder(link, self.configs).send_on(specs, timeout_ms)

        return TopicAdmin(
            self.image,
            self.controller,
            self.configs,
            draw=_draw,
            new_topic_id=random_uuid,
            send_on=send_on,
        )


def _draw(bound: int) -> int:
    """A random number in ``range(bound)``."""
    import random  # a broker that has just started draws nothing

    return random.randrange(bound)
