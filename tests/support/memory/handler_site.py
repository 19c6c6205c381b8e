"""One broker's handlers over logs in memory: requests go in as bytes and come out as bytes."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Mapping
from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.broker.coordinators.elsewhere import AskBroker
from pykafka_ops.broker.coordinators.hosted import Coordinators
from pykafka_ops.broker.coordinators.offsets import Offsets
from pykafka_ops.broker.coordinators.verification import Verification
from pykafka_ops.broker.handlers.api import Context, Services
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.metadata.znodes.cluster import ProducerIdBlock
from pykafka_ops.broker.partitions.append import AppendSite
from pykafka_ops.broker.partitions.deletion import RecordDeletion
from pykafka_ops.broker.partitions.fetches import Fetches
from pykafka_ops.broker.partitions.offset_lookup import OffsetLookup
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.read import ReadSite
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.services.producer_ids import ProducerIds
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.fetch_session import FetchSessions
from pykafka_ops.broker.state.image import (
    BrokerEndpoint,
    BrokerInfo,
    MetadataDelta,
    MetadataImage,
    PartitionImage,
)
from pykafka_ops.broker.state.memory import Account, Memory
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log_home import LogHome, StorageSettings
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.memory import asking
from tests.support.memory.files import MemoryFiles
from tests.support.memory.replication import lead

ME = 0
OTHER = 1


class CoordinatorDesk:
    """The broker's coordinators on the site's clocks: ``led`` and ``tick`` are a test's to call."""

    def __init__(
        self,
        replicas: Replicas,
        image: MetadataImage,
        configs: BrokerConfigs,
        site: Site,
        ask: AskBroker | None,
    ) -> None:
        self._work: list[Coroutine[Any, Any, None]] = []
        self._coordinators = Coordinators(
            cast(Any, SimpleNamespace(call_later=lambda *_: SimpleNamespace(cancel=lambda: None))),
            replicas,
            clock=lambda: site.now,
            timer=lambda: site.time,
            run_in_thread=asyncio.to_thread,
            memory=site.memory.state,
        )
        self._coordinators._spawn = self._work.append  # type: ignore[assignment,method-assign]
        self.transactions = self._coordinators.add_transactions(
            image, configs, lambda: next(site.ids), ask
        )
        self.groups = self._coordinators.add_groups(image, configs)

    def led(self, *partitions: Partition) -> None:
        """Load the shards of partitions of internal topics."""
        for partition in partitions:
            self._coordinators.led(partition)
        self.load()

    def load(self) -> None:
        """Run the loading that was begun."""
        while self._work:
            asyncio.run(self._work.pop(0))  # type: ignore[arg-type]

    def tick(self) -> None:
        """Do what is due."""
        self.transactions.coordinator.tick()
        self.groups.coordinator.tick()


def topic_id(name: str) -> bytes:
    """An id that belongs to the name."""
    return name.encode().ljust(16, b".")[:16]


def batch(*values: bytes, timestamp: int = 1000, codec: Codec = Codec.NONE, **rest: Any) -> bytes:
    """A client's batch; record n has ``timestamp`` + n ms."""
    records = [Record(n, timestamp + n, b"k%d" % n, value, []) for n, value in enumerate(values)]
    return bytes(build_batch(records, codec=codec, **rest))


