"""One broker of :mod:`tests.support.replication_world`: real parts, stepped by hand."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pykafka_ops.broker.net.fetcher import Fetcher
from pykafka_ops.broker.net.replica_service import LocalReplicas
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.broker.state.in_sync import Proposal
from pykafka_ops.broker.state.leadership import Assignment, LeaderAndIsr
from pykafka_ops.broker.state.orders import LeaderAndIsrOrder, ReplicaChange
from pykafka_ops.broker.state.topic_config import TopicConfig
from pykafka_ops.broker.storage.log import Log
from pykafka_ops.broker.storage.log_dir import LogDir, StorageSettings
from pykafka_ops.broker.storage.memory_files import MemoryFiles
from pykafka_ops.broker.storage.partition import Partition
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse
from tests.support.copying import drive, fetcher_of
from tests.support.handler_site import Later, Logs, Site, topic_id

if TYPE_CHECKING:
    from tests.support.replication_world import World

IDS = (0, 1, 2)
KEY = ("t", 0)


class Order(NamedTuple):
    """What the controller tells one broker: who lives, and maybe the partition's new state."""

    state: LeaderAndIsr | None
    live: tuple[int, ...]


class Fetchers:
    """The fetchers of one broker, stepped by hand (as ``ReplicaFetchers``)."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.by_leader: dict[int, Fetcher] = {}

    def follow(self, partition: Partition) -> None:
        self.stop([partition.key])
        leader = partition.leader
        if leader not in self.by_leader:
            world = self._node.world
            self.by_leader[leader] = fetcher_of(
                self._node.site, leader, lambda: world.nodes[leader].reachable
            )
        self.by_leader[leader].add(partition)

    def stop(self, keys: Iterable[tuple[str, int]]) -> None:
        for fetcher in self.by_leader.values():
            for key in keys:
                fetcher.remove(key)

    def end_idle(self) -> None:
        """They stay."""


class Node:
    """One broker: its files outlive its crashes."""

    def __init__(self, id_: int, world: World) -> None:
        self.id = id_
        self.world = world
        self.files = MemoryFiles()
        self.files.make_directory("/data")
        self.saved_watermark = 0
        self.running = False
        self.boot()

    def boot(self) -> None:
        """Start: nothing is known but what the files hold."""
        self.site = site = Site(self.id, replica_fetch_wait_max_ms=0)
        site.time = site.now = self.world.now
        logs = Logs(lambda: self.world.now)
        logs.files = self.files
        logs.dir = LogDir("/data", self.files, StorageSettings(clock=lambda: self.world.now))
        logs.offline = []  # type: ignore[attr-defined]
        config = TopicConfig.of({"min.insync.replicas": str(self.world.min_isr)})
        if self.files.exists("/data/t-0"):
            log = Log(logs.dir, "t", 0, config, high_watermark=self.saved_watermark)
        else:
            log = Log.create(logs.dir, "t", 0, config, topic_id=topic_id("t"))
        logs.logs[KEY] = log
        self.log = log
        site.replicas.logs = cast(Any, logs)
        site.replicas.propose = lambda _, proposal: self.proposals.append(proposal)
        self.fetchers = Fetchers(self)
        settings = SimpleNamespace(load_topics=_nothing, topic_config=lambda _: config)
        self.service = LocalReplicas(
            site.image,
            site.replicas,
            cast(Any, logs),
            cast(Any, settings),
            fetchers=cast(Any, self.fetchers),
        )
        self.orders: list[Order] = []
        self.proposals: list[Proposal] = []
        self.answers: list[tuple[Proposal, int, LeaderAndIsr]] = []
        self.waiting: list[tuple[bytes, Later]] = []
        self.asked: tuple[Fetcher, FetchResponse] | None = None
        self.running = True

    @property
    def reachable(self) -> Site | None:
        return self.site if self.running else None

    @property
    def partition(self) -> Partition | None:
        return self.site.replicas.find(*KEY)

    def obey(self, order: Order) -> None:
        """One order of the controller."""
        if order.state is None:
            self.site.update({}, order.live)
            return
        image = PartitionImage(order.state.leader, order.state.leader_epoch, order.state.isr, IDS)
        self.site.update({"t": {0: image}}, order.live)
        change = ReplicaChange("t", topic_id("t"), 0, order.state, Assignment(IDS), is_new=True)
        epoch = order.state.controller_epoch
        told = LeaderAndIsrOrder(
            controller_id=9, controller_epoch=epoch, broker_epoch=-1, changes=[change]
        )
        drive(self.service.apply_leader_and_isr(told))
        self.site.run_soon()

    def ask(self) -> None:
        """Send a Fetch to the leader it knows; the answer is under way after it."""
        for leader, fetcher in self.fetchers.by_leader.items():
            request = fetcher.request()
            if request is not None:
                self._send(leader, fetcher, request)

    def _send(self, leader: int, fetcher: Fetcher, request: FetchRequest) -> None:
        site = self.world.nodes[leader].reachable
        if site is None or self.world.draw.random() < 0.1:
            fetcher._session.failed()
            return
        answer = site.ask(request, 17)
        site.run_soon()
        if isinstance(answer, Later):
            site.replicas.expire(site.time + 1)
            answer = answer.answer
        self.asked = fetcher, answer

    def take(self) -> None:
        """The answer arrives, or is lost."""
        if self.asked is None:
            return
        (fetcher, answer), self.asked = self.asked, None
        if self.world.draw.random() < 0.1:
            fetcher._session.failed()
            return
        peer = fetcher._site.connect(fetcher.leader, 0)
        for state in fetcher.take(answer):
            if self.world.nodes[fetcher.leader].running:
                drive(fetcher._reset(peer, state))
        self.site.run_soon()

    def crash(self) -> None:
        """kill -9."""
        self.running = False
        self.waiting.clear()
        self.asked = None


async def _nothing(_: object) -> None:
    """Topics have no overrides."""
