"""What Fetch reads of one partition."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from pykafka_ops.broker.state.fetch_session import FetchKey, FetchPartition
from pykafka_ops.disk.convert import down_convert
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    PartitionData,
)
from pykafka_ops.wire.types import ZERO_UUID

if TYPE_CHECKING:
    from pykafka_ops.broker.handlers.api import Context
    from pykafka_ops.broker.partitions.partition import Partition
    from pykafka_ops.broker.storage.log.log import Log
    from pykafka_ops.broker.storage.log.reader import ColdRead, ReadResult


logger = logging.getLogger("kafka.server.ReplicaManager")

RunInThread = Callable[..., Coroutine[Any, Any, Any]]


class Reader(NamedTuple):
    """A consumer that may read from any replica (v11).

    ``choose(partition, offset)`` gives the broker that is nearest to it, -1 for the leader; it is
    None where the leader always serves.
    """

    choose: Callable[[Partition, int], int] | None


BATCH_HEAD = struct.Struct(">qi")
"""Offset of a batch, and the length of what follows."""

TOO_LONG = struct.pack(">qi", -1, 0x7FFFFFFF)
"""Offset and length of a message that the client's limit cut off."""


class Budget:
    """Bytes left for the partitions still to be read, and how to read them.

    ``follower`` is the broker that fetches, negative for consumers; ``first`` says that the
    request has just come, which tells how far the follower is. ``client`` is set where a
    consumer may be sent to, or served by, a replica that follows (KIP-392).
    """

    __slots__ = (
        "any_read",
        "cached_only",
        "client",
        "committed_only",
        "first",
        "follower",
        "left",
        "version",
    )

    def __init__(
        self,
        left: int,
        *,
        committed_only: bool,
        version: int,
        cached_only: bool,
        follower: int = -1,
        first: bool = False,
        client: Reader | None = None,
    ) -> None:
        self.left = left
        self.committed_only = committed_only
        self.version = version
        self.cached_only = cached_only
        self.follower = follower
        self.first = first
        self.client = client
        self.any_read = False


UNKNOWN = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)
NOT_CONVERTED = (ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION)
"""Errors with which Kafka sends null as records, not empty ones."""

BEFORE_THE_LOG = (*UNKNOWN, *NOT_CONVERTED)
"""Errors with which Kafka sends no aborted transactions, not "unknown which" (null)."""


class PartitionRead:
    """One partition's part of the answer.

    ``answer_now`` ends any waiting; ``unknown`` says that no such partition exists; ``cold`` are
    records that have yet to be read from the disk (:meth:`read_cold`); ``throttled`` ones count
    for the leader's throttle; ``at_end`` says that there was nothing more to read.
    """

    __slots__ = (
        "answer_now",
        "at_end",
        "cold",
        "data",
        "key",
        "log",
        "size",
        "throttled",
        "unknown",
        "wanted",
    )

    def __init__(self, key: FetchKey, wanted: FetchPartition, data: PartitionData) -> None:
        self.key = key
        self.wanted = wanted
        self.data = data
        self.size = 0
        self.cold: ColdRead | None = None
        self.log: Log | None = None
        self.unknown = False
        self.answer_now = False
        self.throttled = False
        self.at_end = False

    @classmethod
    def refused(
        cls, key: FetchKey, wanted: FetchPartition, version: int, code: int
    ) -> PartitionRead:
        """A partition that cannot be read."""
        read = cls(key, wanted, refusal(wanted.index, version, code))
        read.unknown = code in UNKNOWN
        read.answer_now = not read.unknown
        return read

    def is_known(self) -> bool:
        """Whether the client was told all this before, and has all records there are."""
        data, wanted = self.data, self.wanted
        return (
            self.at_end
            and data.high_watermark == wanted.high_watermark
            and data.log_start_offset == wanted.seen_log_start
        )

    def drop_cut_batch(self) -> None:
        """Take off the start of a batch that the limit cut: its reader would fetch it again,
        which a throttle makes dear. Of one batch alone nothing is taken."""
        records = self.data.records
        if records is None:
            return
        data = memoryview(b"".join(records) if isinstance(records, list) else records)
        whole = _whole_batches(data)
        if 0 < whole < len(data):
            self.data.records, self.size = data[:whole], whole

    async def read_cold(self, version: int, run_in_thread: RunInThread) -> None:
        """Read from the disk, in another thread, what was not in memory."""
        cold, log = self.cold, self.log
        if cold is None or log is None:
            return
        self.cold = None
        try:
            self.data.records = await run_in_thread(cold.run)
        except OSError as error:
            self.data = refusal(self.wanted.index, version, log.home.fail(error).code)
            self.size = 0


