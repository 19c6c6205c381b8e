"""Fetch (1), v0-17: byte ranges of the log, now or when enough has arrived.

v3 brought a limit for the whole answer, v4 isolation levels, v5 the log start offset, v7
sessions (KIP-227), v9 leader epochs (KIP-320), v10 zstd, v12 flexible headers and divergence
(KIP-595), v13 topic ids (KIP-516), v15 the replica state, v16 the current leader (KIP-951).
Versions below 4 get message sets.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.handlers import leader_hint
from pykafka_ops.broker.handlers.fetch_growth import Growth
from pykafka_ops.broker.handlers.fetch_read import (
    Budget,
    PartitionRead,
    Reader,
    read_partition,
    refusal,
)
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.fetch_session import FetchContext, FetchKey, FetchPartition, Kind
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.state.replication.replica_choice import LEADER, nearest
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.check import RACK_AWARE_SELECTOR
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Answer, Context
    from pykafka_ops.broker.partitions.partition import Partition
    from pykafka_ops.broker.state.fetch_session import Session

log = logging.getLogger("kafka.server.ReplicaManager")

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""No answer holds more, whatever the client allows: what waits for slow readers is memory."""


NO_EPOCH = -1
"""Also what any other negative epoch of a client means."""

READ_COMMITTED = 1

LED_ELSEWHERE = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
"""Errors that come with where the partition is led (KIP-951)."""

SESSION_ERRORS = (
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
)

ANYWHERE = Reader(None)

LOOK_MS = 10_000
"""So often all partitions of a follower's session are read, whatever is known of them."""

LITTLE = 4096
"""Reading this much again at every append costs less than watching how the logs grow."""


