"""Brokers in memory that copy from each other: real handlers, logs and fetchers, no sockets."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar, cast

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.runtime.replication.fetcher import Fetcher
from pykafka_ops.broker.runtime.replication.site import Site as FetcherSite
from pykafka_ops.broker.state.replication.fetching import FollowState
from pykafka_ops.broker.state.replication.throttle import ReplicationQuota, ReplicationThrottles
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.messages.fetch import FetchResponse
from tests.support.memory.handler_site import Later, Site
from tests.support.memory.steps import at_once

T = TypeVar("T")


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run what never waits for anything, other than to give others a turn."""
    try:
        while work.send(None) is None:
            pass
    except StopIteration as done:
        return cast(T, done.value)
    raise AssertionError("it waits")


class InMemoryPeer:
    """A connection to another site; None while it cannot be reached."""

    def __init__(self, site: Callable[[], Site | None]) -> None:
        self._site = site

    async def ask(self, request: Any, version: int, answer: type[T], **_: Any) -> T:
        site = self._site()
        if site is None:
            raise ConnectError("it is gone")
        found = site.ask(request, version)
        if isinstance(found, Later):
            site.pass_time(1e6)
            found = found.answer
        assert isinstance(found, answer)
        return found

    def close(self) -> None:
        """Nothing is open."""


def fetcher_of(
    site: Site,
    leader: int,
    reach: Callable[[], Site | None],
    *,
    throttle: ReplicationQuota | None = None,
) -> Fetcher:
    """What copies to ``site`` from broker ``leader``, which ``reach`` gives."""
    return Fetcher(
        leader,
        0,
        FetcherSite(
            broker_id=site.services.broker_id,
            broker_epoch=lambda: 7,
            replicas=site.replicas,
            configs=site.services.configs,
            connect=lambda *_: cast(Any, InMemoryPeer(reach)),
            timer=lambda: site.time,
            throttle=throttle or ReplicationThrottles(1, site.services.configs.value).follower,
        ),
    )


def fetch_once(fetcher: Fetcher, leader: Site) -> FetchResponse | None:
    """One round: ask ``leader`` and take its answer; None if there is nothing to ask."""
    peer = InMemoryPeer(lambda: leader)
    request = fetcher.partitions.request()
    if request is None:
        return None
    version = 17 if fetcher.partitions.session.by_id else 12
    answer = drive(peer.ask(request, version, FetchResponse))
    for state in at_once(fetcher.partitions.take(answer)):
        drive(fetcher._reset(cast(Any, peer), state))
    leader.run_soon()
    return answer


def contents(log: Log) -> dict[int, bytes]:
    """The value at every offset."""
    found: dict[int, bytes] = {}
    for segment in log.segments:
        data = segment.log.read(segment.size, 0) if segment.size else b""
        for position, header in scan(memoryview(data)):
            for record in iter_records(data, position, header, 1 << 20):
                assert record.value is not None
                found[record.offset] = bytes(record.value)
    return found


class Pair:
    """Broker 0 leads partition 0 of topic t in epoch 3, broker 1 follows."""

    def __init__(self, *, throttle: ReplicationQuota | None = None, **settings: object) -> None:
        rest: Mapping[str, Any] = settings
        self.leader = Site(0, **rest)
        self.follower = Site(1, **rest)
        for site in (self.leader, self.follower):
            site.topic("t", isr=(0, 1), replicas=(0, 1), leader=0)
        self.fetcher = fetcher_of(self.follower, 0, lambda: self.leader, throttle=throttle)
        self.fetcher.partitions.add(self.copy)

    @property
    def led(self) -> Partition:
        """The leader's replica."""
        return cast(Partition, self.leader.replicas.find("t", 0))

    @property
    def copy(self) -> Partition:
        """The follower's replica."""
        return cast(Partition, self.follower.replicas.find("t", 0))

    def fetch(self) -> FetchResponse | None:
        """One round."""
        return fetch_once(self.fetcher, self.leader)

    def take(self, response: FetchResponse) -> list[FollowState]:
        """Do what an answer says."""
        return at_once(self.fetcher.partitions.take(response))

    def settle(self) -> None:
        """Rounds until both know everything."""
        for _ in range(3):
            self.fetch()


__all__ = ["Pair", "contents", "drive", "fetch_once", "fetcher_of"]
