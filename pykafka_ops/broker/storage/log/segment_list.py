"""The segments of a log (``LogSegments``)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.snapshots import Snapshots
from pykafka_ops.disk import names


class SegmentList:
    """Segments, oldest first; ``bases`` are their base offsets. Empty while the log is not open.

    What works on files raises OSError.
    """

    __slots__ = ("_place", "_segments", "bases")

    def __init__(self, place: PartitionDir) -> None:
        self._place = place
        self._segments: list[Segment] = []
        self.bases: list[int] = []

    def __len__(self) -> int:
        return len(self._segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __getitem__(self, n: int) -> Segment:
        return self._segments[n]

    @property
    def active(self) -> Segment:
        """The last one, which is appended to."""
        return self._segments[-1]

    @property
    def size(self) -> int:
        """Bytes of all logs."""
        return sum(s.size for s in self._segments)

    def index_of(self, offset: int) -> int:
        """Number of the segment whose base offset is the last at or below ``offset``; -1 if all
        lie above."""
        return bisect_right(self.bases, offset) - 1

    def since(self, offset: int) -> list[Segment]:
        """The segment that holds ``offset`` and those after it; all, if all lie above."""
        first = bisect_right(self.bases, offset) - 1
        return self._segments[first if first > 0 else 0 :]

    def neighbours(self, bases: Sequence[int]) -> list[Segment] | None:
        """The segments of these base offsets, one after the other and none of them the active;
        None if they are not here as such."""
        first = max(self.index_of(bases[0]), 0)
        found = self._segments[first : first + len(bases)]
        if [s.base_offset for s in found] != list(bases) or found[-1] is self.active:
            return None
        return found

    # -- coming ------------------------------------------------------------------------------------

    def fill(self, segments: Sequence[Segment]) -> None:
        """These are all there are."""
        self._segments = list(segments)
        self.bases = [s.base_offset for s in segments]

    def configure(self, config: TopicConfig) -> None:
        """Use these topic settings from now on."""
        for segment in self._segments:
            segment.configure(config)

    def create(self, base_offset: int, now: int) -> Segment:
        """The files of a new, empty segment, which is not in the list yet."""
        place = self._place
        return Segment.create(place.home.files, place.path, base_offset, place.config, now)

    def roll(self, base_offset: int, now: int) -> Segment:
        """Close the active segment and begin a new one; on an error the old one stays in use."""
        closed = self.active
        closed.write_indexes(final=True)
        segment = self.create(base_offset, now)
        closed.modified_ms = now
        self._segments.append(segment)
        self.bases.append(base_offset)
        return segment

    def replace(self, old: Sequence[Segment], new: Segment) -> None:
        """``new`` has what is left of ``old``, which stand one after the other."""
        first = self._segments.index(old[0])
        self._segments[first : first + len(old)] = [new]
        self.bases[first : first + len(old)] = [new.base_offset]

    # -- going -------------------------------------------------------------------------------------

    def take_first(self, count: int) -> list[Segment]:
        """Take the ``count`` oldest out."""
        taken = self._segments[:count]
        del self._segments[:count], self.bases[:count]
        return taken

    def take_after(self, offset: int) -> list[Segment]:
        """Take those out that begin above ``offset``."""
        keep = self.index_of(offset) + 1
        taken = self._segments[keep:]
        del self._segments[keep:], self.bases[keep:]
        return taken

    def remove_later(self, segments: Sequence[Segment], snapshots: Snapshots) -> None:
        """Mark the files ``.deleted`` now, and remove the producer snapshots that go with them;
        remove the files after ``file.delete.delay.ms``."""
        for segment in segments:
            segment.rename(names.DELETED_SUFFIX)
            snapshots.remove(segment.base_offset)
        if segments:
            delay = self._place.config.file_delete_delay_ms
            self._place.home.schedule(delay, lambda: self._remove(segments))

    def _remove(self, segments: Sequence[Segment]) -> None:
        try:
            for segment in segments:
                segment.remove()
        except OSError as error:
            self._place.home.fail(error)

    def close(self) -> None:
        """Give descriptors back; nothing is written."""
        for segment in self._segments:
            segment.close()
