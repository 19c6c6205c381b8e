"""What Fetch does: one pass over the partitions of a session, then waiting until enough is there.

Counterpart of ``ReplicaManager.fetchMessages`` and ``DelayedFetch``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Coroutine, Hashable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.partitions.growth import Growth
from pykafka_ops.broker.partitions.long_wait import LongWait
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.partition_read import PartitionRead
from pykafka_ops.broker.partitions.read import (
    Chooser,
    ReadSite,
    RunInThread,
    Terms,
    read_partition,
)
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.fetch_session import (
    CachedPartition,
    FetchContext,
    FetchKey,
    FetchSession,
    FetchSessions,
    Kind,
)
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.state.replication.replica_choice import LEADER, nearest
from pykafka_ops.broker.state.steps import FEW, Steps
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.check import RACK_AWARE_SELECTOR
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaManager")

ANYWHERE = Chooser(None)

PART = 32
"""Partitions of very many that are read between two pauses."""

LOOK_MS = 10_000
"""How often (ms) all partitions of a follower's session are read, idle ones too."""

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""No answer holds more, whatever the client allows: what waits for slow readers is memory."""

LITTLE = 4096
"""Reading this much again at every append costs less than watching how the logs grow."""

CHOICE_FROM = 11
"""The version of Fetch that lets consumers read from followers."""
IDS_FROM = 13
"""The version of Fetch that names topics by id."""


class Fetched:
    """What a request found; ``reads`` are the partitions that the answer names."""

    __slots__ = ("_fetch", "_fetches", "reads")

    def __init__(self, fetches: Fetches, fetch: FetchContext, reads: list[PartitionRead]) -> None:
        self._fetches = fetches
        self._fetch = fetch
        self.reads = reads

    def part(self, begin: int, end: int) -> Fetched:
        """Some of the partitions."""
        return Fetched(self._fetches, self._fetch, self.reads[begin:end])

    @property
    def session_id(self) -> int:
        """The client's session, 0 for none."""
        return self._fetch.session_id

    def sent(self) -> None:
        """The client gets all of it: partitions that gave records come last in the next request."""
        session = self._fetch.session if self._fetch.kind is Kind.INCREMENTAL else None
        for read in self.reads:
            if read.size:
                if read.meter is not None:
                    read.meter.bytes_out += read.size
                if session is not None:
                    session.served(read.key)

    def hold_back(self) -> int:
        """The client gets an empty answer that names no partition; the session of that answer."""
        if self._fetch.kind is not Kind.INCREMENTAL:
            self._fetches.sessions.close(self._fetch.session_id)
            return 0
        for read in self.reads:
            read.wanted.tell_again()
        return self._fetch.session_id


Found = Fetched | Deferred | KafkaError | Steps[Fetched | Deferred] | Coroutine[Any, Any, Fetched]


