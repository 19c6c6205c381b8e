"""The compacted log from its owner's side: what may be cleaned, and putting cleaned segments in
place (``UnifiedLog.replaceSegments``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pykafka_ops.broker.state import compaction
from pykafka_ops.broker.state.compaction import Cleanable, Extent
from pykafka_ops.broker.state.configs.topic import MAX_LONG
from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, Job, Source
from pykafka_ops.broker.storage.log_dir import LogDir
from pykafka_ops.broker.storage.log_truncate import LogTruncate
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import names


class LogCompact(LogTruncate):
    """The part of a log that the cleaner talks to."""

    __slots__ = ()

    @property
    def cleaned_to(self) -> int | None:
        """Where the part begins that was not cleaned yet; None if it never was."""
        return self.dir.cleaner_offsets.get((self.topic, self.partition))

    @cleaned_to.setter
    def cleaned_to(self, offset: int) -> None:
        self.dir.cleaner_offsets[self.topic, self.partition] = offset

    def truncate_to(self, offset: int) -> bool:
        self._forget_cleaned(offset)
        return super().truncate_to(offset)

    def truncate_fully(self, start_offset: int, log_start: int | None = None) -> None:
        self._forget_cleaned(start_offset)
        super().truncate_fully(start_offset, log_start)

    def _forget_cleaned(self, offset: int) -> None:
        """What will come again from ``offset`` on is dirty."""
        if self.cleaned_to is not None and self.cleaned_to > offset >= 0:
            self.cleaned_to = offset

    def cleanable(self, now: int) -> Cleanable:
        """How dirty the log is; remembers the start of the dirty part if it had to be corrected.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        self.open()
        config, segments = self.config, self._segments
        dirty = compaction.first_dirty(self.cleaned_to, self._start, self._end)
        if dirty[1]:
            self.cleaned_to = dirty[0]
        try:
            found = compaction.bounds(
                self._bases,
                dirty,
                last_stable=self.last_stable_offset,
                lag_ms=config.min_compaction_lag_ms,
                now=now,
                largest_timestamp=lambda n: segments[n].largest_timestamp,
            )
            late = False
            if config.max_compaction_lag_ms < MAX_LONG:
                waiting = compaction.before_active(self._bases, found.first_dirty)
                late = compaction.overdue(
                    [segments[n].first_timestamp for n in waiting],
                    max_lag_ms=config.max_compaction_lag_ms,
                    now=now,
                )
        except OSError as error:
            raise self.dir.fail(error) from error
        extents = [Extent(s.base_offset, s.size) for s in segments]
        return compaction.measure(extents, found, is_overdue=late)

    def cleaning_job(self, found: Cleanable, now: int, **limits: Any) -> Job:
        """What the cleaner's process must know; ``limits`` are those of ``Job`` with defaults.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        config = self.config
        below = [s for s in self._segments[:-1] if s.base_offset < found.first_uncleanable]
        try:
            holder = self._segments[max(self._segment_of(found.first_dirty), 0)]
            position = holder.offset_index.lookup(found.first_dirty)[1]
        except OSError as error:
            raise self.dir.fail(error) from error
        return Job(
            directory=self.directory,
            segments=[Source(s.base_offset, s.size, s.modified_ms) for s in below],
            later=self._bases[len(below) :],
            first_dirty=found.first_dirty,
            first_uncleanable=found.first_uncleanable,
            position=position,
            producers=[
                (entry.producer_id, entry.last_offset, entry.producer_epoch)
                for entry in self._producers.entries()
            ],
            now=now,
            delete_retention_ms=config.delete_retention_ms,
            segment_bytes=config.segment_bytes,
            segment_index_bytes=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            **limits,
        )

    def segments_from(self, bases: Sequence[int]) -> list[Segment] | None:
        """The neighbouring segments of these base offsets, none of them the active; None if they
        are not here as such any more."""
        if self._active is None:
            return None
        first = self._segment_of(bases[0])
        found = self._segments[max(first, 0) : first + len(bases)]
        if [s.base_offset for s in found] != list(bases) or found[-1] is self._active:
            return None
        return found

    def put_in_place(self, old: list[Segment], cleaned: CleanedSegment) -> Swap:
        """Read from a ``.cleaned`` segment instead of ``old`` from now on. The caller closes
        those, a few at a time, and runs the answer's steps.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        times = {"created_ms": cleaned.modified_ms, "modified_ms": cleaned.modified_ms}
        base, files = cleaned.base_offset, self.dir.files
        segment = Segment(files, self.directory, base, self.config, size=cleaned.size, **times)
        segment.suffix = names.CLEANED_SUFFIX
        try:
            segment.rename(names.SWAP_SUFFIX)
        except OSError as error:
            raise self.dir.fail(error) from error
        first = self._segments.index(old[0])
        self._segments[first : first + len(old)] = [segment]
        self._bases[first : first + len(old)] = [base]
        obsolete = {gone.base_offset for gone in old} - {base}
        known = self._snapshots.offsets
        snapshots = [self._snapshots.path(offset) for offset in known if offset in obsolete]
        known[:] = [offset for offset in known if offset not in obsolete]
        return Swap(self, segment, old, snapshots)

    def finish_swap(self, swap: Swap) -> None:
        """The replaced segments are out of the way: the new one gets their name."""
        if swap.error is not None:
            if not self._closed:
                self.dir.fail(swap.error)
            return
        for gone in swap.old:
            gone.suffix = names.DELETED_SUFFIX
        if self._closed or swap.segment not in self._segments:
            return
        try:
            swap.segment.rename("")
        except OSError as error:
            self.dir.fail(error)