def _whole_batches(data: memoryview) -> int:
    """Where the last whole batch (or message, in old formats) ends."""
    position = 0
    while position + BATCH_HEAD.size <= len(data):
        following = position + BATCH_HEAD.size + int(BATCH_HEAD.unpack_from(data, position)[1])
        if not position < following <= len(data):
            break
        position = following
    return position


def refusal(index: int, version: int, code: int) -> PartitionData:
    """The answer for a partition that cannot be read."""
    return PartitionData(
        partition_index=index,
        error_code=_code_for(version, code),
        high_watermark=-1,
        last_stable_offset=-1,
        log_start_offset=-1,
        aborted_transactions=[] if code in BEFORE_THE_LOG else None,
        records=None if code in NOT_CONVERTED else b"",
    )


def read_partition(
    context: Context, key: FetchKey, wanted: FetchPartition, budget: Budget
) -> PartitionRead:
    """Read one partition; errors become its error code."""
    try:
        return _read(context, key, wanted, budget)
    except KafkaError as error:
        return PartitionRead.refused(key, wanted, budget.version, error.code)
    except Exception as error:
        logger.error("reading %s-%d failed", wanted.topic, wanted.index, exc_info=error)
        code = ErrorCode.UNKNOWN_SERVER_ERROR
        return PartitionRead.refused(key, wanted, budget.version, code)


def _code_for(version: int, code: int) -> int:
    """Clients before v6 do not know KAFKA_STORAGE_ERROR and would take it for final."""
    if code == ErrorCode.KAFKA_STORAGE_ERROR and version <= 5:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return code


def _partition(context: Context, wanted: FetchPartition, budget: Budget) -> Partition:
    services = context.services
    if context.version >= 13:
        if not wanted.topic:
            wanted.topic = services.image.topic_names_by_id.get(wanted.topic_id, "")
        if not wanted.topic:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_ID)
    known = services.image.partition(wanted.topic, wanted.index) is not None
    find = services.replicas.leader if budget.client is None else services.replicas.readable
    partition = find(wanted.topic, wanted.index, known=known, epoch=wanted.current_leader_epoch)
    if context.version >= 13 and partition.topic_id not in (ZERO_UUID, wanted.topic_id):
        raise KafkaError(ErrorCode.INCONSISTENT_TOPIC_ID)
    return partition


def _check_follower(partition: Partition, wanted: FetchPartition, follower: int) -> None:
    """Only the other replicas of a partition may follow it.

    With the right leader epoch it is us who do not know it yet (``followerReplicaOrThrow``).
    """
    if follower == partition.local_id or follower not in partition.replicas:
        unknown = wanted.current_leader_epoch >= 0
        raise KafkaError(
            ErrorCode.UNKNOWN_LEADER_EPOCH if unknown else ErrorCode.NOT_LEADER_OR_FOLLOWER
        )


def _note_follower(
    partition: Partition, wanted: FetchPartition, budget: Budget, data: PartitionData
) -> None:
    """Take in how far a follower is, and tell it at once if that commits more."""
    if budget.first and partition.fetched_by(
        budget.follower, wanted.fetch_offset, wanted.log_start_offset
    ):
        data.high_watermark = partition.log.high_watermark


