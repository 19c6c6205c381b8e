"""One broker of :mod:`tests.support.simulation`: real logs, fetchers and ``LocalReplicas``."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from pykafka_ops.broker.net.fetcher import Fetcher
from pykafka_ops.broker.net.replica_service import LocalReplicas
from pykafka_ops.broker.state.fetch_session import FetchSessions
from pykafka_ops.broker.state.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    Order,
    PartitionErrors,
)
from pykafka_ops.broker.state.topic_config import TopicConfig
from pykafka_ops.broker.storage.log import Log
from pykafka_ops.broker.storage.log_dir import LogDir, StorageSettings
from pykafka_ops.wire.messages.fetch import FetchRequest
from tests.support.copying import drive
from tests.support.handler_site import Logs, Site, topic_id
from tests.support.replication_node import KEY, Fetchers, Node

if TYPE_CHECKING:
    from tests.support.simulated_tree import Seat
    from tests.support.simulation import Simulation


class SimLogs(Logs):
    """The logs of one broker; they are made and deleted as the controller says."""

    offline: tuple[str, ...] = ()

    def create(self, topic: str, index: int, *given: Any, is_new: bool = False) -> Log:
        config = given[-1]
        assert isinstance(config, TopicConfig)
        return super().create(topic, index, config)

    def delete(self, topic: str, index: int) -> None:
        log = self.logs.pop((topic, index), None)
        if log is not None:
            self.files.remove_tree(log.directory)


class SimNode(Node):
    """A process and its directory; ``seat`` is its term as controller, if it has one.

    ``expired`` says that its session is gone and it has not noticed yet.
    """

    world: Any
    seat: Seat | None = None
    expired = False
    stopping = False
    life = 0
    """How often it has started."""

    def boot(self) -> None:
        """Start: nothing is known but what the files hold."""
        sim: Simulation = self.world
        self.life += 1
        self.seat, self.expired, self.stopping = None, False, False
        self.site = site = Site(self.id, replica_fetch_wait_max_ms=0)
        site.time = site.now = sim.now
        ids = itertools.count(self.life * 100_000)  # no life gives those of another
        site.services.sessions = FetchSessions(100, lambda: next(ids))
        self.logs = logs = SimLogs(lambda: sim.now)
        logs.files = self.files
        logs.dir = LogDir("/data", self.files, StorageSettings(clock=lambda: sim.now))
        config = TopicConfig.of({"min.insync.replicas": str(sim.min_isr)})
        if self.files.exists("/data/t-0"):
            logs.logs[KEY] = Log(logs.dir, "t", 0, config, high_watermark=self.saved_watermark)
        site.replicas.logs = cast(Any, logs)
        site.replicas.propose = lambda _, proposal: self.proposals.append(proposal)
        self.fetchers = Fetchers(self)
        settings = SimpleNamespace(
            load_topics=_nothing, topic_config=lambda _: config, forget_topic=lambda _: None
        )
        self.service = LocalReplicas(
            site.image,
            site.replicas,
            cast(Any, logs),
            cast(Any, settings),
            fetchers=cast(Any, self.fetchers),
        )
        self.proposals, self.answers, self.waiting = [], [], []
        self.asked = None
        self.running = True

    @property
    def held(self) -> Log | None:
        """Its replica's log, None if it has none."""
        return self.logs.get(*KEY)

    @property
    def log(self) -> Log:  # type: ignore[override]
        """Its replica's log."""
        found = self.held
        assert found is not None
        return found

    def apply(self, order: Order) -> PartitionErrors:
        """Obey. Raises KafkaError for an order of the past."""
        try:
            if isinstance(order, MetadataOrder):
                drive(self.service.apply_update_metadata(order))
                return {}
            if isinstance(order, LeaderAndIsrOrder):
                return drive(self.service.apply_leader_and_isr(order))
            return drive(self.service.apply_stop_replica(order))
        finally:
            self.site.run_soon()

    def checkpoint(self) -> None:
        """Write the high watermark file."""
        if self.held is not None:
            self.saved_watermark = self.held.high_watermark

    def _send(self, leader: int, fetcher: Fetcher, request: FetchRequest) -> None:
        if self.world.is_cut(self.id, leader):
            fetcher._session.failed()
        else:
            super()._send(leader, fetcher, request)

    def crash(self) -> None:
        super().crash()
        if self.seat is not None:
            self.seat.resign()
            self.seat = None


async def _nothing(_: object) -> None:
    """Topics have no overrides."""


__all__ = ["KEY", "SimNode", "topic_id"]