def handle(context: Context, request: FetchRequest) -> Answer:
    """Read what is there; wait if that is less than the client wants to wait for."""
    services = context.services
    by_id = context.version >= 13
    if request.isolation_level not in (0, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka's IllegalArgumentException
    follower = _replica_id(request)
    if follower >= 0 and context.meter is not None:
        context.meter.exempt()
    min_bytes = min(request.min_bytes, _limit(context, request))
    fetch = services.sessions.context(
        request.session_id,
        request.session_epoch,
        _wanted(context, request, by_id),
        _forgotten(request, by_id),
        now=services.timer(),
        privileged=follower >= 0,
        uses_ids=by_id,
    )
    if follower >= 0 and fetch.session is not None:
        _note_session(context, fetch.session, follower)
    reads = _read_all(context, request, fetch, first=True)
    if any(read.cold for read in reads):
        return _answer_cold(context, fetch, reads)
    if request.max_wait_ms <= 0 or _enough(fetch, reads, min_bytes):
        return _answer(context, fetch, reads)
    return _wait(context, request, fetch, reads, min_bytes)


def _limit(context: Context, request: FetchRequest) -> int:
    """Bytes of records the answer may hold, by the wish of the client, its quota and ours."""
    ours = min(context.services.fetch_max_bytes, MAX_ANSWER_BYTES)
    if context.meter is not None and _replica_id(request) < 0:
        ours = int(min(ours, context.meter.most_to_fetch()))
    return min(request.max_bytes, ours) if context.version >= 3 else ours


def _note_session(context: Context, session: Session, follower: int) -> None:
    """Whose it is, and that it is alive; now and then everything is looked at."""
    now = context.services.timer()
    session.follower, session.seen_at = follower, now
    if now - session.looked_at > LOOK_MS:
        session.stir_all(now)


def _enough(fetch: FetchContext, reads: list[PartitionRead], min_bytes: int) -> bool:
    """Whether there is nothing to wait for: enough bytes, an error, or only unknown partitions.

    An unknown partition beside known ones ends no waiting: its client would ask in a loop.
    """
    if sum(read.size for read in reads) >= min_bytes:
        return True
    if any(read.answer_now for read in reads):
        return True
    return len(reads) == len(fetch.partitions) and all(read.unknown for read in reads)


def _wanted(
    context: Context, request: FetchRequest, by_id: bool
) -> Iterator[tuple[FetchKey, FetchPartition]]:
    """The partitions the request names, by id from v13 on."""
    names = context.services.image.topic_names_by_id
    for topic in request.topics:
        name = names.get(topic.topic_id, "") if by_id else topic.topic
        key = topic.topic_id if by_id else name
        for data in topic.partitions:
            wanted = FetchPartition(name, topic.topic_id, data.partition)
            wanted.fetch_offset = data.fetch_offset
            wanted.max_bytes = data.partition_max_bytes
            wanted.current_leader_epoch = max(data.current_leader_epoch, NO_EPOCH)
            wanted.last_fetched_epoch = data.last_fetched_epoch
            wanted.log_start_offset = data.log_start_offset
            yield (key, data.partition), wanted


def _replica_id(request: FetchRequest) -> int:
    """The broker that fetches, negative for consumers."""
    state = request.replica_state
    return request.replica_id if state is None else state.replica_id


def _reader(context: Context, request: FetchRequest) -> Reader:
    """The consumer; one that tells its rack is sent to a replica there, if the broker is set so."""
    rack, services = request.rack_id, context.services
    if not rack or services.configs.value("replica.selector.class") != RACK_AWARE_SELECTOR:
        return ANYWHERE
    brokers = services.image.brokers

    def rack_of(id_: int) -> str | None:
        info = brokers.get(id_)
        return info.rack if info is not None and info.endpoint(context.listener) else None

    def choose(partition: Partition, offset: int) -> int:
        view = partition.in_sync
        return LEADER if view is None else nearest(view, partition.leader, offset, rack, rack_of)

    return Reader(choose)


def _forgotten(request: FetchRequest, by_id: bool) -> Iterator[FetchKey]:
    for topic in request.forgotten_topics_data:
        for partition in topic.partitions:
            yield (topic.topic_id if by_id else topic.topic), partition


def _read_all(
    context: Context, request: FetchRequest, fetch: FetchContext, *, first: bool = False
) -> list[PartitionRead]:
    """One pass over the partitions, within the limits of request and broker.

    The ``first`` one tells how far a follower is, and takes nothing that is not in memory.
    """
    follower = _replica_id(request)
    budget = Budget(
        _limit(context, request),
        committed_only=request.isolation_level == READ_COMMITTED and follower < 0,
        version=context.version,
        cached_only=first,
        follower=follower,
        first=first,
        client=_reader(context, request) if follower < 0 and context.version >= 11 else None,
    )
    session = fetch.session
    if fetch.kind is Kind.INCREMENTAL and session is not None and session.lively is not None:
        return _read_lively(context, session, session.lively, budget)
    return [
        read_partition(context, key, wanted, budget) for key, wanted in fetch.partitions.items()
    ]


def _read_lively(
    context: Context, session: Session, lively: dict[FetchKey, None], budget: Budget
) -> list[PartitionRead]:
    """Read what may have something to tell; what has not is left alone until it is woken."""
    reads = []
    watch = context.services.replicas.watch
    for key in list(lively):
        wanted = session.partitions[key]
        read = read_partition(context, key, wanted, budget)
        if read.is_known():
            del lively[key]
        watch((wanted.topic, wanted.index), session, key)
        reads.append(read)
    return reads


def _wait(
    context: Context,
    request: FetchRequest,
    fetch: FetchContext,
    reads: list[PartitionRead],
    min_bytes: int,
) -> Deferred:
    """Answer when ``min_bytes`` are there, something changes, or ``max_wait_ms`` is over.

    A follower that should ask for more partitions is not kept waiting.
    """
    services = context.services
    follower, awaited = _replica_id(request), context.services.replicas.awaited
    deferred = Deferred()
    again = reads
    growth = _growth(context, fetch, reads, min_bytes)

    def ready() -> bool:
        nonlocal again, growth
        if growth is not None and not growth.may_suffice():
            return False
        again = _read_all(context, request, fetch)
        if _enough(fetch, again, min_bytes) or awaited.is_awaited(follower):
            return True
        growth = _growth(context, fetch, again, min_bytes)
        return False

    def finish(expired: bool) -> None:
        found = _read_all(context, request, fetch) if expired else again
        deferred.resolve(_answer(context, fetch, found))

    def fail(error: Exception) -> None:
        log.error("a waiting fetch failed", exc_info=error)
        refusal = KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
        deferred.resolve(failed(request, context.version, refusal))

    keys: list[Hashable] = [(p.topic, p.index) for p in _watched(fetch)]
    if fetch.session is not None and fetch.session.lively is not None:
        keys.append(fetch.session)
    if follower >= 0:
        keys.append(follower)
    wait_ms = awaited.wait_ms(follower, request.max_wait_ms)
    waiter = Waiter(keys, services.timer() + wait_ms, ready, finish, fail)
    deferred.on_abandon = lambda: services.replicas.fetches.drop(waiter)
    services.replicas.wait(services.replicas.fetches, waiter)
    return deferred


def _watched(fetch: FetchContext) -> Iterable[FetchPartition]:
    """The partitions that wake a waiting Fetch themselves; else they wake its session."""
    session = fetch.session
    if fetch.kind is Kind.INCREMENTAL and session is not None and session.lively is not None:
        return ()
    return fetch.partitions.values()


def _growth(
    context: Context, fetch: FetchContext, reads: list[PartitionRead], min_bytes: int
) -> Growth | None:
    """For clients that wait for much: what spares reading it all at every append."""
    if min_bytes <= LITTLE:
        return None
    missing = min_bytes - sum(read.size for read in reads)
    return Growth(context.services.replicas, fetch.partitions.values(), missing)


async def _answer_cold(
    context: Context, fetch: FetchContext, reads: list[PartitionRead]
) -> FetchResponse | Encoded:
    """Answer when the disk has given what was not in memory; others are served meanwhile."""
    in_thread = context.services.run_in_thread
    await asyncio.gather(*(read.read_cold(context.version, in_thread) for read in reads))
    return _answer(context, fetch, reads)


def _answer(
    context: Context, fetch: FetchContext, reads: Iterable[PartitionRead]
) -> FetchResponse | Encoded:
    """The answer, an empty one if the client is over a quota."""
    response: FetchResponse | Encoded
    response, told = _tell(context, fetch, reads)
    if context.meter is not None:
        response = Encoded(response, context.version)
        if context.meter.fetched(response.size):
            return _held_back(context, fetch, told)
    if fetch.session is not None and fetch.kind is Kind.INCREMENTAL:
        for read in told:
            if read.size:
                fetch.session.served(read.key)
    return response


def _tell(
    context: Context, fetch: FetchContext, reads: Iterable[PartitionRead]
) -> tuple[FetchResponse, list[PartitionRead]]:
    """Shape the answer, and what is in it; an incremental one names only what changed."""
    topics: dict[Any, FetchableTopicResponse] = {}
    told: list[PartitionRead] = []
    leaders: set[int] = set()
    for read in reads:
        wanted, data = read.wanted, read.data
        if read.throttled and read.size:
            read.drop_cut_batch()
            _count(context, read.size)
        if fetch.session is not None:
            changed = wanted.changed(
                data.error_code, data.high_watermark, data.log_start_offset, read.size
            )
            if data.diverging_epoch is not None or data.preferred_read_replica >= 0:
                wanted.tell_again()
            elif fetch.kind is Kind.INCREMENTAL and not changed:
                continue
        told.append(read)
        topic = topics.get(read.key[0])
        if topic is None:
            topic = FetchableTopicResponse(topic=wanted.topic, topic_id=wanted.topic_id)
            topics[read.key[0]] = topic
        if context.version >= 16 and data.error_code in LED_ELSEWHERE:
            hint = leader_hint.find(context, wanted.topic, wanted.index)
            data.current_leader = LeaderIdAndEpoch(**hint._asdict())
            leaders.add(hint.leader_id)
        topic.partitions.append(data)
    response = FetchResponse(session_id=fetch.session_id, responses=list(topics.values()))
    if leaders:
        response.node_endpoints = leader_hint.endpoints(context, leaders, NodeEndpoint)
    return response, told


def _held_back(
    context: Context, fetch: FetchContext, told: Iterable[PartitionRead]
) -> FetchResponse:
    """The empty answer of a client that is over a quota; it has been told nothing (KIP-219)."""
    if fetch.kind is not Kind.INCREMENTAL:
        context.services.sessions.close(fetch.session_id)
        return FetchResponse()
    for read in told:
        read.wanted.tell_again()
    return FetchResponse(session_id=fetch.session_id)


def _count(context: Context, size: int) -> None:
    """A follower gets bytes of a throttled replica."""
    services = context.services
    if services.leader_throttle is not None:
        services.leader_throttle.record(size, services.timer())


def failed(request: FetchRequest | None, version: int, error: KafkaError) -> FetchResponse:
    """The error at the top; unless it is about the session, also at every partition that has a
    name."""
    if request is None or version >= 13 or error.code in SESSION_ERRORS:
        return FetchResponse(error_code=error.code)
    response = FetchResponse(error_code=error.code)
    for topic in request.topics:
        answers = FetchableTopicResponse(topic=topic.topic)
        for data in topic.partitions:
            refused = refusal(data.partition, version, error.code)
            refused.aborted_transactions, refused.records = [], None
            answers.partitions.append(refused)
        response.responses.append(answers)
    return response
