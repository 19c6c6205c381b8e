"""A follower's requests to a leader, and what the fetchers of a broker share.

Counterpart of ``RemoteLeaderEndPoint``, for ``inter.broker.protocol.version`` 3.9.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pykafka_ops.broker.runtime.cluster.peer import Peer
from pykafka_ops.broker.runtime.replication.site import Site
from pykafka_ops.broker.state.replication.fetching import FollowState
from pykafka_ops.broker.state.replication.follower_session import SessionFetch
from pykafka_ops.broker.storage.copied.batches import stretch
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from pykafka_ops.wire.types import Buffer, Records, joined

VERSION = 17
VERSION_WITHOUT_IDS = 12
LIST_OFFSETS_VERSION = 9
"""Request versions of 3.9 brokers (``MetadataVersion.fetchRequestVersion`` and others)."""

LATEST, EARLIEST = -1, -2
STRETCH = 200


def fetch_request(site: Site, ask: SessionFetch, *, most_wait: float) -> FetchRequest:
    """The Fetch of a follower, which waits at the leader for records, ``most_wait`` ms or less."""
    get = site.configs.value
    size = get("replica.fetch.max.bytes")
    topics: dict[str, FetchTopic] = {}
    for (name, index), want in ask.send.items():
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = FetchTopic(topic=name, topic_id=want.topic_id)
        topic.partitions.append(
            FetchPartition(
                partition=index,
                current_leader_epoch=want.leader_epoch,
                fetch_offset=want.offset,
                last_fetched_epoch=want.last_epoch,
                log_start_offset=want.log_start,
                partition_max_bytes=size,
            )
        )
    request = FetchRequest(
        max_wait_ms=math.ceil(min(get("replica.fetch.wait.max.ms"), most_wait)),
        min_bytes=get("replica.fetch.min.bytes"),
        max_bytes=get("replica.fetch.response.max.bytes"),
        session_id=ask.session_id,
        session_epoch=ask.session_epoch,
        topics=list(topics.values()),
        forgotten_topics_data=[
            ForgottenTopic(topic=key[0], topic_id=topic_id, partitions=[key[1]])
            for key, topic_id in ask.forget
        ],
    )
    if ask.by_id:
        epoch = site.broker_epoch()
        request.replica_state = ReplicaState(replica_id=site.broker_id, replica_epoch=epoch)
    else:
        request.replica_id = site.broker_id
    return request


async def leader_offset(site: Site, peer: Peer, state: FollowState, timestamp: int) -> int:
    """Where the leader's log ends (LATEST) or starts (EARLIEST).

    Raises KafkaError, ConnectError.
    """
    name, index = state.key
    asked = ListOffsetsPartition(
        partition_index=index,
        current_leader_epoch=state.leader_epoch,
        timestamp=timestamp,
    )
    request = ListOffsetsRequest(
        replica_id=site.broker_id,
        topics=[ListOffsetsTopic(name=name, partitions=[asked])],
    )
    response = await peer.ask(request, LIST_OFFSETS_VERSION, ListOffsetsResponse)
    for topic in response.topics:
        for found in topic.partitions:
            if (topic.name, found.partition_index) == state.key:
                if found.error_code:
                    raise KafkaError(found.error_code)
                return found.offset
    raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def in_stretches(records: Records) -> Iterator[memoryview]:
    """The records, at most ``STRETCH`` batches at a time, at least once: a megabyte may hold
    thousands of batches of one record."""
    whole = in_one_piece(records)
    start, end = 0, len(whole)
    while (place := stretch(whole, start, STRETCH)) < end:
        yield whole[start:place]
        start = place
    yield whole[start:]


def in_one_piece(records: Records) -> memoryview:
    """The records in one piece."""
    if records is None:
        return memoryview(b"")
    if isinstance(records, Buffer):
        return memoryview(records)
    return memoryview(joined(records if isinstance(records, list) else [records]))
