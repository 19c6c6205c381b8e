"""Fetch (1): read record batches, as a consumer or as a replica.

Version 4 adds isolation levels, 7 incremental sessions (KIP-227), 9 leader epochs (KIP-320), 11
racks (KIP-392), 12 the divergence answer (KIP-595), 13 topic ids in place of names (KIP-516), 15
moves the replica id into a tagged field (KIP-903), 16 may name new leaders (KIP-951).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import LeaderIdAndEpoch as LeaderIdAndEpoch
from pykafka_ops.wire.shared import NodeEndpoint as NodeEndpoint
from pykafka_ops.wire.types import INT8, INT16, INT32, INT64, RECORDS, STRING, UUID, Records


@struct
class ReplicaState:
    """The follower that fetches: its id and broker epoch (-1 for consumers)."""

    replica_id: int = wire(INT32, "15+", default=-1)
    replica_epoch: int = wire(INT64, "15+", default=-1)


@struct
class FetchPartition:
    """Where to read one partition, and how much."""

    partition: int = wire(INT32)
    current_leader_epoch: int = wire(INT32, "9+", default=-1, ignorable=True)
    fetch_offset: int = wire(INT64)
    last_fetched_epoch: int = wire(INT32, "12+", default=-1)
    log_start_offset: int = wire(INT64, "5+", default=-1, ignorable=True)
    partition_max_bytes: int = wire(INT32)
    replica_directory_id: bytes = wire(UUID, "17+", tag=0, ignorable=True)


@struct
class FetchTopic:
    """The partitions of one topic: by name up to version 12, then by id."""

    topic: str = wire(STRING, "0-12", ignorable=True)
    topic_id: bytes = wire(UUID, "13+", ignorable=True)
    partitions: list[FetchPartition] = wire([FetchPartition])


@struct
class ForgottenTopic:
    """Partitions to drop from the fetch session."""

    topic: str = wire(STRING, "7-12", ignorable=True)
    topic_id: bytes = wire(UUID, "13+", ignorable=True)
    partitions: list[int] = wire([INT32], "7+")


@message(ApiKey.FETCH)
class FetchRequest:
    """What to read; an answer comes after ``max_wait_ms`` or ``min_bytes``."""

    cluster_id: str | None = wire(
        STRING, "12+", nullable="12+", default=None, tag=0, ignorable=True
    )
    replica_id: int = wire(INT32, "0-14", default=-1)
    replica_state: ReplicaState | None = wire(ReplicaState, "15+", tag=1)
    max_wait_ms: int = wire(INT32)
    min_bytes: int = wire(INT32)
    max_bytes: int = wire(INT32, "3+", default=2147483647, ignorable=True)
    isolation_level: int = wire(INT8, "4+", ignorable=True)
    session_id: int = wire(INT32, "7+", ignorable=True)
    session_epoch: int = wire(INT32, "7+", default=-1, ignorable=True)
    topics: list[FetchTopic] = wire([FetchTopic])
    forgotten_topics_data: list[ForgottenTopic] = wire([ForgottenTopic], "7+")
    rack_id: str = wire(STRING, "11+", ignorable=True)


@struct
class EpochEndOffset:
    """The end of an epoch after which the logs differ."""

    epoch: int = wire(INT32, "12+", default=-1)
    end_offset: int = wire(INT64, "12+", default=-1)


@struct
class SnapshotId:
    """A metadata snapshot (KRaft only)."""

    end_offset: int = wire(INT64, default=-1)
    epoch: int = wire(INT32, default=-1)


@struct
class AbortedTransaction:
    """Skip this producer from ``first_offset`` to its abort marker."""

    producer_id: int = wire(INT64, "4+")
    first_offset: int = wire(INT64, "4+")


@struct
class PartitionData:
    """Records of one partition; null and empty records both mean none."""

    partition_index: int = wire(INT32)
    error_code: int = wire(INT16)
    high_watermark: int = wire(INT64)
    last_stable_offset: int = wire(INT64, "4+", default=-1, ignorable=True)
    log_start_offset: int = wire(INT64, "5+", default=-1, ignorable=True)
    diverging_epoch: EpochEndOffset | None = wire(EpochEndOffset, "12+", tag=0)
    current_leader: LeaderIdAndEpoch | None = wire(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id: SnapshotId | None = wire(SnapshotId, "12+", tag=2)
    aborted_transactions: list[AbortedTransaction] | None = wire(
        [AbortedTransaction], "4+", nullable="4+", ignorable=True
    )
    preferred_read_replica: int = wire(INT32, "11+", default=-1)
    records: Records = wire(RECORDS, nullable="0+")


@struct
class FetchableTopicResponse:
    """The partitions of one topic: by name up to version 12, then by id."""

    topic: str = wire(STRING, "0-12", ignorable=True)
    topic_id: bytes = wire(UUID, "13+", ignorable=True)
    partitions: list[PartitionData] = wire([PartitionData])


@message(ApiKey.FETCH)
class FetchResponse:
    """Records for each partition, or only for those with news in a session."""

    throttle_time_ms: int = wire(INT32, "1+", ignorable=True)
    error_code: int = wire(INT16, "7+", ignorable=True)
    session_id: int = wire(INT32, "7+")
    responses: list[FetchableTopicResponse] = wire([FetchableTopicResponse])
    node_endpoints: list[NodeEndpoint] = wire([NodeEndpoint], "16+", tag=0)