class Fetches:
    """Serves Fetch requests; one per broker."""

    def __init__(
        self,
        site: ReadSite,
        sessions: FetchSessions,
        configs: BrokerConfigs,
        run_in_thread: RunInThread,
    ) -> None:
        self.site = site
        self.sessions = sessions
        self.run_in_thread = run_in_thread
        self._configs = configs
        self.max_bytes = min(configs.value("fetch.max.bytes"), MAX_ANSWER_BYTES)

    def fetch(
        self,
        terms: Terms,
        session: tuple[int, int],
        partitions: Iterable[tuple[FetchKey, CachedPartition]],
        forgotten: Iterable[FetchKey],
    ) -> Fetched | Deferred | Coroutine[Any, Any, Fetched] | Steps[Fetched | Deferred]:
        """Read what is there; wait if that is less than the client wants to wait for.

        Of very many partitions they are read in steps.

        ``session`` is its id and epoch, as the request has them. A promise is of a
        :class:`Fetched`, of a KafkaError, or of more steps. Raises KafkaError
        FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH or FETCH_SESSION_TOPIC_ID_ERROR.
        """
        terms.left = self._limit(terms)
        if terms.left < terms.min_bytes:
            terms.min_bytes = terms.left
        now = self.site.replicas.timer()
        fetch = self.sessions.context(
            *session,
            partitions,
            forgotten,
            now=now,
            privileged=terms.follower >= 0,
            uses_ids=terms.version >= IDS_FROM,
        )
        if terms.follower >= 0 and fetch.session is not None:
            _note_session(fetch.session, terms.follower, now)
        if len(fetch.partitions) > FEW and len(_to_read(fetch)) > FEW:
            wait_ms = self.site.replicas.awaited.wait_ms(terms.follower, terms.max_wait_ms)
            return self._in_steps(terms, fetch, now + wait_ms)
        reads = self.read_all(terms, fetch)
        terms.first = False
        if terms.any_cold:
            return self._read_cold(fetch, reads)
        if terms.max_wait_ms <= 0 or enough(fetch, reads, terms.min_bytes):
            return self.found(fetch, reads)
        return self._wait(terms, fetch, reads)

    def read_all(self, terms: Terms, fetch: FetchContext) -> list[PartitionRead]:
        """One pass over the partitions, within the limits of request and broker."""
        self._begin(terms)
        session = fetch.session
        if fetch.kind is Kind.INCREMENTAL and session is not None and session.lively is not None:
            return self._read_lively(session, list(session.lively), terms)
        site = self.site
        return [
            read_partition(site, key, wanted, terms) for key, wanted in fetch.partitions.items()
        ]

    def _begin(self, terms: Terms) -> None:
        if not terms.first:
            terms.left, terms.any_read = self._limit(terms), False
        if terms.follower < 0 and terms.version >= CHOICE_FROM:
            terms.client = self._client(terms) if terms.rack else ANYWHERE

    def _limit(self, terms: Terms) -> int:
        """Bytes of records the answer may hold now, by the client's wish, its quota and ours."""
        most = min(terms.max_bytes, self.max_bytes)
        return most if terms.quota is None else int(min(most, terms.quota()))

    def _client(self, terms: Terms) -> Chooser:
        """A consumer that names its rack is sent to a replica there, if the broker is set so."""
        if self._configs.value("replica.selector.class") != RACK_AWARE_SELECTOR:
            return ANYWHERE
        rack, brokers = terms.rack, self.site.image.brokers

        def rack_of(id_: int) -> str | None:
            info = brokers.get(id_)
            return info.rack if info is not None and info.endpoint(terms.listener) else None

        def choose(partition: Partition, offset: int) -> int:
            view = partition.in_sync
            if view is None:
                return LEADER
            return nearest(view, partition.leader, offset, rack, rack_of)

        return Chooser(choose)

    def _read_lively(
        self, session: FetchSession, lively: list[FetchKey], terms: Terms
    ) -> list[PartitionRead]:
        """Read the partitions that may have news; the others are skipped until they are woken."""
        reads = []
        watch, awake = self.site.replicas.watch, session.lively or {}
        for key in lively:
            wanted = session.partitions.get(key)
            if wanted is None:
                continue  # forgotten between two steps
            read = read_partition(self.site, key, wanted, terms)
            if read.is_known():
                awake.pop(key, None)
            watch((wanted.topic, wanted.index), session, key)
            reads.append(read)
        return reads

    def _wait(self, terms: Terms, fetch: FetchContext, reads: list[PartitionRead]) -> Deferred:
        """Answer when ``min_bytes`` are there, something changes, or ``max_wait_ms`` is over.

        A follower that should ask for more partitions is not kept waiting.
        """
        replicas = self.site.replicas
        follower, awaited, min_bytes = terms.follower, replicas.awaited, terms.min_bytes
        deferred = Deferred()
        again: list[PartitionRead] = []  # what was read is read again then, and not held till then
        growth = self._growth(fetch, reads, min_bytes)

        def ready() -> bool:
            nonlocal again, growth
            if growth is not None and not growth.may_suffice():
                return False
            again = self.read_all(terms, fetch)
            if enough(fetch, again, min_bytes) or awaited.is_awaited(follower):
                return True
            growth = self._growth(fetch, again, min_bytes)
            return False

        def finish(expired: bool) -> None:
            found = self.read_all(terms, fetch) if expired else again
            deferred.resolve(self.found(fetch, found))

        def fail(error: Exception) -> None:
            log.error("a waiting fetch failed", exc_info=error)
            deferred.resolve(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))

        wait_ms = awaited.wait_ms(follower, terms.max_wait_ms)
        keys = _watched(fetch, follower)
        waiter = Waiter(keys, replicas.timer() + wait_ms, ready, finish, fail)
        deferred.on_abandon = lambda: replicas.fetches.drop(waiter)
        replicas.wait(replicas.fetches, waiter)
        return deferred

    def _in_steps(
        self, terms: Terms, fetch: FetchContext, until: float
    ) -> Steps[Fetched | Deferred]:
        """The same of very many partitions; it is answered ``until`` then in any case."""
        yield None
        replicas, follower, several = self.site.replicas, terms.follower, terms.min_bytes > 1
        handed_on, wait = False, LongWait(replicas, _watched(fetch, follower), until)
        try:
            while True:
                wait.stirred = False
                reads = yield from self._read_many(terms, fetch)
                done = terms.any_cold or enough(fetch, reads, terms.min_bytes)
                if done or wait.over or replicas.awaited.is_awaited(follower):
                    break
                if several or not wait.stirred:
                    handed_on = True
                    go_on = partial(self._in_steps, terms, fetch, until)
                    return wait.then(go_on, several=several)
        finally:
            if not handed_on:
                wait.drop()
        found = Fetched(self, fetch, [])
        for at in range(0, len(reads), PART):
            found.reads += self.found(fetch, reads[at : at + PART]).reads
            yield None
        return found

    def _read_many(self, terms: Terms, fetch: FetchContext) -> Steps[list[PartitionRead]]:
        reads: list[PartitionRead] = []
        self._begin(terms)
        for part in _parts_of(fetch):
            reads += self._read_part(terms, fetch, part)
            yield None
        terms.first = False
        for read in _cold(reads) if terms.any_cold else ():
            read.take((yield read.warm))
        return reads

    def _read_part(
        self, terms: Terms, fetch: FetchContext, part: list[FetchKey]
    ) -> list[PartitionRead]:
        session = fetch.session
        if _to_read(fetch) is not fetch.partitions and session is not None:
            return self._read_lively(session, part, terms)
        wanted = ((key, fetch.partitions.get(key)) for key in part)
        return [read_partition(self.site, k, w, terms) for k, w in wanted if w is not None]

    def _growth(
        self, fetch: FetchContext, reads: list[PartitionRead], min_bytes: int
    ) -> Growth | None:
        """For clients that wait for many bytes: a watch that saves reading at every append."""
        if min_bytes <= LITTLE:
            return None
        missing = min_bytes - sum(read.size for read in reads)
        return Growth(self.site.replicas, fetch.partitions.values(), missing)

    async def _read_cold(self, fetch: FetchContext, reads: list[PartitionRead]) -> Fetched:
        """Go on when cold records were read from the disk; other clients are served meanwhile."""
        cold = _cold(reads)
        found = await asyncio.gather(*(self.run_in_thread(read.warm) for read in cold))
        for read, records in zip(cold, found, strict=True):
            read.take(records)
        return self.found(fetch, reads)

    def found(self, fetch: FetchContext, reads: list[PartitionRead]) -> Fetched:
        """What the answer names; an incremental one only what changed."""
        for read in reads:
            if read.throttled and read.size:
                read.drop_cut_batch()
                self._count(read.size)
        if fetch.session is not None:
            news = [read for read in reads if read.is_news()]
            reads = news if fetch.kind is Kind.INCREMENTAL else reads
        return Fetched(self, fetch, reads)

    def _count(self, size: int) -> None:
        """A follower gets bytes of a throttled replica."""
        throttle = self.site.throttle
        if throttle is not None:
            throttle.record(size, self.site.replicas.timer())


