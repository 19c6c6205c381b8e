"""All fetchers of a broker: which of them copies which partition.

Counterpart of ``ReplicaFetcherManager``: ``num.replica.fetchers`` of them per leader, chosen by a
hash of topic and partition.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable

from pykafka_ops.analysis.java_hash import java_hash
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.runtime.cluster.peer import Peer
from pykafka_ops.broker.runtime.replication.fetch_requests import NoThrottle, Site, Throttle
from pykafka_ops.broker.runtime.replication.fetcher import Fetcher
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.replication.fetching import Key
from pykafka_ops.errors import KafkaError

_LOWEST = -(2**31)


def fetcher_number(key: Key, fetchers: int) -> int:
    """Which of ``fetchers`` copies a partition (``getFetcherId``)."""
    value = (31 * java_hash(key[0]) + key[1]) & 0xFFFFFFFF
    if value & 0x80000000:
        value -= 1 << 32
    return 0 if value == _LOWEST else abs(value) % fetchers


class ReplicaFetchers:
    """One per broker; the arguments as for :class:`.fetch_requests.Site`."""

    def __init__(
        self,
        *,
        broker_id: int,
        broker_epoch: Callable[[], int],
        replicas: Replicas,
        configs: BrokerConfigs,
        connect: Callable[[int, int], Peer],
        timer: Callable[[], float],
        throttle: Throttle | None = None,
    ) -> None:
        self._site = Site(
            broker_id=broker_id,
            broker_epoch=broker_epoch,
            replicas=replicas,
            configs=configs,
            connect=connect,
            timer=timer,
            throttle=throttle or NoThrottle(),
        )
        self._fetchers: dict[tuple[int, int], Fetcher] = {}
        self._where: dict[Key, Fetcher] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False
        self._count: int = configs.value("num.replica.fetchers")

    def follow(self, partition: Partition) -> None:
        """Copy ``partition`` from who leads it now. Raises KafkaError KAFKA_STORAGE_ERROR."""
        if self._closed:
            return
        key = partition.key
        place = partition.leader, fetcher_number(key, self._count)
        before, fetcher = self._where.get(key), self._fetchers.get(place)
        if before is not None and before is not fetcher:
            before.partitions.remove(key)
        if fetcher is None:
            fetcher = self._fetchers[place] = Fetcher(*place, self._site)
        self._where[key] = fetcher
        fetcher.partitions.add(partition)
        fetcher.start()

    def stop(self, keys: Iterable[Key]) -> None:
        """Copy these no more: nothing is appended to them after this."""
        for key in keys:
            fetcher = self._where.pop(key, None)
            if fetcher is not None:
                fetcher.partitions.remove(key)

    def end_idle(self) -> None:
        """Close connections to leaders without partitions (``shutdownIdleFetcherThreads``)."""
        for place, fetcher in list(self._fetchers.items()):
            if not fetcher.partitions.states and not fetcher.partitions.failed:
                del self._fetchers[place]
                task = asyncio.get_running_loop().create_task(fetcher.stop())
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)

    def reconfigure(self) -> None:
        """``num.replica.fetchers`` may have changed: share the partitions out anew."""
        count = self._site.configs.value("num.replica.fetchers")
        if count == self._count:
            return
        self._count = count
        for key in list(self._where):
            partition = self._site.replicas.find(*key)
            if partition is not None and not partition.is_leader:
                with contextlib.suppress(KafkaError):  # its directory failed
                    self.follow(partition)
        self.end_idle()

    @property
    def failed(self) -> set[Key]:
        """Partitions that were given up (``FailedPartitionsCount``)."""
        return {key for fetcher in self._fetchers.values() for key in fetcher.partitions.failed}

    @property
    def max_lag(self) -> int:
        """The largest number of offsets a partition is behind (``MaxLag``); 0 if none is known."""
        lags = (s.lag for f in self._fetchers.values() for s in f.partitions.states.values())
        return max(lags, default=0)

    async def close(self) -> None:
        """Stop all; nothing is copied after this."""
        self._closed = True
        fetchers, self._fetchers = self._fetchers, {}
        self._where.clear()
        await asyncio.gather(*(fetcher.stop() for fetcher in fetchers.values()), *self._ending)