class Swap:
    """A cleaned segment on its way: :meth:`run` in any thread, :meth:`done` in the log's, then
    :meth:`settle` in any thread makes it durable, and the replaced files may go (:meth:`removal`)
    after ``file.delete.delay.ms``. A crash between any two steps is put right by recovery."""

    def __init__(
        self, log: LogCompact, segment: Segment, old: list[Segment], snapshots: list[str]
    ) -> None:
        self._log = log
        self._files = log.dir.files
        self.directory = log.directory
        self._snapshots = snapshots
        self.segment = segment
        self.old = old
        self.error: OSError | None = None

    def run(self) -> None:
        """Mark the replaced files as deleted; producer snapshots of segments that are no more go
        at once."""
        try:
            for path in self._snapshots:
                self._files.remove(path)
            for base, kind in self._parts():
                path = f"{self.directory}/{names.segment_file(base, kind)}"
                if kind == names.LOG_SUFFIX or self._files.exists(path):
                    self._files.rename(path, path + names.DELETED_SUFFIX)
        except OSError as error:
            self.error = error

    def _parts(self) -> list[tuple[int, str]]:
        return [(s.base_offset, kind) for s in self.old for kind in names.SEGMENT_SUFFIXES]

    def done(self) -> None:
        """The log's thread."""
        self._log.finish_swap(self)

    def settle(self) -> None:
        """Make the renames durable; raises OSError."""
        self._files.sync_directory(self.directory)

    def removal(self) -> Removal:
        """The job that removes the replaced files."""
        return Removal(
            self._log.dir,
            [
                f"{self.directory}/{names.segment_file(base, kind)}{names.DELETED_SUFFIX}"
                for base, kind in self._parts()
            ],
        )


class Removal:
    """Removes files; those already gone are no error."""

    def __init__(self, log_dir: LogDir, paths: Sequence[str]) -> None:
        self._log_dir = log_dir
        self._paths = paths
        self._error: OSError | None = None

    def run(self) -> None:
        """Any thread."""
        try:
            for path in self._paths:
                self._log_dir.files.remove(path)
        except OSError as error:
            self._error = error

    def done(self) -> None:
        """A disk that cannot remove is a failed disk."""
        if self._error is not None:
            self._log_dir.fail(self._error)
