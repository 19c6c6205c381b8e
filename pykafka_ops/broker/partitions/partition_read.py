"""One partition's part of the answer to a Fetch request, and what is still to be done for it."""

from __future__ import annotations

import logging

from pykafka_ops.broker.partitions.conversion import Conversion
from pykafka_ops.broker.state.fetch_session import CachedPartition, FetchKey
from pykafka_ops.broker.state.meters import TopicMeter
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.reader import ColdRead
from pykafka_ops.disk.batch import whole_batches
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import PartitionData
from pykafka_ops.wire.types import Part, joined

logger = logging.getLogger("kafka.server.ReplicaManager")

COLD_ERRORS = (OSError, KafkaError, CorruptBatchError)
"""What reading from the disk, or converting, raises."""
Warm = Part | list[Part] | OSError | KafkaError | CorruptBatchError
"""What came of it."""

UNKNOWN = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)

NOT_CONVERTED = (ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, ErrorCode.UNSUPPORTED_VERSION)
"""Errors with which Kafka sends null as records, not empty ones."""

BEFORE_THE_LOG = (*UNKNOWN, *NOT_CONVERTED, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
"""Errors with which Kafka sends no aborted transactions, not "unknown which" (null)."""

KNOWS_STORAGE_ERROR = 6
"""The first version of Fetch whose clients do not take KAFKA_STORAGE_ERROR for final."""


def refusal(index: int, version: int, code: int) -> PartitionData:
    """The answer for a partition that cannot be read."""
    shown = code
    if code == ErrorCode.KAFKA_STORAGE_ERROR and version < KNOWS_STORAGE_ERROR:
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


class PartitionRead:
    """What was read of one partition: ``data`` is the answer, ``size`` the bytes of its records.

    ``answer_now`` ends any waiting; ``cold`` are records that have yet to be read from the disk
    (:meth:`warm`), with the log and the version of Fetch; ``throttled`` ones count for the leader's
    throttle; ``at_end`` says that there was nothing more to read.
    """

    __slots__ = (
        "answer_now",
        "at_end",
        "cold",
        "data",
        "key",
        "meter",
        "size",
        "throttled",
        "wanted",
    )

    def __init__(self, key: FetchKey, wanted: CachedPartition, data: PartitionData) -> None:
        self.key = key
        self.wanted = wanted
        self.data = data
        self.size = 0
        self.meter: TopicMeter | None = None
        """Counts the bytes once they are sent."""
        self.cold: tuple[ColdRead | Conversion, Log, int] | None = None
        self.answer_now = False
        self.throttled = False
        self.at_end = False

    @classmethod
    def refused(
        cls, key: FetchKey, wanted: CachedPartition, version: int, code: int
    ) -> PartitionRead:
        """A partition that cannot be read."""
        read = cls(key, wanted, refusal(wanted.index, version, code))
        read.answer_now = not read.unknown
        return read

    @property
    def unknown(self) -> bool:
        """Whether no such partition exists."""
        return self.data.error_code in UNKNOWN

    def is_known(self) -> bool:
        """Whether the client knows all this, and has all records there are."""
        data, wanted = self.data, self.wanted
        return (
            self.at_end
            and data.high_watermark == wanted.high_watermark
            and data.log_start_offset == wanted.seen_log_start
        )

    def is_news(self) -> bool:
        """Whether an incremental answer must name this partition; the session remembers that."""
        data, wanted = self.data, self.wanted
        changed = wanted.changed(
            data.error_code, data.high_watermark, data.log_start_offset, self.size
        )
        if data.diverging_epoch is not None or data.preferred_read_replica >= 0:
            wanted.tell_again()
            return True
        return changed

    def drop_cut_batch(self) -> None:
        """Take off the start of a batch that the limit cut: its reader would fetch it again,
        which a throttle makes dear. Of one batch alone nothing is taken."""
        records = self.data.records
        if records is None:
            return
        data = memoryview(joined(records if isinstance(records, list) else [records]))
        whole = whole_batches(data)
        if 0 < whole < len(data):
            self.data.records, self.size = data[:whole], whole

    def warm(self) -> Warm:
        """Any thread: the ``cold`` records, or why they cannot be had; for :meth:`take`."""
        assert self.cold is not None
        try:
            return self.cold[0].warm()
        except COLD_ERRORS as error:
            return error

    def take(self, found: Warm) -> None:
        """The records, once they are read from the disk."""
        assert self.cold is not None
        (cold, log, version), self.cold = self.cold, None
        if isinstance(found, Exception):
            self.data = refusal(self.wanted.index, version, _code_of(found, log))
            self.size = 0
            return
        self.data.records = found
        if isinstance(cold, Conversion):
            self.size = len(found)


def _code_of(error: Exception, log: Log) -> int:
    if isinstance(error, OSError):
        return log.place.home.fail(error).code
    if isinstance(error, KafkaError):
        return error.code
    logger.error("%s cannot be converted: %s", log.place.name, error)
    return ErrorCode.UNKNOWN_SERVER_ERROR