class Logs:
    """The part of ``LogManager`` that handlers use, over one directory in memory."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.files = MemoryFiles()
        self.files.make_directory("/data")
        self.home = LogHome("/data", self.files, StorageSettings(clock=now))
        self.logs: dict[tuple[str, int], Log] = {}

    def create(self, topic: str, index: int, config: TopicConfig) -> Log:
        log = Log.create(PartitionDir(self.home, topic, index, config, topic_id=topic_id(topic)))
        self.logs[topic, index] = log
        return log

    def get(self, topic: str, index: int) -> Log | None:
        return self.logs.get((topic, index))

    def directory_of(self, key: tuple[str, int]) -> Logs | None:
        return self if key in self.logs else None


def _fetches(replicas: Replicas, image: MetadataImage, configs: BrokerConfigs) -> Fetches:
    sessions = FetchSessions(100, itertools.count(1).__next__, Account())
    return Fetches(ReadSite(replicas, image), sessions, configs, asyncio.to_thread)


async def _no_block() -> ProducerIdBlock:
    raise AssertionError("an id was at hand")


class Site:
    """Broker 0 (and 1, that is never asked); time stands still unless a test moves it.

    ``now`` is the wall clock and ``time`` the monotonic one, both in ms. ``ask`` reaches the other
    broker about transactions.
    """

    now, time = 1_000_000, 0.0

    def __init__(
        self, broker_id: int = ME, *, ask: AskBroker | None = None, **settings: object
    ) -> None:
        self.armed: list[float] = []
        self.memory = Memory()
        self._soon: list[Callable[[], None]] = []
        self.logs = Logs(lambda: self.now)
        self.image = MetadataImage("cluster")
        self.replicas = Replicas(
            broker_id,
            cast(Any, self.logs),
            call_soon=self._soon.append,
            arm=self.armed.append,
            timer=lambda: self.time,
            alive=self.image.alive,
        )
        configs = BrokerConfigs({k.replace("_", "."): str(v) for k, v in settings.items()})
        self.ids = itertools.count(1000)
        self.coordinators = CoordinatorDesk(self.replicas, self.image, configs, self, ask)
        transactions, groups = self.coordinators.transactions, self.coordinators.groups
        verification = Verification(transactions, self.replicas, lambda: self.now)
        self.services = Services(
            broker_id=broker_id,
            cluster_id="cluster",
            clock=lambda: self.now,
            timer=lambda: self.time,
            image=self.image,
            configs=configs,
            logs=cast(Any, self.logs),
            replicas=self.replicas,
            append_site=self._append_site(verification),
            deletion=RecordDeletion(self.replicas, self.image),
            offset_lookup=OffsetLookup(self.replicas, self.image, lambda: self.now),
            fetches=_fetches(self.replicas, self.image, configs),
            topics=cast(Any, SimpleNamespace()),
            store=cast(Any, SimpleNamespace()),
            producer_ids=ProducerIds(_no_block),
            transactions=transactions,
            groups=groups,
            offsets=Offsets(groups, self.image, verification),
            consumer_offsets=cast(Any, SimpleNamespace()),
            executor=cast(Any, SimpleNamespace()),
            controller=cast(Any, SimpleNamespace()),
            run_in_thread=asyncio.to_thread,
            quotas=QuotaEntities(),
            memory=self.memory,
        )
        self.update({})

    def _append_site(self, verification: Verification) -> AppendSite:
        copies = self.memory.copies
        return AppendSite(self.replicas, self.image, lambda: self.now, verification, copies)

    def update(
        self, partitions: dict[str, dict[int, PartitionImage]], alive: tuple[int, ...] = (ME, OTHER)
    ) -> None:
        """What UpdateMetadata would bring."""
        brokers = [
            BrokerInfo(
                id=n, endpoints=(BrokerEndpoint(f"host{n}", 9092 + n, "PLAINTEXT", "PLAINTEXT"),)
            )
            for n in alive
        ]
        delta = MetadataDelta(
            controller_id=ME,
            controller_epoch=1,
            brokers=brokers,
            partitions=partitions,
            topic_ids={name: topic_id(name) for name in partitions},
        )
        self.image.apply(delta)

    def topic(
        self,
        name: str,
        partitions: int = 1,
        *,
        leader: int = ME,
        epoch: int = 3,
        isr: tuple[int, ...] = (ME,),
        replicas: tuple[int, ...] = (ME,),
        config: Mapping[str, str] | None = None,
    ) -> list[Partition]:
        """A topic whose partitions are hosted here."""
        image = PartitionImage(leader, epoch, isr, replicas)
        self.update({name: dict.fromkeys(range(partitions), image)})
        made = []
        for index in range(partitions):
            self.logs.create(name, index, TopicConfig.of(config or {}))
            partition = self.replicas.host(name, index, topic_id(name))
            lead(partition, isr, replicas, leader=leader, epoch=epoch)
            made.append(partition)
        return made

    def append(self, name: str, index: int, *batches: bytes) -> None:
        """Append as a leader would, wake who waits."""
        partition = self.replicas.find(name, index)
        assert partition is not None
        for each in batches:
            self.replicas.append(partition, memoryview(bytearray(each)), now=self.now)
        self.run_soon()

    def run_soon(self) -> None:
        """Run what was left for after the bytes at hand."""
        while self._soon:
            self._soon.pop(0)()

    def pass_time(self, ms: float) -> None:
        """Move the monotonic clock and expire what is due."""
        self.time += ms
        self.replicas.expire(self.time)

    def context(self, version: int, client_id: str | None = "test") -> Context:
        return Context(self.services, version, client_id, 1, "PLAINTEXT", "1.2.3.4", 1)

    def ask(self, request: Any, version: int, *, context: Context | None = None) -> Any:
        """The decoded answer, or a :class:`Later` when there is none yet, or None."""
        answer = asking.driven(asking.ask(context or self.context(version), request))
        if isinstance(answer, Deferred):
            return Later(request, version, answer)
        return asking.shown(request, version, answer)

    async def ask_soon(self, request: Any, version: int) -> Any:
        """The decoded answer of a handler that may be a coroutine."""
        return await asking.ask_and_wait(self.context(version), request)

    def produce(
        self,
        records: bytes | None,
        *,
        topic: str = "t",
        index: int = 0,
        acks: int = 1,
        version: int = 9,
        timeout_ms: int = 1000,
        client_id: str = "test",
        transactional_id: str | None = None,
    ) -> Any:
        """Produce to one partition; its answer, or a :class:`Later`."""
        data = [PartitionProduceData(index=index, records=records)]
        request = ProduceRequest(
            transactional_id=transactional_id,
            acks=acks,
            timeout_ms=timeout_ms,
            topic_data=[TopicProduceData(name=topic, partition_data=data)],
        )
        answer = self.ask(request, version, context=self.context(version, client_id))
        if answer is None or isinstance(answer, Later):
            return answer
        return answer.responses[0].partition_responses[0]


class Later:
    """An answer that is still to come."""

    def __init__(self, request: Any, version: int, deferred: Deferred) -> None:
        self._request = request
        self._version = version
        self.deferred = deferred

    @property
    def done(self) -> bool:
        return self.deferred.done

    @property
    def answer(self) -> Any:
        """The decoded answer, once it is there."""
        assert self.deferred.done
        assert not isinstance(self.deferred.answer, Deferred)
        return asking.shown(self._request, self._version, self.deferred.answer)


__all__ = ["ME", "OTHER", "ZERO_UUID", "Later", "Logs", "Site", "batch", "topic_id"]
