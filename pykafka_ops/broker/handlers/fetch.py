"""Fetch (1), v0-17: byte ranges of the log, now or when enough has arrived.

v3 brought a limit for the whole answer, v4 isolation levels, v5 the log start offset, v7
sessions (KIP-227), v9 leader epochs (KIP-320), v10 zstd, v12 flexible headers and divergence
(KIP-595), v13 topic ids (KIP-516), v15 the replica state, v16 the current leader (KIP-951).
Versions below 4 get message sets.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import Any

from pykafka_ops.broker.handlers import leader_hint
from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.partitions.fetches import IDS_FROM, Fetched, Found
from pykafka_ops.broker.partitions.read import UNKNOWN, PartitionRead, Terms
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchKey
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""No answer holds more, whatever the client allows: what waits for slow readers is memory."""

NO_EPOCH = -1
"""Also what any other negative epoch of a client means."""

READ_COMMITTED = 1
HINTS_FROM = 16

LED_ELSEWHERE = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
"""Errors that come with where the partition is led (KIP-951)."""

SESSION_ERRORS = (
    ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
    ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
)

NOT_CONVERTED = (ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION)
"""Errors with which Kafka sends null as records, not empty ones."""

BEFORE_THE_LOG = (*UNKNOWN, *NOT_CONVERTED)
"""Errors with which Kafka sends no aborted transactions, not "unknown which" (null)."""


def handle(context: Context, request: FetchRequest) -> Answer:
    """Read what is there; wait if that is less than the client wants to wait for."""
    if request.isolation_level not in (0, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka's IllegalArgumentException
    state = request.replica_state
    follower = request.replica_id if state is None else state.replica_id
    if follower >= 0 and context.meter is not None:
        context.meter.exempt()
    by_id = context.version >= IDS_FROM
    terms = Terms(
        context.version,
        follower,
        committed_only=request.isolation_level == READ_COMMITTED and follower < 0,
        min_bytes=request.min_bytes,
        max_wait_ms=request.max_wait_ms,
        rack=request.rack_id,
        listener=context.listener,
        limit=lambda: _limit(context, request, follower),
    )
    session = (request.session_id, request.session_epoch)
    wanted, forgotten = _wanted(context, request, by_id), _forgotten(request, by_id)
    found = context.services.fetches.fetch(terms, session, wanted, forgotten)
    if isinstance(found, Fetched):
        return _answer(context, found)
    if isinstance(found, Deferred):
        return found.shaped(lambda found: _answer_later(context, request, found))
    return _answer_cold(context, found)


def _limit(context: Context, request: FetchRequest, follower: int) -> int:
    """Bytes of records the answer may hold, by the client's request, its quota and ours."""
    ours = min(context.services.fetch_max_bytes, MAX_ANSWER_BYTES)
    if context.meter is not None and follower < 0:
        ours = int(min(ours, context.meter.most_to_fetch()))
    return min(request.max_bytes, ours) if context.version >= 3 else ours


def _wanted(
    context: Context, request: FetchRequest, by_id: bool
) -> Iterator[tuple[FetchKey, CachedPartition]]:
    """The partitions the request names, by id from v13 on."""
    names = context.services.image.topic_names_by_id
    for topic in request.topics:
        name = names.get(topic.topic_id, "") if by_id else topic.topic
        key = topic.topic_id if by_id else name
        for data in topic.partitions:
            wanted = CachedPartition(name, topic.topic_id, data.partition)
            wanted.fetch_offset = data.fetch_offset
            wanted.max_bytes = data.partition_max_bytes
            wanted.current_leader_epoch = max(data.current_leader_epoch, NO_EPOCH)
            wanted.last_fetched_epoch = data.last_fetched_epoch
            wanted.log_start_offset = data.log_start_offset
            yield (key, data.partition), wanted


def _forgotten(request: FetchRequest, by_id: bool) -> Iterator[FetchKey]:
    for topic in request.forgotten_topics_data:
        for partition in topic.partitions:
            yield (topic.topic_id if by_id else topic.topic), partition


async def _answer_cold(
    context: Context, found: Coroutine[Any, Any, Fetched]
) -> FetchResponse | Encoded:
    return _answer(context, await found)


def _answer_later(context: Context, request: FetchRequest, found: Found) -> FetchResponse | Encoded:
    if isinstance(found, KafkaError):
        return failed(request, context.version, found)
    return _answer(context, found)


def _answer(context: Context, found: Fetched) -> FetchResponse | Encoded:
    """The answer, an empty one if the client is over a quota (KIP-219)."""
    response: FetchResponse | Encoded
    response = _response(context, found)
    if context.meter is not None:
        response = Encoded(response, context.version)
        if context.meter.fetched(response.size):
            return FetchResponse(session_id=found.hold_back())
    found.sent()
    return response


def _response(context: Context, found: Fetched) -> FetchResponse:
    topics: dict[Any, FetchableTopicResponse] = {}
    leaders: set[int] = set()
    for read in found.reads:
        wanted = read.wanted
        topic = topics.get(read.key[0])
        if topic is None:
            topic = FetchableTopicResponse(topic=wanted.topic, topic_id=wanted.topic_id)
            topics[read.key[0]] = topic
        data = _partition(read, context.version)
        if context.version >= HINTS_FROM and read.error in LED_ELSEWHERE:
            hint = leader_hint.find(context, wanted.topic, wanted.index)
            data.current_leader = LeaderIdAndEpoch(**hint._asdict())
            leaders.add(hint.leader_id)
        topic.partitions.append(data)
    response = FetchResponse(session_id=found.session_id, responses=list(topics.values()))
    if leaders:
        response.node_endpoints = leader_hint.endpoints(context, leaders, NodeEndpoint)
    return response


def _partition(read: PartitionRead, version: int) -> PartitionData:
    if read.error:
        return _refusal(read.wanted.index, version, read.error)
    aborted = read.aborted
    data = PartitionData(
        partition_index=read.wanted.index,
        high_watermark=read.high_watermark,
        last_stable_offset=read.last_stable_offset,
        log_start_offset=read.log_start_offset,
        preferred_read_replica=read.preferred,
        aborted_transactions=None
        if aborted is None
        else [AbortedTransaction(producer_id=p, first_offset=o) for p, o in aborted],
        records=read.records,
    )
    if read.diverging is not None:
        epoch, end = read.diverging
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end)
    return data


def _refusal(index: int, version: int, code: int) -> PartitionData:
    """The answer for a partition that cannot be read.

    Clients before v6 do not know KAFKA_STORAGE_ERROR and would take it for final.
    """
    shown = code
    if code == ErrorCode.KAFKA_STORAGE_ERROR and version <= 5:
        shown = ErrorCode.NOT_LEADER_OR_FOLLOWER
    return PartitionData(
        partition_index=index,
        error_code=shown,
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=[] if code in BEFORE_THE_LOG else None,
        records=None if code in NOT_CONVERTED else b"",
    )


def failed(request: FetchRequest | None, version: int, error: KafkaError) -> FetchResponse:
    """The error at the top; unless it is about the session, also at every partition that has a
    name."""
    response = FetchResponse(error_code=error.code)
    if request is None or version >= IDS_FROM or error.code in SESSION_ERRORS:
        return response
    for topic in request.topics:
        answers = FetchableTopicResponse(topic=topic.topic)
        for data in topic.partitions:
            refused = _refusal(data.partition, version, error.code)
            refused.aborted_transactions, refused.records = [], None
            answers.partitions.append(refused)
        response.responses.append(answers)
    return response
