"""What a partition's log knows about itself, and how it is opened (``UnifiedLog``, ``LogLoader``).

A log costs no file access until it is used: after a clean stop its end offset is the checkpointed
recovery point, everything else is read by :meth:`LogState.open`.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from typing import TYPE_CHECKING

from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.files import FileInfo
from pykafka_ops.broker.storage.recovery import (
    Recovery,
    epochs_in,
    find_segments,
    read_epochs,
    tidy,
)
from pykafka_ops.broker.storage.replay import rebuild
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.snapshots import Snapshots
from pykafka_ops.disk import names
from pykafka_ops.disk.checkpoint import format_partition_metadata, parse_partition_metadata
from pykafka_ops.errors import CorruptIndexError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.storage.log_dir import LogDir

UNKNOWN = -1
ALWAYS = -2
"""Below every timestamp: the next append looks closely whether the segment is due."""

_log = logging.getLogger(__name__)


class LogState:
    """Offsets, segments, epochs and producers of one partition; see ``log.Log``.

    ``config`` may be replaced through :meth:`update_config`. Belongs to one thread. What was
    appended below offset ``owed`` must be durable before anybody hears of it (-1: nothing).
    """

    __slots__ = (
        "_active",
        "_bases",
        "_closed",
        "_end",
        "_epochs",
        "_epochs_dirty",
        "_first_unstable",
        "_generation",
        "_high_watermark",
        "_latest_epoch",
        "_producers",
        "_retention_at",
        "_roll_after",
        "_segment_bytes",
        "_segments",
        "_snapshots",
        "_start",
        "_start_checkpoint",
        "_stored_watermark",
        "_tail_offsets",
        "_tail_positions",
        "_topic_id",
        "_topic_id_read",
        "_usual_bytes",
        "config",
        "dir",
        "directory",
        "last_flush_ms",
        "name",
        "owed",
        "partition",
        "recovery_point",
        "topic",
    )

    def __init__(
        self,
        log_dir: LogDir,
        topic: str,
        partition: int,
        config: TopicConfig,
        *,
        directory: str | None = None,
        topic_id: bytes | None = None,
        end_offset: int = UNKNOWN,
        recovery_point: int = 0,
        start_checkpoint: int = 0,
        high_watermark: int = UNKNOWN,
    ) -> None:
        """A log whose files exist. ``end_offset`` is what a clean stop or a recovery left;
        unknown, the log is opened to find out."""
        self.dir = log_dir
        self.topic = topic
        self.partition = partition
        self.name = f"{topic}-{partition}"
        self.directory = directory or f"{log_dir.path}/{self.name}"
        self._topic_id = topic_id
        self._topic_id_read = topic_id is not None
        self.recovery_point = recovery_point
        self.last_flush_ms = log_dir.settings.timer()
        self.owed = UNKNOWN
        self._start_checkpoint = start_checkpoint
        self._start = UNKNOWN
        self._end = end_offset
        self._stored_watermark = high_watermark
        self._high_watermark = UNKNOWN
        if high_watermark >= 0 and end_offset >= 0:
            self._high_watermark = min(high_watermark, end_offset)
        self._closed = False
        self._generation = 0
        self._active: Segment | None = None
        self._forget()
        self.update_config(config)

    def _forget(self) -> None:
        """Drop what was read from the files."""
        self._active = None
        self._segments: list[Segment] = []
        self._bases: list[int] = []
        self._epochs = EpochCache()
        self._epochs_dirty = False
        self._latest_epoch = UNKNOWN
        self._producers = Producers(self.name, verify=self.dir.settings.verify_transactions)
        self._snapshots = Snapshots(self.dir.files, self.directory)
        self._first_unstable = UNKNOWN
        self._roll_after = ALWAYS
        self._tail_offsets: list[int] = []
        self._tail_positions: list[int] = []

    def update_config(self, config: TopicConfig) -> None:
        """Use other topic settings from now on."""
        self.config = config
        self._producers.verify = self.dir.settings.verify_transactions
        self._segment_bytes = config.segment_bytes
        unusual = (
            config.compacts
            or config.log_append_time
            or config.compression_type != "producer"
            or min(config.before_max_ms, config.after_max_ms, config.flush_messages) < MAX_LONG
        )
        self._usual_bytes = -1 if unusual else min(config.max_message_bytes, config.segment_bytes)
        self._roll_after, self._retention_at = ALWAYS, UNKNOWN
        for segment in self._segments:
            segment.config = config

    # -- opening -----------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the files were looked at."""
        return self._active is not None

    def open(self) -> Segment:
        """Read what the directory holds; the active segment.

        Raises KafkaError KAFKA_STORAGE_ERROR if the disk fails or the log is closed.
        """
        if self._active is not None:
            return self._active
        self.dir.check()
        if self._closed:
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"log {self.name} is closed")
        try:
            return self._load()
        except OSError as error:
            self._forget()
            raise self.dir.fail(error) from error

    def _load(self) -> Segment:
        files, now = self.dir.files, self.dir.settings.clock()
        found = tidy(files, self.directory, self.config)
        segments = find_segments(files, self.directory, self.config, found)
        end = self._find_end(segments)
        if end is None:
            done = Recovery(
                *(files, self.directory, self.config),
                recovery_point=self.recovery_point or None,
                start_offset=self._start_checkpoint,
                cleaned_to=self.dir.cleaner_offsets.get((self.topic, self.partition), 0),
                settings=self.dir.settings,
            ).run()
            end, self.recovery_point = done.end_offset, done.recovery_point
            found = files.list(self.directory)
            segments = find_segments(files, self.directory, self.config, found)
        stopped = self._end == end
        if self._end not in (UNKNOWN, end):
            _log.warning("%s: ends at %d, not at %d as recorded", self.directory, end, self._end)
        for segment in segments:
            segment.side_files = None  # from now on they change
        self._segments, self._bases = segments, [s.base_offset for s in segments]
        self._start = max(self._start_checkpoint, self._bases[0])
        self._end = end
        self.recovery_point = min(self.recovery_point, end)
        self._load_epochs(stopped=stopped)
        self._load_producers(found, now, stopped=stopped)
        self._active = segments[-1]
        self._set_high_watermark(max(self._high_watermark, self._stored_watermark))
        self._roll_after = ALWAYS
        return self._active

    def adopt(self, segment: Segment) -> None:
        """Begin with a new, empty segment: there is nothing to read."""
        self._segments, self._bases, self._active = [segment], [segment.base_offset], segment
        self._start = self._end = self._high_watermark = segment.base_offset

    def _find_end(self, segments: list[Segment]) -> int | None:
        """The log's end offset; None if the directory is not as a clean stop leaves it."""
        if not segments:
            return None
        end, position = segments[-1].find_end()
        if position != segments[-1].size or end < self._start_checkpoint:
            return None
        return end

    # -- topic id ----------------------------------------------------------------------------------

    @property
    def topic_id(self) -> bytes | None:
        """The topic's id (16 bytes) as ``partition.metadata`` has it, None without one.

        A damaged file is as good as none. Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        if self._topic_id is None and not self._topic_id_read:
            self._topic_id_read = True
            try:
                data = self.dir.files.read(f"{self.directory}/{names.PARTITION_METADATA}")
                self._topic_id = parse_partition_metadata(data.decode("ascii", "replace"))
            except (FileNotFoundError, CorruptIndexError):
                pass
            except OSError as error:
                raise self.dir.fail(error) from error
        return self._topic_id

    def assign_topic_id(self, topic_id: bytes) -> None:
        """Give the partition its topic id and store it.

        Raises KafkaError INCONSISTENT_TOPIC_ID if it has another, KAFKA_STORAGE_ERROR.
        """
        if self.topic_id is None:
            self._topic_id = topic_id
            self.write_topic_id()
        elif self.topic_id != topic_id:
            raise KafkaError(
                ErrorCode.INCONSISTENT_TOPIC_ID,
                f"Tried to assign another topic ID to log for topic partition {self.name}",
            )

    def write_topic_id(self) -> None:
        """Store the topic id, if there is one."""
        if self._topic_id is None:
            return
        data = format_partition_metadata(self._topic_id).encode()
        try:
            where = f"{self.directory}/{names.PARTITION_METADATA}"
            self.dir.files.write_atomic(where, data, sync=False)
        except OSError as error:
            raise self.dir.fail(error) from error

    def _load_epochs(self, *, stopped: bool) -> None:
        """What was not flushed is told by the batches alone."""
        epochs = read_epochs(self.dir.files, self.directory)
        stored = UNKNOWN if epochs is None else epochs.latest
        if epochs is None:
            epochs = epochs_in(self._segments)
        elif not stopped:
            first = max(self._segment_of(self.recovery_point), 0)
            epochs = epochs_in(self._segments[first:], epochs)
        self._epochs = epochs
        self._epochs_dirty = epochs.latest != stored
        self._epochs_dirty |= epochs.truncate_from_end(self._end)
        self._epochs_dirty |= epochs.truncate_from_start(self._start_checkpoint)
        self._latest_epoch = epochs.latest

    def _load_producers(self, found: list[FileInfo], now: int, *, stopped: bool) -> None:
        self._snapshots = Snapshots.among(self.dir.files, self.directory, found)
        self._snapshots.remove_stray(self._bases)
        if stopped and not self._snapshots.offsets:  # there never was a producer with an id
            self._producers.clear(self._end)
        else:
            self._rebuild_producers(now)

    def _rebuild_producers(self, now: int) -> None:
        self._snapshots.keep_between(self._start, self._end)
        rebuild(
            self._producers,
            self._snapshots,
            self._segments,
            start=self._start,
            end=self._end,
            settings=self.dir.settings,
            now=now,
        )
        self._first_unstable = self._producers.first_unstable_offset

    # -- offsets -----------------------------------------------------------------------------------

    @property
    def log_start_offset(self) -> int:
        """First offset that may be read."""
        if self._start < 0:
            self.open()
        return self._start

    @property
    def log_end_offset(self) -> int:
        """Offset the next record gets."""
        if self._end < 0:
            self.open()
        return self._end

    @property
    def high_watermark(self) -> int:
        """Offset below which all in-sync replicas have everything; set it to move it on."""
        if self._high_watermark < 0:
            self.open()
        return self._high_watermark

    @high_watermark.setter
    def high_watermark(self, offset: int) -> None:
        """Bounded by the log's start and end; it never moves back."""
        if offset > self.high_watermark:
            self._set_high_watermark(offset)

    def _set_high_watermark(self, offset: int) -> None:
        self._high_watermark = hw = max(min(offset, self._end), self._start, 0)
        if self._first_unstable >= 0:
            self._producers.on_high_watermark(hw)
            self._first_unstable = self._producers.first_unstable_offset

    @property
    def last_stable_offset(self) -> int:
        """Offset below which every transaction is decided and replicated."""
        if self._active is None:
            self.open()
        unstable = self._first_unstable
        if unstable < 0 or unstable >= self._high_watermark:
            return self._high_watermark
        return max(unstable, self._start)

    @property
    def size(self) -> int:
        """Bytes of all segments' logs."""
        if self._active is None:
            self.open()
        return sum(s.size for s in self._segments)

    @property
    def producers(self) -> Producers:
        """Idempotent and transactional producers seen here."""
        self.open()
        return self._producers

    @property
    def latest_epoch(self) -> int:
        """The newest leader epoch with an entry, or -1."""
        if self._active is None:
            self.open()
        return self._latest_epoch

    def epoch_entries(self) -> list[tuple[int, int]]:
        """All (leader epoch, first offset)."""
        self.open()
        return self._epochs.entries()

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(largest known epoch <= ``epoch``, its end offset), (-1, -1) if not known."""
        self.open()
        return self._epochs.end_offset_for(epoch, self._end)

    def epoch_for_offset(self, offset: int) -> int:
        """The leader epoch ``offset`` was written in, or -1."""
        self.open()
        return self._epochs.epoch_for_offset(offset)

    # -- segments ----------------------------------------------------------------------------------

    def _segment_of(self, offset: int) -> int:
        """Number of the segment whose base offset is the last at or below ``offset``."""
        return bisect_right(self._bases, offset) - 1

    def _forget_tail(self) -> None:
        self._tail_offsets.clear()
        self._tail_positions.clear()
