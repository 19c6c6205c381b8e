"""What a Fetch request asks for, in the words of :mod:`pykafka_ops.broker.partitions`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.partitions.fetches import IDS_FROM
from pykafka_ops.broker.partitions.read import Terms
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchKey
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchRequest

NO_EPOCH = -1
"""Also what any other negative epoch of a client means."""

READ_COMMITTED = 1


def terms(context: Context, request: FetchRequest) -> Terms:
    """How it reads. Raises KafkaError for an isolation level that Kafka does not know."""
    level, state = request.isolation_level, request.replica_state
    if level not in (0, READ_COMMITTED):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka's IllegalArgumentException
    follower = request.replica_id if state is None else state.replica_id
    found = Terms(
        context.version,
        follower,
        committed_only=level == READ_COMMITTED and follower < 0,
        min_bytes=request.min_bytes,
        max_bytes=request.max_bytes,
        max_wait_ms=request.max_wait_ms,
        rack=request.rack_id,
        listener=context.listener,
    )
    if follower < 0 and context.meter is not None:
        found.quota = context.meter.most_to_fetch
    acls = context.services.acls
    if acls is not None:
        readable = acls.authorizer.readable
        found.may_read = readable(context) if follower < 0 else _followable(context)
    return found


def _followable(context: Context) -> Callable[[str], bool]:
    from pykafka_ops.broker.handlers.rights import fetch as rights  # few need it

    return rights.followable(context)


def wanted(context: Context, request: FetchRequest) -> Iterator[tuple[FetchKey, CachedPartition]]:
    """The partitions it names, by id from v13 on."""
    by_id = context.version >= IDS_FROM
    names = context.services.image.topic_names_by_id
    for topic in request.topics:
        name = names.get(topic.topic_id, "") if by_id else topic.topic
        key = topic.topic_id if by_id else name
        for data in topic.partitions:
            found = CachedPartition(name, topic.topic_id, data.partition)
            found.fetch_offset = data.fetch_offset
            found.max_bytes = data.partition_max_bytes
            found.current_leader_epoch = max(data.current_leader_epoch, NO_EPOCH)
            found.last_fetched_epoch = data.last_fetched_epoch
            found.log_start_offset = data.log_start_offset
            yield (key, data.partition), found


def forgotten(context: Context, request: FetchRequest) -> Iterator[FetchKey]:
    """The partitions that its session is to forget."""
    by_id = context.version >= IDS_FROM
    for topic in request.forgotten_topics_data:
        for partition in topic.partitions:
            yield (topic.topic_id if by_id else topic.topic), partition
