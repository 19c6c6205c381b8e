"""The log of one partition on disk, as Apache Kafka 3.9 keeps it (``UnifiedLog``, ``LocalLog``)."""

from __future__ import annotations

from pykafka_ops.broker.hot.heads import LogHead
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.producers import Origin, Producers
from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.log import truncation
from pykafka_ops.broker.storage.log.appender import AppendInfo, append, append_as_follower
from pykafka_ops.broker.storage.log.compacted_log import CompactedLog
from pykafka_ops.broker.storage.log.loading import load
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import Checkpointed, LogParts
from pykafka_ops.broker.storage.log.reader import ReadResult, aborted_transactions, read
from pykafka_ops.broker.storage.log.tail import UNKNOWN, Tail
from pykafka_ops.broker.storage.log.time_search import TimeSearch
from pykafka_ops.broker.storage.log.writing import append_failed, roll
from pykafka_ops.broker.storage.retention import first_expiry
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.errors import KafkaError

_CLIENT = Origin.CLIENT
_NOTHING = Checkpointed()


class Log(LogHead):
    """One replica's log. Not safe for several threads; only jobs and cold reads may leave its own.

    A log costs no file access until it is used: after a clean stop its end offset is the
    checkpointed recovery point, everything else is read at the first use. Offsets, bytes, ms
    throughout.

    ``place`` is its directory; ``durability`` knows what is on the disk for good; ``tail`` has the
    offsets as they are now, UNKNOWN while the log is not open.
    """

    __slots__ = ("_expires_at", "_parts", "durability", "place")

    tail: Tail

    def __init__(self, place: PartitionDir, known: Checkpointed = _NOTHING) -> None:
        """A log whose files exist, and what is ``known`` of it."""
        self._parts = parts = LogParts(place, known)
        self._expires_at = UNKNOWN
        self.place = place
        self.tail = parts.tail
        self.durability = parts.durability

    @classmethod
    def create(cls, place: PartitionDir) -> Log:
        """A new, empty log with its files.

        Raises KafkaError KAFKA_STORAGE_ERROR; then no directory is left behind.
        """
        log = cls(place)
        log._parts.create()
        return log

    def update_config(self, config: TopicConfig) -> None:
        """Use other topic settings from now on."""
        self._parts.place.config = config
        self.tail.configure(config)
        self.tail.producers.verify = self.place.home.settings.verify_transactions
        self._parts.segments.configure(config)
        self._expires_at = UNKNOWN

    @property
    def config(self) -> TopicConfig:
        """The topic's settings."""
        return self._parts.place.config

    # -- opening and closing -----------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the files were looked at."""
        return self.tail.active is not None

    def open(self) -> Segment:
        """Read what the directory holds, unless that was done; the active segment.

        Raises KafkaError KAFKA_STORAGE_ERROR if the disk fails or the log is closed.
        """
        return self.tail.active or load(self._parts)

    def _opened(self) -> LogParts:
        if self.tail.active is None:
            load(self._parts)
        return self._parts

    def flush(self) -> None:
        """Make everything durable; the recovery point is the log's end afterwards.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        self.durability.flush()

    def close(self) -> None:
        """Make everything durable and give descriptors back; any use after this fails.

        Raises KafkaError KAFKA_STORAGE_ERROR; the log is closed all the same.
        """
        try:
            self.durability.close()
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Give descriptors back and refuse any further use; nothing is written."""
        self.durability.closed = True
        self._parts.segments.close()
        self.tail.close()
        self.tail.producers.close()

    # -- offsets -----------------------------------------------------------------------------------

    @property
    def log_start_offset(self) -> int:
        """First offset that may be read."""
        if self.tail.start < 0:
            self.open()
        return self.tail.start

    @property
    def log_end_offset(self) -> int:
        """Offset the next record gets."""
        if self.tail.end < 0:
            self.open()
        return self.tail.end

    @property
    def high_watermark(self) -> int:
        """Offset below which all in-sync replicas have everything."""
        if self.tail.high_watermark < 0:
            self.open()
        return self.tail.high_watermark

    def raise_high_watermark(self, offset: int) -> bool:
        """Move the high watermark up, within the log; whether ``offset`` is above it. For who knows
        the replicas."""
        tail = self.tail
        if tail.high_watermark < 0:
            self.open()
        if offset <= tail.high_watermark:
            return False
        tail.move_high_watermark(offset)
        return True

    @property
    def last_stable_offset(self) -> int:
        """Offset below which every transaction is decided and replicated."""
        tail = self.tail
        if tail.active is None:
            self.open()
        return tail.high_watermark if tail.first_unstable < 0 else tail.last_stable

    @property
    def start_checkpoint(self) -> int | None:
        """What to checkpoint as log start: only a start inside the first segment."""
        if self.tail.active is None:
            return self._parts.start_checkpoint or None
        start = self.tail.start
        return start if start > self._parts.segments.bases[0] else None

    # -- what is in it -----------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Bytes of all segments' logs."""
        return self._opened().segments.size

    @property
    def segment_count(self) -> int:
        """How many segments there are."""
        return len(self._opened().segments)

    @property
    def segments(self) -> list[Segment]:
        """The segments, oldest first; the last is appended to."""
        return list(self._opened().segments)

    @property
    def producers(self) -> Producers:
        """Idempotent and transactional producers seen here."""
        self.open()
        return self.tail.producers

    @property
    def epochs(self) -> EpochCache:
        """Where each leader epoch began."""
        return self._opened().epochs.cache

    @property
    def latest_epoch(self) -> int:
        """The newest leader epoch with an entry, or -1."""
        if self.tail.active is None:
            self.open()
        return self.tail.latest_epoch

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(largest known epoch <= ``epoch``, its end offset), (-1, -1) if not known."""
        return self.epochs.end_offset_for(epoch, self.tail.end)

    def assign_epoch(self, epoch: int, start_offset: int) -> None:
        """A leader epoch begins. Stored with the next flush or at the end: until then the batches
        tell it, and without batches nobody needs it. Raises KafkaError KAFKA_STORAGE_ERROR."""
        self._opened().epochs.assign(epoch, start_offset)

    # -- appending ---------------------------------------------------------------------------------

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now: int,
        origin: Origin = _CLIENT,
        guard: object | None = None,
    ) -> AppendInfo:
        """Give offsets to the batch in ``records`` (writable, changed in place) and write it.

        ``guard`` is what ``producers.start_verification`` gave for a transaction's first batch.
        Raises KafkaError as Kafka's Produce answers: CORRUPT_MESSAGE, MESSAGE_TOO_LARGE,
        RECORD_LIST_TOO_LARGE, INVALID_RECORD, INVALID_TIMESTAMP, OUT_OF_ORDER_SEQUENCE_NUMBER,
        INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, TRANSACTION_COORDINATOR_FENCED,
        KAFKA_STORAGE_ERROR. ``RecordsRejectedError`` names the records.
        """
        return append(self._parts, records, leader_epoch, now, origin, guard)

    def take_back(self, position: int, error: OSError) -> KafkaError:
        """What to answer after the batch that was to stand at ``position`` of the active segment
        could not be written; what is there of it is gone then, or the directory is done."""
        parts = self._opened()
        return append_failed(parts, parts.segments.active, position, error)

    def append_as_follower(self, records: memoryview) -> AppendInfo:
        """Write whole batches as the leader gave them; a cut one at the end is left out.

        Nothing is written unless every batch is sound. Raises KafkaError CORRUPT_MESSAGE if one
        is damaged, KAFKA_STORAGE_ERROR, and UNKNOWN_SERVER_ERROR if the offsets do not follow
        this log's end.
        """
        return append_as_follower(self._opened(), records)

    def roll(self, base_offset: int = 0) -> Segment:
        """Begin a new segment at the log's end (or at ``base_offset`` if that is higher).

        The old one is synced in the background. Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        return roll(self._opened(), base_offset)

    # -- reading -----------------------------------------------------------------------------------

    def read(
        self,
        offset: int,
        max_bytes: int,
        *,
        up_to: int,
        min_one_message: bool = True,
        cached_only: bool = False,
    ) -> ReadResult:
        """Bytes from the batch that holds ``offset`` on, of one segment, below offset ``up_to``.

        At most ``max_bytes``, which may end inside a batch; with ``min_one_message`` the first
        batch comes whole. ``cached_only`` never waits for the disk to give the records.
        Raises KafkaError OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        return read(self._parts, offset, max_bytes, up_to, min_one_message, cached_only)

    def aborted_transactions(self, first: int, last: int) -> list[tuple[int, int]]:
        """(producer id, first offset) of aborted transactions that touch ``[first, last)``.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        return aborted_transactions(self._opened(), first, last)

    @property
    def times(self) -> TimeSearch:
        """Finds offsets by time."""
        return TimeSearch(self._opened())

    # -- taking back -------------------------------------------------------------------------------

    def truncate_to(self, offset: int) -> bool:
        """Drop every batch at or above ``offset``, and with them the one that holds it; whether
        anything was dropped. Epochs that begin there go in any case.

        Raises KafkaError KAFKA_STORAGE_ERROR, ValueError on a negative offset.
        """
        return truncation.truncate_to(self._opened(), offset)

    def truncate_fully(self, start_offset: int, log_start: int | None = None) -> None:
        """Drop everything; the log goes on at ``start_offset`` (readable from ``log_start``).

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        truncation.truncate_fully(self._opened(), start_offset, log_start)

    def delete_records(self, before: int) -> int:
        """Make everything below ``before`` (-1: the high watermark) unreadable; the new log start.

        Raises KafkaError OFFSET_OUT_OF_RANGE if that is not below or at the high watermark.
        """
        return truncation.delete_records(self._opened(), before)

    def raise_log_start(self, offset: int) -> bool:
        """Move the log start up to ``offset``; whether it moved. What lies below stays on disk
        until :meth:`delete_old_segments`."""
        return truncation.raise_log_start(self._opened(), offset)

    def delete_old_segments(self, now: int) -> int:
        """Drop what retention by log start, size and time allows; the number of segments.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        if not self.is_open and now < self._expiry():
            return 0
        return truncation.delete_old_segments(self._opened(), now)

    def _expiry(self) -> int:
        """When a log that nobody uses may have something to drop: it is not opened for less."""
        if self._expires_at == UNKNOWN:
            with self._parts.place.disk_errors():
                self._expires_at = first_expiry(
                    self.place.home.files,
                    self.place.path,
                    self.config,
                    self._parts.start_checkpoint,
                )
        return self._expires_at

    @property
    def compaction(self) -> CompactedLog:
        """What the cleaner asks of the log."""
        return CompactedLog(self._opened())
