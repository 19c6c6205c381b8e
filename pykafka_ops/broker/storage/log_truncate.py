"""Cutting a partition's log: at its end (followers), at its start (DeleteRecords), completely."""

from __future__ import annotations

from pykafka_ops.broker.storage.log_segments import LogSegments
from pykafka_ops.broker.storage.log_state import ALWAYS
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_HIGH_WATERMARK = -1


class LogTruncate(LogSegments):
    """The part of a log that takes back."""

    __slots__ = ()

    @property
    def generation(self) -> int:
        """Changes whenever something is cut off the log's end."""
        return self._generation

    @property
    def is_dirty(self) -> bool:
        """Whether there is something that was not synced yet."""
        return self.recovery_point < self._end

    def truncate_to(self, offset: int) -> bool:
        """Drop every batch at or above ``offset``, and with them the one that holds it; whether
        anything was dropped. Epochs that begin there go in any case.

        Raises KafkaError KAFKA_STORAGE_ERROR, ValueError on a negative offset.
        """
        if offset < 0:
            raise ValueError(f"cannot truncate {self.name} to the negative offset {offset}")
        self.open()
        if offset >= self._end:
            self._epochs_dirty |= self._epochs.truncate_from_end(self._end)
            self._latest_epoch = self._epochs.latest
            return False
        if self._bases[0] > offset:
            self.truncate_fully(offset)
            return True
        try:
            self._cut(offset)
        except OSError as error:
            raise self.dir.fail(error) from error
        return True

    def _cut(self, offset: int) -> None:
        now = self.dir.settings.clock()
        keep = self._segment_of(offset) + 1
        dropped = self._segments[keep:]
        del self._segments[keep:], self._bases[keep:]
        if dropped:
            self._remove_later(dropped)
        self._active = active = self._segments[-1]
        active.truncate_to(offset, now)
        self._end = offset
        self._start = min(self._start, offset)
        self._start_checkpoint = min(self._start_checkpoint, offset)
        self.recovery_point = min(self.recovery_point, offset)
        self._generation += 1
        self._forget_tail()
        self._roll_after = ALWAYS
        if self._epochs.truncate_from_end(offset):
            self._epochs_dirty = True
            self._write_epochs()
        self._latest_epoch = self._epochs.latest
        if self._producers.is_empty and self._producers.first_undecided_offset < 0:
            self._snapshots.keep_between(self._start, offset)
            self._snapshots.last_offset = max(self._snapshots.offsets, default=self._start)
            self._producers.end_offset = offset
        else:
            self._rebuild_producers(now)
        self._set_high_watermark(min(self._high_watermark, offset))

    def truncate_fully(self, start_offset: int, log_start: int | None = None) -> None:
        """Drop everything; the log goes on at ``start_offset`` (readable from ``log_start``).

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        self.open()
        try:
            self._start_over(start_offset)
        except OSError as error:
            self._generation += 1
            self.recovery_point = 0
            self._forget()  # what is left is found out at the next use
            raise self.dir.fail(error) from error
        self._start = self._start_checkpoint = start_offset if log_start is None else log_start
        self._set_high_watermark(start_offset)

    def _start_over(self, offset: int) -> None:
        now = self.dir.settings.clock()
        dropped = self._segments
        self._remove_later(dropped)
        segment = Segment.create(self.dir.files, self.directory, offset, self.config, now)
        self._segments, self._bases, self._active = [segment], [offset], segment
        self._end = offset
        self.recovery_point = min(self.recovery_point, offset)
        self._generation += 1
        self._forget_tail()
        self._roll_after = ALWAYS
        self._snapshots.clear()
        self._producers.clear(offset)
        self._first_unstable = -1
        self._epochs_dirty |= self._epochs.clear()
        self._write_epochs()
        self._latest_epoch = -1

    def delete_records(self, before: int) -> int:
        """Make everything below ``before`` (-1: the high watermark) unreadable; the new log start.

        Raises KafkaError OFFSET_OUT_OF_RANGE if that is not below or at the high watermark.
        """
        target = self.high_watermark if before == _HIGH_WATERMARK else before
        if not 0 <= target <= self.high_watermark:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"Cannot increment the log start offset to {target} of partition {self.name} "
                f"since it is larger than the high watermark {self.high_watermark}",
            )
        self.raise_log_start(target)
        return self._start
