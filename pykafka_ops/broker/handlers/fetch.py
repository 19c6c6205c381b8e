"""Fetch (1), v0-17: byte ranges of the log, now or when enough has arrived.

v3 brought a limit for the whole answer, v4 isolation levels, v5 the log start offset, v7
sessions (KIP-227), v9 leader epochs (KIP-320), v10 zstd, v12 flexible headers and divergence
(KIP-595), v13 topic ids (KIP-516), v15 the replica state, v16 the current leader (KIP-951).
Versions below 4 get message sets.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Iterator
from functools import partial
from typing import Any

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.fetch_answer import answer, answer_in_steps, failed
from pykafka_ops.broker.partitions.fetches import IDS_FROM, Fetched, Found
from pykafka_ops.broker.partitions.read import Terms
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchKey
from pykafka_ops.broker.state.steps import Steps, begun
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import Encoded
from pykafka_ops.wire.messages.fetch import FetchRequest, FetchResponse

NO_EPOCH = -1
"""Also what any other negative epoch of a client means."""

READ_COMMITTED = 1


def handle(context: Context, request: FetchRequest) -> Answer:
    """Read what is there; wait if that is less than the client wants to wait for."""
    if request.isolation_level not in (0, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka's IllegalArgumentException
    state = request.replica_state
    follower = request.replica_id if state is None else state.replica_id
    by_id = context.version >= IDS_FROM
    terms = Terms(
        context.version,
        follower,
        committed_only=request.isolation_level == READ_COMMITTED and follower < 0,
        min_bytes=request.min_bytes,
        max_bytes=request.max_bytes,
        max_wait_ms=request.max_wait_ms,
        rack=request.rack_id,
        listener=context.listener,
    )
    if follower >= 0:
        _note_follower(context)
    elif context.meter is not None:
        terms.quota = context.meter.most_to_fetch
    if context.services.acls is not None:
        from pykafka_ops.broker.handlers.rights import fetch as rights  # few need it

        terms.may_read = rights.readable(context, follower)
    session = (request.session_id, request.session_epoch)
    wanted, forgotten = _wanted(context, request, by_id), _forgotten(request, by_id)
    return _told(
        context, request, context.services.fetches.fetch(terms, session, wanted, forgotten)
    )


def _note_follower(context: Context) -> None:
    if context.meter is not None:
        context.meter.exempt()
    if context.services.followers is not None:
        context.services.followers.add(context.connection_id)


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


def _told(context: Context, request: FetchRequest, found: Found) -> Answer:
    """What to answer, or who works on it."""
    if isinstance(found, Fetched):
        return answer(context, found)
    if isinstance(found, Deferred):
        return found.shaped(partial(_told, context, request))
    if isinstance(found, KafkaError):
        return failed(request, context.version, found)
    if isinstance(found, Generator):
        return begun(_told_in_steps(context, request, found))
    return _told_soon(context, found)


def _told_in_steps(
    context: Context, request: FetchRequest, steps: Steps[Fetched | Deferred]
) -> Steps[Answer]:
    found = yield from steps
    if isinstance(found, Deferred):
        return _told(context, request, found)
    told = yield from answer_in_steps(context, found)
    return told


async def _told_soon(
    context: Context, found: Coroutine[Any, Any, Fetched]
) -> FetchResponse | Encoded:
    return answer(context, await found)
