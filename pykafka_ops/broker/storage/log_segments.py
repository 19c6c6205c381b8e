"""Segments of a partition's log: rolling, flushing, dropping (``LocalLog``)."""

from __future__ import annotations

import errno
import os

from pykafka_ops.broker.storage import retention
from pykafka_ops.broker.storage.files import FULL
from pykafka_ops.broker.storage.flush import FlushJob
from pykafka_ops.broker.storage.log_state import ALWAYS, UNKNOWN, LogState
from pykafka_ops.broker.storage.peek import first_expiry
from pykafka_ops.broker.storage.recovery import write_epochs
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import names
from pykafka_ops.errors import KafkaError


class LogSegments(LogState):
    """The part of a log that knows when segments come and go."""

    __slots__ = ()

    @property
    def segment_count(self) -> int:
        """Number of segments."""
        self.open()
        return len(self._segments)

    @property
    def segments(self) -> list[Segment]:
        """The segments, oldest first; the last is appended to."""
        self.open()
        return list(self._segments)

    def _load(self) -> Segment:
        """As ever; what a crash left undone for ``flush.messages`` is owed at once."""
        segment = super()._load()
        if self._end - self.recovery_point >= self.config.flush_messages:
            self.flush_soon()
        return segment

    # -- rolling -----------------------------------------------------------------------------------

    def roll(self, base_offset: int = 0) -> Segment:
        """Begin a new segment at the log's end (or at ``base_offset`` if that is higher).

        The old one is synced in the background. Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        active = self.open()
        base = max(base_offset, self._end)
        if base == active.base_offset:
            return active
        files, now = self.dir.files, self.dir.settings.clock()
        try:
            active.write_indexes(final=True)
            segment = Segment.create(files, self.directory, base, self.config, now)
        except OSError as error:
            raise self.dir.fail(error) from error
        active.modified_ms = now
        self._segments.append(segment)
        self._bases.append(base)
        self._active = segment
        self._forget_tail()
        self._roll_after = ALWAYS
        self._producers.end_offset = base
        snapshot = self._take_snapshot()
        self._submit_flush(base, snapshot, active)
        return segment

    def _roll_if_due(
        self, size: int, max_timestamp: int, span: tuple[int, int], now: int
    ) -> Segment:
        """The segment for a batch of ``size`` bytes with offsets ``span``: a new one if due.

        The first batch after the log was opened or cut comes by here.
        """
        active = self.open()
        self.dir.before_growth((self.topic, self.partition), self.recovery_point)
        if active.should_roll(size, max_timestamp, span[1], now):
            active = self.roll(span[0])
        first = active.first_timestamp if active.size else max_timestamp
        age = self.config.max_segment_ms - active.jitter_ms
        self._roll_after = first + age if first >= 0 else ALWAYS
        return active

    def _take_snapshot(self) -> str | None:
        """Write the producer state; a full disk only makes the next start slower."""
        try:
            return self._snapshots.take(self._producers)
        except OSError as error:
            self.dir.files.remove(self._snapshots.path(self._producers.end_offset))
            if error.errno not in FULL:
                raise self.dir.fail(error) from error
            return None

    # -- flushing ----------------------------------------------------------------------------------

    def flush(self) -> None:
        """Make everything durable; the recovery point is the log's end afterwards.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        job = self.flush_job()
        if job is not None:
            job.run()
            job.done()
            if job.error is not None:
                raise self.dir.refusal(job.error)

    def flush_job(self, offset: int | None = None) -> FlushJob | None:
        """What makes everything below ``offset`` (default: the end) durable; None if it is."""
        if self._active is None:
            return None
        upto = self._end if offset is None else offset
        if upto <= self.recovery_point and not self._epochs_dirty:
            return None
        try:
            self._active.write_indexes()
            self._write_epochs()
        except OSError as error:
            raise self.dir.fail(error) from error
        first = max(self._segment_of(self.recovery_point), 0)
        paths = [
            segment.path(kind)
            for segment in self._segments[first:]
            if segment.base_offset < upto or segment is self._segments[first]
            for kind in names.SEGMENT_SUFFIXES
        ]
        paths.append(f"{self.directory}/{names.LEADER_EPOCH_CHECKPOINT}")
        return FlushJob(self, upto, paths, self._generation)

    def flush_soon(self) -> None:
        """``flush.messages`` is reached: sync in the background. ``owed`` holds back the answers
        meanwhile; what comes until then is synced together. Raises KafkaError."""
        waiting = self.owed >= 0
        self.owed = self._end
        if not waiting:
            self._flush_owed()
            self.dir.check()  # without a background it was done, or failed, by now

    def durable(self, offset: int) -> int:
        """``offset``, or up to where the log is durable if it owes more to ``flush.messages``."""
        return offset if self.owed < 0 else min(offset, self.recovery_point)

    def _flush_owed(self) -> None:
        job = self.flush_job() if self.recovery_point < self.owed else None
        if job is None:
            self.owed = UNKNOWN
        else:
            job.owed = True
            self.dir.submit(job)

    def _submit_flush(self, offset: int, snapshot: str | None, closed: Segment) -> None:
        """Sync what is below ``offset`` in the background, and the files of the ``closed``
        segment: the last entry of its time index is younger than its records, which may be
        durable already."""
        done = min(offset, self.recovery_point)
        job = self.flush_job(offset) or FlushJob(self, done, [], self._generation)
        more = [closed.path(kind) for kind in names.SEGMENT_SUFFIXES]
        more += [] if snapshot is None else [snapshot]
        job.paths += [path for path in more if path not in job.paths]
        self.dir.submit(job)

    def flushed(self, offset: int, generation: int, *, owed: bool = False) -> None:
        """Everything below ``offset`` is durable, unless the log was cut since; ``owed``: that is
        what :meth:`flush_soon` asked for."""
        if generation == self._generation:
            self.recovery_point = max(self.recovery_point, offset)
            self.last_flush_ms = self.dir.settings.timer()
        if owed and not self._closed:
            self._flush_owed()
            if self.dir.on_flushed is not None:
                self.dir.on_flushed(self.topic, self.partition)

    def sync_failed(self, error: OSError) -> None:
        """A sync failed: the directory is done for, even if the disk is only full."""
        if error.errno in FULL:
            error = OSError(errno.EIO, f"sync failed: {os.strerror(error.errno or 0)}")
        self.dir.fail(error)

    def assign_epoch(self, epoch: int, start_offset: int) -> None:
        """A leader epoch begins. Stored with the next flush or at the end: until then the batches
        tell it, and without batches nobody needs it. Raises KafkaError KAFKA_STORAGE_ERROR."""
        self.open()
        if self._epochs.assign(epoch, start_offset):
            self._epochs_dirty = True
            self._latest_epoch = self._epochs.latest

    def _write_epochs(self) -> None:
        if self._epochs_dirty:
            write_epochs(self.dir.files, self.directory, self._epochs, sync=False)
            self._epochs_dirty = False

    # -- closing -----------------------------------------------------------------------------------

    def close_job(self) -> FlushJob | None:
        """Write what waits in memory, for a clean stop; the sync that must follow, if any.

        A log that never had a producer with an id needs no snapshot to say so.
        """
        if self._active is None:
            return None
        try:
            self._active.write_indexes(final=True)
            self._write_epochs()
            snapshot = None
            if self._snapshots.offsets or not self._producers.is_empty:
                snapshot = self._snapshots.take(self._producers)
        except OSError as error:
            raise self.dir.fail(error) from error
        job = self.flush_job()
        if job is not None and snapshot is not None:
            job.paths.append(snapshot)
        return job

    def close(self) -> None:
        """Make everything durable and give descriptors back; any use after this fails.

        Raises KafkaError KAFKA_STORAGE_ERROR; the log is closed all the same.
        """
        try:
            job = self.close_job()
            if job is not None:
                job.run()
                job.done()
                if job.error is not None:
                    raise self.dir.refusal(job.error)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Give descriptors back and refuse any further use; nothing is written."""
        self._closed = True
        for segment in self._segments:
            segment.close()
        self._active = None

    # -- dropping segments -------------------------------------------------------------------------

    def delete_old_segments(self, now: int) -> int:
        """Drop what retention by log start, size and time allows; the number of segments.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        if self._active is None and not self._retention_due(now):
            return 0
        self.open()
        config = self.config
        count = self._drop_first(
            retention.below_start(
                self._segments,
                high_watermark=self._high_watermark,
                end=self._end,
                log_start=self._start,
            )
        )
        if config.deletes:
            count += self._drop_first(
                retention.over_size(
                    self._segments,
                    high_watermark=self._high_watermark,
                    end=self._end,
                    retention_bytes=config.retention_bytes,
                )
            )
            try:
                old = retention.expired(
                    self._segments,
                    high_watermark=self._high_watermark,
                    end=self._end,
                    retention_ms=config.retention_ms,
                    now=now,
                )
            except OSError as error:
                raise self.dir.fail(error) from error
            count += self._drop_first(old)
        return count

    def _retention_due(self, now: int) -> bool:
        """Whether a log that nobody uses may have something to drop: it is not opened for less."""
        if self._retention_at == UNKNOWN:
            try:
                self._retention_at = first_expiry(
                    self.dir.files, self.directory, self.config, self._start_checkpoint
                )
            except OSError as error:
                raise self.dir.fail(error) from error
        return now >= self._retention_at

    def _drop_first(self, count: int) -> int:
        """Drop the ``count`` oldest segments; the log then starts after them."""
        if not count:
            return 0
        if count == len(self._segments):
            self.roll()
        self.raise_log_start(self._bases[count])
        dropped = self._segments[:count]
        del self._segments[:count], self._bases[:count]
        self._remove_later(dropped)
        return count

    def _remove_later(self, segments: list[Segment]) -> None:
        """Mark the files ``.deleted`` now, remove them after ``file.delete.delay.ms``."""
        try:
            for segment in segments:
                segment.rename(names.DELETED_SUFFIX)
                self._snapshots.remove(segment.base_offset)
        except OSError as error:
            raise self.dir.fail(error) from error
        self.dir.schedule(self.config.file_delete_delay_ms, lambda: self._remove(segments))

    def _remove(self, segments: list[Segment]) -> None:
        try:
            for segment in segments:
                segment.directory = self.directory
                segment.remove()
        except OSError as error:
            self.dir.fail(error)

    def raise_log_start(self, offset: int) -> bool:
        """Move the log start up to ``offset``; whether it moved. What lies below stays on disk
        until :meth:`delete_old_segments`."""
        self.open()
        if offset <= self._start:
            return False
        self._start = self._start_checkpoint = offset
        self._epochs_dirty |= self._epochs.truncate_from_start(offset)
        self._producers.on_log_start(offset)
        self._snapshots.last_offset = max(self._snapshots.offsets, default=offset)
        self._set_high_watermark(max(self._high_watermark, offset))
        self._first_unstable = self._producers.first_unstable_offset
        return True

    @property
    def start_checkpoint(self) -> int | None:
        """What to checkpoint as log start: only a start inside the first segment."""
        if self._active is None:
            return self._start_checkpoint or None
        return self._start if self._start > self._bases[0] else None

    def _append_failed(self, active: Segment, position: int, error: OSError) -> KafkaError:
        """A write failed: take back what it left. If not even that works, the directory is done."""
        try:
            active.truncate_log(position)
            active.truncate_aborted(self._end)
        except OSError as again:
            self.dir.fail(OSError(errno.EIO, f"cannot take back a failed write: {again}"))
        return self.dir.fail(error)