def _to_read(fetch: FetchContext) -> Collection[FetchKey]:
    """What a pass reads: of a follower's session only what may have news."""
    session = fetch.session
    if fetch.kind is Kind.INCREMENTAL and session is not None and session.lively is not None:
        return session.lively
    return fetch.partitions


def _cold(reads: list[PartitionRead]) -> list[PartitionRead]:
    return [read for read in reads if read.cold is not None]


def _parts_of(fetch: FetchContext) -> Iterator[list[FetchKey]]:
    keys = iter(list(_to_read(fetch)))
    while part := list(islice(keys, PART)):
        yield part


def _note_session(session: FetchSession, follower: int, now: float) -> None:
    """Record the follower and the time of its request; every so often mark all for reading."""
    session.follower, session.seen_at = follower, now
    if now - session.looked_at > LOOK_MS:
        session.stir_all(now)


def enough(fetch: FetchContext, reads: list[PartitionRead], min_bytes: int) -> bool:
    """Whether there is nothing to wait for: enough bytes, an error, or only unknown partitions.

    An unknown partition beside known ones ends no waiting: its client would ask in a loop.
    """
    missing = min_bytes
    for read in reads:
        missing -= read.size
        if read.answer_now:
            return True
    if missing <= 0:
        return True
    return len(reads) == len(fetch.partitions) and all(read.unknown for read in reads)


def _watched(fetch: FetchContext, follower: int) -> list[Hashable]:
    """What wakes a waiting Fetch: its partitions, or its session where they wake that."""
    session, keys = fetch.session, list[Hashable]()
    if session is not None and session.lively is not None:
        keys.append(session)
    if fetch.kind is not Kind.INCREMENTAL or session is None or session.lively is None:
        keys += ((p.topic, p.index) for p in fetch.partitions.values())
    if follower >= 0:
        keys.append(follower)
    return keys
