"""What producers did in a log, and its snapshots on disk (``ProducerStateManager``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pykafka_ops.broker.storage.files import FULL, FileInfo
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.segment_list import SegmentList
from pykafka_ops.broker.storage.log.tail import Tail
from pykafka_ops.broker.storage.replay import rebuild
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.snapshots import Snapshots


class ProducerStates:
    """``snapshots`` are the files of the states that ``Tail.producers`` was in.

    Keeps ``Tail.first_unstable``. What works on files raises OSError.
    """

    __slots__ = ("_place", "_tail", "snapshots")

    def __init__(self, place: PartitionDir, tail: Tail) -> None:
        self._place = place
        self._tail = tail
        self.snapshots = Snapshots(place.home.files, place.path)

    def load(
        self,
        found: Iterable[FileInfo],
        segments: SegmentList,
        span: tuple[int, int],
        *,
        stopped: bool,
    ) -> None:
        """Bring the producers to the log's end, with the snapshots among the files ``found``.
        ``span`` are start and end of the log, which may have been ``stopped`` cleanly."""
        place = self._place
        self.snapshots = Snapshots.among(place.home.files, place.path, found)
        self.snapshots.remove_stray(segments.bases)
        if stopped and not self.snapshots.offsets:  # there never was a producer with an id
            self.clear(span[1])
        else:
            self._rebuild(segments, span)

    def _rebuild(self, segments: Iterable[Segment], span: tuple[int, int]) -> None:
        settings = self._place.home.settings
        start, end = span
        self.snapshots.keep_between(start, end)
        rebuild(
            *(self._tail.producers, self.snapshots, segments),
            start=start,
            end=end,
            settings=settings,
            now=settings.clock(),
        )
        self.settle()

    def settle(self) -> None:
        """Producers wrote, or transactions ended."""
        self._tail.first_unstable = self._tail.producers.first_unstable_offset

    def cut(self, segments: Iterable[Segment], span: tuple[int, int]) -> None:
        """The log, which now has the ``span``, lost what was behind it."""
        producers, snapshots = self._tail.producers, self.snapshots
        if producers.is_empty and producers.first_undecided_offset < 0:
            snapshots.keep_between(*span)
            snapshots.last_offset = max(snapshots.offsets, default=span[0])
            producers.end_offset = span[1]
        else:
            self._rebuild(segments, span)

    def raise_start(self, offset: int) -> None:
        """The log starts at ``offset``."""
        self._tail.producers.on_log_start(offset)
        self.snapshots.last_offset = max(self.snapshots.offsets, default=0)

    def clear(self, offset: int) -> None:
        """There was never a producer in a log that begins, empty, at ``offset``."""
        self._tail.producers.clear(offset)
        self._tail.first_unstable = -1

    def take_snapshot(self) -> str | None:
        """Write the state at ``Producers.end_offset``; the path of the file, if there is a new
        one. A full disk only makes the next start slower."""
        try:
            return self.snapshots.take(self._tail.producers)
        except OSError as error:
            if error.errno not in FULL:
                raise
            return None

    def take_last_snapshot(self) -> str | None:
        """The same for a clean stop: a log that never had a producer with an id needs none."""
        if self.snapshots.offsets or not self._tail.producers.is_empty:
            return self.snapshots.take(self._tail.producers)
        return None

    def forget_snapshots(self, bases: Collection[int]) -> list[str]:
        """Those at these offsets belong to no segment any more: their paths."""
        known = self.snapshots.offsets
        gone = [self.snapshots.path(offset) for offset in known if offset in bases]
        known[:] = [offset for offset in known if offset not in bases]
        return gone
