"""All fetchers of a broker: which of them copies which partition.

Counterpart of ``ReplicaFetcherManager``: ``num.replica.fetchers`` of them per leader, chosen by a
hash of topic and partition.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pykafka_ops.analysis.java_hash import java_hash
from pykafka_ops.broker import jobs
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.replication.site import Site
from pykafka_ops.errors import KafkaError

if TYPE_CHECKING:  # who leads everything copies nothing
    from pykafka_ops.broker.runtime.replication.fetcher import Fetcher
    from pykafka_ops.broker.state.replication.fetching import Key

_LOWEST = -(2**31)


def fetcher_number(key: Key, fetchers: int) -> int:
    """Which of ``fetchers`` copies a partition (``getFetcherId``)."""
    value = (31 * java_hash(key[0]) + key[1]) & 0xFFFFFFFF
    if value & 0x80000000:
        value -= 1 << 32
    return 0 if value == _LOWEST else abs(value) % fetchers


class ReplicaFetchers:
    """One per broker."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._fetchers: dict[tuple[int, int], Fetcher] = {}
        self._where: dict[Key, Fetcher] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False
        self._count: int = site.configs.value("num.replica.fetchers")

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
            from pykafka_ops.broker.runtime.replication.fetcher import Fetcher

            fetcher = self._fetchers[place] = Fetcher(*place, self._site)
        self._where[key] = fetcher
        fetcher.partitions.add(partition)
        fetcher.start()

    def __iter__(self) -> Iterator[Fetcher]:
        return iter(list(self._fetchers.values()))

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
                task = jobs.start("end of a fetcher", fetcher.stop())
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

    async def close(self) -> None:
        """Stop all; nothing is copied after this."""
        self._closed = True
        fetchers, self._fetchers = self._fetchers, {}
        self._where.clear()
        await asyncio.gather(*(fetcher.stop() for fetcher in fetchers.values()), *self._ending)
