"""What Fetch reads of one partition: records, and how far the partition is.

Counterpart of ``ReplicaManager.readFromLog`` and ``Partition.fetchRecords``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple

from pykafka_ops.broker.partitions.conversion import Conversion
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.partition_read import PartitionRead
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchKey
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.meters import TopicMeter
from pykafka_ops.broker.state.replication.throttle import ReplicationQuota
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import AbortedTransaction, EpochEndOffset, PartitionData
from pykafka_ops.wire.types import ZERO_UUID

logger = logging.getLogger("kafka.server.ReplicaManager")

RunInThread = Callable[..., Coroutine[Any, Any, Any]]


@dataclass(slots=True)
class ReadSite:
    """What reads go to; one per broker. ``throttle`` limits what followers get (KIP-73)."""

    replicas: Replicas
    image: MetadataImage
    throttle: ReplicationQuota | None = None


class Chooser(NamedTuple):
    """A consumer that may read from any replica (v11).

    ``choose(partition, offset)`` gives the broker that is nearest to it, -1 for the leader; it is
    None where the leader always serves.
    """

    choose: Callable[[Partition, int], int] | None


class Terms:
    """How one Fetch request reads; ``left`` and what follows change with every pass.

    ``version`` is that of Fetch, ``max_bytes`` and ``quota()`` say how many bytes of records the
    client wants, and may have now (None: it has no quota).
    ``follower`` is the broker that fetches, negative for consumers; ``rack`` is where a consumer
    is, "" if it does not say, ``listener`` the one it came by.
    """

    __slots__ = (
        "any_cold",
        "any_read",
        "client",
        "committed_only",
        "first",
        "follower",
        "left",
        "listener",
        "max_bytes",
        "max_wait_ms",
        "may_read",
        "min_bytes",
        "quota",
        "rack",
        "version",
    )

    def __init__(
        self,
        version: int,
        follower: int,
        *,
        committed_only: bool,
        min_bytes: int,
        max_bytes: int,
        max_wait_ms: int,
        rack: str,
        listener: str,
    ) -> None:
        self.version = version
        self.follower = follower
        self.committed_only = committed_only
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_wait_ms = max_wait_ms
        self.rack = rack
        self.listener = listener
        self.quota: Callable[[], float] | None = None
        self.may_read: Callable[[str], bool] | None = None
        """Whether the client has the right to a topic; None where it needs none."""
        self.first = True
        """Whether this is the first pass of the request: only that one reports the follower's
        position, and reads only what is in memory."""
        self.left = 0
        """Bytes that the partitions still to be read may have."""
        self.any_read = False
        self.any_cold = False
        """Whether the first pass found records that have yet to be read from the disk."""
        self.client: Chooser | None = None
        """Set where a consumer may be sent to, or served by, a replica that follows (KIP-392)."""


def read_partition(
    site: ReadSite, key: FetchKey, wanted: CachedPartition, terms: Terms
) -> PartitionRead:
    """Read one partition; errors become its error code."""
    try:
        return _read(site, key, wanted, terms)
    except KafkaError as error:
        return PartitionRead.refused(key, wanted, terms.version, error.code)
    except Exception as error:
        logger.error("reading %s-%d failed", wanted.topic, wanted.index, exc_info=error)
        partition = site.replicas.find(wanted.topic, wanted.index)
        if partition is not None:
            partition.meter.failed_fetches += 1
        return PartitionRead.refused(key, wanted, terms.version, ErrorCode.UNKNOWN_SERVER_ERROR)


def _partition(site: ReadSite, wanted: CachedPartition, terms: Terms) -> Partition:
    by_id = terms.version >= 13
    if by_id:
        if not wanted.topic:
            wanted.topic = site.image.topic_names_by_id.get(wanted.topic_id, "")
        if not wanted.topic:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
    if terms.may_read is not None and not terms.may_read(wanted.topic):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    known = site.image.partition(wanted.topic, wanted.index) is not None
    find = site.replicas.leader if terms.client is None else site.replicas.readable
    partition = find(wanted.topic, wanted.index, known=known, epoch=wanted.current_leader_epoch)
    if by_id and partition.topic_id not in (ZERO_UUID, wanted.topic_id):
        raise KafkaError(ErrorCode.INCONSISTENT_TOPIC_ID)
    return partition


def _check_follower(partition: Partition, wanted: CachedPartition, follower: int) -> None:
    """Only the other replicas of a partition may follow it.

    With the right leader epoch it is us who do not know it yet (``followerReplicaOrThrow``).
    """
    if follower == partition.local_id or follower not in partition.replicas:
        unknown = wanted.current_leader_epoch >= 0
        raise KafkaError(
            ErrorCode.UNKNOWN_LEADER_EPOCH if unknown else ErrorCode.NOT_LEADER_OR_FOLLOWER
        )


def _note_follower(
    partition: Partition, wanted: CachedPartition, terms: Terms, data: PartitionData
) -> None:
    """Take in how far a follower is, and tell it at once if that commits more."""
    if terms.first and partition.fetched_by(
        terms.follower, wanted.fetch_offset, wanted.log_start_offset
    ):
        data.high_watermark = partition.log.high_watermark


def _read(site: ReadSite, key: FetchKey, wanted: CachedPartition, terms: Terms) -> PartitionRead:
    partition = _partition(site, wanted, terms)
    follows = terms.follower >= 0
    if follows:
        _check_follower(partition, wanted, terms.follower)
    log = partition.log
    partition.meter.fetches += 1
    if terms.version < 10 and log.config.compression_type == "zstd":
        # A topic that lets producers choose may hold zstd too; that is for the client to find out.
        raise KafkaError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    data = PartitionData(
        partition_index=wanted.index,
        high_watermark=log.high_watermark,
        last_stable_offset=log.last_stable_offset,
        log_start_offset=log.log_start_offset,
        aborted_transactions=[] if terms.committed_only else None,
        records=b"",
    )
    read = PartitionRead(key, wanted, data)
    client = terms.client
    if client is not None and client.choose is not None and partition.is_leader:
        data.preferred_read_replica = client.choose(partition, wanted.fetch_offset)
        if data.preferred_read_replica >= 0:
            read.answer_now = True
            return read
    if wanted.last_fetched_epoch >= 0 and _diverges(partition, wanted, data):
        read.answer_now = True
        return read
    offset, held_back = wanted.fetch_offset, False
    if not data.log_start_offset <= offset <= log.log_end_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if follows:
        _note_follower(partition, wanted, terms, data)
        held_back = _holds_back(site, partition, read, terms.follower)
        bound = offset if held_back else log.log_end_offset
    else:
        bound = data.last_stable_offset if terms.committed_only else data.high_watermark
    if terms.version < 4 and not log.config.message_downconversion_enable:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    read.at_end = offset >= bound and not held_back
    if offset < bound and (terms.left > 0 or not terms.any_read):
        read.meter = _follower_meter(site, partition, terms) if follows else partition.meter
        _read_records(read, log, bound, terms)
    return read


def _follower_meter(site: ReadSite, partition: Partition, terms: Terms) -> TopicMeter:
    meters = site.replicas.meters
    return meters.joining if terms.follower in partition.adding else meters.followers


def _holds_back(site: ReadSite, partition: Partition, read: PartitionRead, follower: int) -> bool:
    """Whether a throttle keeps records from a follower that has yet to catch up (KIP-73)."""
    quota = site.throttle
    if quota is None or not quota.is_throttled(partition.key):
        return False
    read.throttled = True
    return follower not in partition.isr and quota.is_exceeded(site.replicas.timer())


def _read_records(read: PartitionRead, log: Log, bound: int, terms: Terms) -> None:
    """Read up to ``bound``, within the limits; only the first partition may exceed it."""
    wanted, data, version = read.wanted, read.data, terms.version
    first = not terms.any_read and version >= 3
    result = log.read(
        wanted.fetch_offset,
        max(0, min(wanted.max_bytes, terms.left)),
        up_to=bound,
        min_one_message=first,
        cached_only=terms.first and version >= 4,
    )
    if not result.size or (result.first_batch_cut and version >= 3 and not first):
        return
    read.size = result.size
    if result.cold is not None:
        read.cold = (result.cold, log, version)
        terms.any_cold = True
    elif version < 4:
        try:
            conversion = Conversion(version, wanted.fetch_offset, result)
        except OSError as error:
            raise log.place.home.fail(error) from error
        if read.meter is not None:
            read.meter.conversions_out += 1
        if not conversion.is_long():
            data.records = converted = conversion.warm()
            read.size = len(converted)
        elif terms.first:
            read.cold = (conversion, log, version)
            terms.any_cold = True
        else:  # it asks again, and then it is the first pass
            read.size, read.answer_now = 0, True
            return
    else:
        data.records = result.parts
    if terms.committed_only:
        aborted = log.aborted_transactions(wanted.fetch_offset, result.next_offset)
        data.aborted_transactions = [
            AbortedTransaction(producer_id=p, first_offset=o) for p, o in aborted
        ]
    terms.any_read = True
    terms.left -= read.size


def _diverges(partition: Partition, wanted: CachedPartition, data: PartitionData) -> bool:
    """KIP-595: tell a reader whose history is not ours where the two part."""
    epoch, end = partition.log.end_offset_for_epoch(wanted.last_fetched_epoch)
    if epoch == -1 or end == -1 or wanted.fetch_offset < partition.log.log_start_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch < wanted.last_fetched_epoch or end < wanted.fetch_offset:
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end)
        return True
    return False