def _read(context: Context, key: FetchKey, wanted: FetchPartition, budget: Budget) -> PartitionRead:
    partition = _partition(context, wanted, budget)
    follows = budget.follower >= 0
    if follows:
        _check_follower(partition, wanted, budget.follower)
    log = partition.log
    if budget.version < 10 and log.config.compression_type == "zstd":
        # A topic that lets producers choose may hold zstd too; that is for the client to find out.
        raise KafkaError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    data = PartitionData(
        partition_index=wanted.index,
        high_watermark=log.high_watermark,
        last_stable_offset=log.last_stable_offset,
        log_start_offset=log.log_start_offset,
        aborted_transactions=[] if budget.committed_only else None,
        records=b"",
    )
    read = PartitionRead(key, wanted, data)
    client = budget.client
    if client is not None and client.choose is not None and partition.is_leader:
        data.preferred_read_replica = client.choose(partition, wanted.fetch_offset)
        if data.preferred_read_replica >= 0:
            read.answer_now = True
            return read
    if wanted.last_fetched_epoch >= 0 and _diverges(partition, wanted, data):
        read.answer_now = True
        return read
    offset, held_back = wanted.fetch_offset, False
    if not log.log_start_offset <= offset <= log.log_end_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if follows:
        _note_follower(partition, wanted, budget, data)
        held_back = _holds_back(context, partition, read, budget.follower)
        bound = offset if held_back else log.log_end_offset
    else:
        bound = data.last_stable_offset if budget.committed_only else data.high_watermark
    if budget.version < 4 and not log.config.message_downconversion_enable:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    read.at_end = offset >= bound and not held_back
    if offset < bound and (budget.left > 0 or not budget.any_read):
        _read_records(read, log, bound, budget)
    return read


def _holds_back(context: Context, partition: Partition, read: PartitionRead, follower: int) -> bool:
    """Whether a throttle keeps records from a follower that has yet to catch up (KIP-73)."""
    quota = context.services.leader_throttle
    if quota is None or not quota.is_throttled(partition.key):
        return False
    read.throttled = True
    return follower not in partition.isr and quota.is_exceeded(context.services.timer())


def _read_records(read: PartitionRead, log: Log, bound: int, budget: Budget) -> None:
    """Read up to ``bound``, within the budget; only the first partition may exceed it."""
    wanted, data, version = read.wanted, read.data, budget.version
    first = not budget.any_read and version >= 3
    result = log.read(
        wanted.fetch_offset,
        max(0, min(wanted.max_bytes, budget.left)),
        up_to=bound,
        min_one_message=first,
        cached_only=budget.cached_only and version >= 4,
    )
    if not result.size or (result.first_batch_cut and version >= 3 and not first):
        return
    read.size = result.size
    if result.cold is not None:
        read.cold, read.log = result.cold, log
    elif version < 4:
        data.records = _convert_down(version, wanted, result)
        read.size = len(data.records)
    else:
        data.records = result.parts
    if budget.committed_only:
        data.aborted_transactions = [
            AbortedTransaction(producer_id=producer, first_offset=first_offset)
            for producer, first_offset in log.aborted_transactions(
                wanted.fetch_offset, result.next_offset
            )
        ]
    budget.any_read = True
    budget.left -= read.size


def _diverges(partition: Partition, wanted: FetchPartition, data: PartitionData) -> bool:
    """KIP-595: tell a reader whose history is not ours where the two part."""
    epoch, end = partition.log.end_offset_for_epoch(wanted.last_fetched_epoch)
    if epoch == -1 or end == -1 or wanted.fetch_offset < partition.log.log_start_offset:
        raise KafkaError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch < wanted.last_fetched_epoch or end < wanted.fetch_offset:
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end)
        return True
    return False


def _convert_down(version: int, wanted: FetchPartition, result: ReadResult) -> bytes:
    """The message set that a client before v4 gets, up to the first batch it cannot have.

    Before v3 a limit below the first batch is kept; the start of a message that does not fit
    tells the client so. Raises KafkaError UNSUPPORTED_COMPRESSION_TYPE if nothing is left.
    """
    if version < 3 and result.first_batch_cut:
        return TOO_LONG
    magic = 0 if version < 2 else 1
    converted: list[bytes] = []
    try:
        for message_set in down_convert(b"".join(result.parts), magic, wanted.fetch_offset):
            converted.append(message_set)  # noqa: PERF402 - what came before an error counts
    except KafkaError:
        if not any(converted):
            raise
    return b"".join(converted)
