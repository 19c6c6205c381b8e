"""Up to where a log is on the disk for good, and what makes more of it so.

What to sync is collected by the log's own thread, the waiting happens elsewhere.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field

from pykafka_ops.broker.storage.files import FULL
from pykafka_ops.broker.storage.log.leader_epochs import LeaderEpochs
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.producer_states import ProducerStates
from pykafka_ops.broker.storage.log.segment_list import SegmentList
from pykafka_ops.broker.storage.log.tail import Tail
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import names

_NOTHING = -1


class Durability:
    """Everything below offset ``recovery_point`` is durable. What ``tail.owed`` asks for is synced
    first.

    ``generation`` changes whenever something is cut off the log's end: a sync that began before
    says nothing then. ``last_flush_ms`` is a time of ``StorageSettings.timer``. After the log is
    ``closed`` nothing more is synced.
    """

    __slots__ = (
        "_epochs",
        "_place",
        "_producers",
        "_segments",
        "_tail",
        "closed",
        "generation",
        "last_flush_ms",
        "recovery_point",
    )

    def __init__(
        self,
        place: PartitionDir,
        tail: Tail,
        segments: SegmentList,
        epochs: LeaderEpochs,
        producers: ProducerStates,
    ) -> None:
        self._place = place
        self._tail = tail
        self._segments = segments
        self._epochs = epochs
        self._producers = producers
        self.recovery_point = 0
        self.generation = 0
        self.last_flush_ms = place.home.settings.timer()
        self.closed = False

    @property
    def is_dirty(self) -> bool:
        """Whether there is something that was not synced yet."""
        return self.recovery_point < self._tail.end

    def up_to(self, offset: int) -> int:
        """``offset``, or up to where the log is durable if it owes more to ``flush.messages``."""
        return offset if self._tail.owed < 0 else min(offset, self.recovery_point)

    def cut(self, offset: int) -> None:
        """The log ends at ``offset`` now, and goes on from there."""
        self.recovery_point = min(self.recovery_point, offset)
        self.generation += 1

    # -- what to sync ------------------------------------------------------------------------------

    def flush(self) -> None:
        """Make everything durable; the recovery point is the log's end afterwards.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        self._run(self.flush_job())

    def _run(self, job: FlushJob | None) -> None:
        if job is not None:
            job.run()
            job.done()
            if job.error is not None:
                raise self._place.home.refusal(job.error)

    def flush_job(self, offset: int | None = None) -> FlushJob | None:
        """What makes everything below ``offset`` (default: the end) durable; None if it is, or
        if the log is not open. Raises KafkaError KAFKA_STORAGE_ERROR."""
        active = self._tail.active
        upto = self._tail.end if offset is None else offset
        if active is None or (upto <= self.recovery_point and not self._epochs.is_dirty):
            return None
        with self._place.disk_errors():
            active.check_intact()
            active.write_indexes()
            self._epochs.write()
        first, *others = self._segments.since(self.recovery_point)
        paths = [
            segment.path(kind)
            for segment in [first, *(s for s in others if s.base_offset < upto)]
            for kind in names.SEGMENT_SUFFIXES
        ]
        paths.append(f"{self._place.path}/{names.LEADER_EPOCH_CHECKPOINT}")
        return FlushJob(self, self._place, upto, paths)

    def flush_if_due(self) -> None:
        """Sync in the background once ``flush.messages`` are not durable. Raises KafkaError."""
        if self._tail.end - self.recovery_point >= self._place.config.flush_messages:
            self.flush_soon()

    def flush_soon(self) -> None:
        """Sync in the background. ``owed`` holds back the answers meanwhile; what comes until
        then is synced together. Raises KafkaError KAFKA_STORAGE_ERROR."""
        waiting = self._tail.owed >= 0
        self._tail.owed = self._tail.end
        if not waiting:
            self._flush_owed()
            self._place.home.check()  # without a background it was done, or failed, by now

    def _flush_owed(self) -> None:
        job = self.flush_job() if self.recovery_point < self._tail.owed else None
        if job is None:
            self._tail.owed = _NOTHING
        else:
            job.owed = True
            self._place.home.submit(job)

    def flush_rolled(self, closed: Segment, offset: int, snapshot: str | None) -> None:
        """Sync what is below ``offset`` in the background, and the files of the ``closed``
        segment: the last entry of its time index is younger than its records, which may be
        durable already. Raises KafkaError KAFKA_STORAGE_ERROR."""
        done = min(offset, self.recovery_point)
        job = self.flush_job(offset) or FlushJob(self, self._place, done, [])
        more = [closed.path(kind) for kind in names.SEGMENT_SUFFIXES]
        more += [] if snapshot is None else [snapshot]
        job.paths += [path for path in more if path not in job.paths]
        self._place.home.submit(job)

    # -- what was synced ---------------------------------------------------------------------------

    def flushed(self, job: FlushJob) -> None:
        """Everything below the job's offset is durable, unless the log was cut since."""
        if job.generation == self.generation:
            self.recovery_point = max(self.recovery_point, job.offset)
            self.last_flush_ms = self._place.home.settings.timer()
        if job.owed and not self.closed:
            self._flush_owed()
            if self._place.home.on_flushed is not None:
                self._place.home.on_flushed(*self._place.key)

    def sync_failed(self, error: OSError) -> None:
        """A sync failed: the directory is done for, even if the disk is only full."""
        if error.errno in FULL:
            error = OSError(errno.EIO, f"sync failed: {os.strerror(error.errno or 0)}")
        self._place.home.fail(error)

    # -- the end -----------------------------------------------------------------------------------

    def close_job(self) -> FlushJob | None:
        """Write what waits in memory, for a clean stop; the sync that must follow, if any.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        active = self._tail.active
        if active is None:
            return None
        with self._place.disk_errors():
            active.write_indexes(final=True)
            self._epochs.write()
            snapshot = self._producers.take_last_snapshot()
        job = self.flush_job()
        if job is not None and snapshot is not None:
            job.paths.append(snapshot)
        return job

    def close(self) -> None:
        """Make everything durable, for a clean stop. Raises KafkaError KAFKA_STORAGE_ERROR."""
        self._run(self.close_job())


@dataclass(slots=True, eq=False)
class FlushJob:
    """Sync ``paths`` and the directory; then the recovery point may be ``offset``. ``owed``: that
    is what :meth:`Durability.flush_soon` asked for."""

    durability: Durability
    place: PartitionDir
    offset: int
    paths: list[str]
    error: OSError | None = None
    owed: bool = False
    took_ms: float = 0.0
    generation: int = field(init=False)

    def __post_init__(self) -> None:
        self.generation = self.durability.generation

    def run(self) -> None:
        """Any thread: open, sync, close. A file that is gone meanwhile needs no sync."""
        files, directory = self.place.home.files, self.place.path
        timer = self.place.home.settings.timer
        began = timer()
        try:
            for path in self.paths:
                try:
                    file = files.open_private(path)
                except FileNotFoundError:
                    continue
                try:
                    file.sync()
                finally:
                    file.close()
            if files.exists(directory):
                files.sync_directory(directory)
            self.place.home.sync_names()
        except OSError as error:
            self.error = error
        self.took_ms = timer() - began

    def done(self) -> None:
        """The log's thread: move the recovery point, or take the directory offline.

        After a failed sync nobody knows what is on disk: it is never tried again.
        """
        if self.error is not None:
            self.durability.sync_failed(self.error)
            return
        if self.place.home.on_synced is not None:
            self.place.home.on_synced(self.took_ms)
        self.durability.flushed(self)
