"""The compacted log from its owner's side: what may be cleaned, and putting cleaned segments in
place (``UnifiedLog.replaceSegments``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.state import compaction
from pykafka_ops.broker.state.compaction import Cleanable, Extent
from pykafka_ops.broker.state.configs.topic import MAX_LONG
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log_home import FilesJob
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import names

if TYPE_CHECKING:  # nothing to compact, nothing to tell
    from pykafka_ops.broker.storage.cleaner.job import CleanedSegment, CompactionJob


class CompactedLog:
    """A log that is open, as the cleaner sees it."""

    __slots__ = ("_parts",)

    def __init__(self, parts: LogParts) -> None:
        self._parts = parts

    @property
    def cleaned_to(self) -> int | None:
        """Where the part begins that was not cleaned yet; None if the log never was."""
        return self._parts.place.cleaned_to

    @cleaned_to.setter
    def cleaned_to(self, offset: int) -> None:
        self._parts.place.cleaned_to = offset

    def cleanable(self, now: int) -> Cleanable:
        """How dirty the log is; remembers the start of the dirty part if it had to be corrected.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        place, tail, segments = self._parts.place, self._parts.tail, self._parts.segments
        config = place.config
        dirty = compaction.first_dirty(place.cleaned_to, tail.start, tail.end)
        if dirty[1]:
            place.cleaned_to = dirty[0]
        late = False
        with place.disk_errors():
            found = compaction.bounds(
                segments.bases,
                dirty,
                last_stable=tail.last_stable,
                lag_ms=config.min_compaction_lag_ms,
                now=now,
                largest_timestamp=lambda n: segments[n].largest_timestamp,
            )
            if config.max_compaction_lag_ms < MAX_LONG:
                waiting = compaction.before_active(segments.bases, found.first_dirty)
                late = compaction.overdue(
                    [segments[n].first_timestamp for n in waiting],
                    max_lag_ms=config.max_compaction_lag_ms,
                    now=now,
                )
        extents = [Extent(s.base_offset, s.size) for s in segments]
        return compaction.measure(extents, found, is_overdue=late)

    def job(self, found: Cleanable, now: int, **limits: Any) -> CompactionJob:
        """What the cleaner's process needs; ``limits``: fields of ``CompactionJob`` with defaults.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        from pykafka_ops.broker.storage.cleaner.job import CompactionJob, SegmentSource

        place, segments = self._parts.place, self._parts.segments
        config = place.config
        closed = list(segments)[:-1]
        below = [s for s in closed if s.base_offset < found.first_uncleanable]
        with place.disk_errors():
            holder = segments.since(found.first_dirty)[0]
            position = holder.offset_index.lookup(found.first_dirty)[1]
        return CompactionJob(
            directory=place.path,
            segments=[SegmentSource(s.base_offset, s.size, s.modified_ms) for s in below],
            later=segments.bases[len(below) :],
            first_dirty=found.first_dirty,
            first_uncleanable=found.first_uncleanable,
            position=position,
            producers=[
                (entry.producer_id, entry.last_offset, entry.producer_epoch)
                for entry in self._parts.tail.producers.entries()
            ],
            now=now,
            delete_retention_ms=config.delete_retention_ms,
            segment_bytes=config.segment_bytes,
            segment_index_bytes=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            **limits,
        )

    def put_in_place(self, cleaned: CleanedSegment) -> Swap | None:
        """Read from a ``.cleaned`` segment from now on, instead of those it replaces; None if they
        are not here as such any more. The caller closes those, a few at a time, and runs the
        answer's steps.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        place, segments = self._parts.place, self._parts.segments
        old = segments.neighbours(cleaned.replaces) if self._parts.is_open else None
        if old is None:
            return None
        times = {"created_ms": cleaned.modified_ms, "modified_ms": cleaned.modified_ms}
        base, files = cleaned.base_offset, place.home.files
        segment = Segment(files, place.path, base, place.config, size=cleaned.size, **times)
        segment.suffix = names.CLEANED_SUFFIX
        with place.disk_errors():
            segment.rename(names.SWAP_SUFFIX)
        segments.replace(old, segment)
        obsolete = {gone.base_offset for gone in old} - {base}
        return Swap(self, place, segment, old, self._parts.producers.forget_snapshots(obsolete))

    def finish(self, swap: Swap) -> None:
        """The replaced segments are out of the way: the new one gets their name."""
        home, closed = self._parts.place.home, self._parts.durability.closed
        if swap.error is not None:
            if not closed:
                home.fail(swap.error)
            return
        for gone in swap.old:
            gone.suffix = names.DELETED_SUFFIX
        if closed or swap.segment not in self._parts.segments:
            return
        try:
            swap.segment.rename("")
        except OSError as error:
            home.fail(error)


@dataclass(slots=True, eq=False)
class Swap:
    """A cleaned segment on its way: :meth:`run` in any thread, :meth:`done` in the log's, then
    :meth:`settle` in any thread makes it durable, and the replaced files may go (:meth:`removal`)
    after ``file.delete.delay.ms``. A crash between any two steps is put right by recovery."""

    log: CompactedLog
    place: PartitionDir
    segment: Segment
    old: list[Segment]
    snapshots: list[str]
    error: OSError | None = None

    def run(self) -> None:
        """Mark the replaced files as deleted; producer snapshots of segments that are no more go
        at once."""
        files = self.place.home.files
        try:
            for path in self.snapshots:
                files.remove(path)
            for path in self._replaced():
                if path.endswith(names.LOG_SUFFIX) or files.exists(path):
                    files.rename(path, path + names.DELETED_SUFFIX)
        except OSError as error:
            self.error = error

    def _replaced(self) -> list[str]:
        return [
            f"{self.place.path}/{names.segment_file(s.base_offset, kind)}"
            for s in self.old
            for kind in names.SEGMENT_SUFFIXES
        ]

    def done(self) -> None:
        """The log's thread."""
        self.log.finish(self)

    def settle(self) -> None:
        """Make the renames durable; raises OSError."""
        self.place.home.files.sync_directory(self.place.path)

    def removal(self) -> FilesJob:
        """The job that removes the replaced files; those already gone are no error."""
        home = self.place.home

        def remove() -> None:
            for path in self._replaced():
                home.files.remove(path + names.DELETED_SUFFIX)

        return FilesJob(home, remove)
