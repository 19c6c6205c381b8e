"""The leader epochs of a log and their file, ``leader-epoch-checkpoint`` (KIP-101).

Epochs of unflushed batches are in the batches, and without batches they have no use: so the file
is written with a flush and at the end, not at each change.
"""

from __future__ import annotations

from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.segment_list import SegmentList
from pykafka_ops.broker.storage.log.tail import Tail
from pykafka_ops.broker.storage.partition_files import epochs_in, read_epochs, write_epochs


class LeaderEpochs:
    """``cache`` holds the epochs, to be read; ``is_dirty`` says that the file lacks some.

    Keeps ``Tail.latest_epoch``. What works on files raises OSError.
    """

    __slots__ = ("_place", "_tail", "cache", "is_dirty")

    def __init__(self, place: PartitionDir, tail: Tail) -> None:
        self._place = place
        self._tail = tail
        self.cache = EpochCache()
        self.is_dirty = False

    def load(
        self, segments: SegmentList, recovery_point: int, span: tuple[int, int], *, stopped: bool
    ) -> None:
        """Read them: from the file, and unless the log was ``stopped`` cleanly also from the
        batches at and after ``recovery_point``. ``span`` are start and end of the log."""
        epochs = read_epochs(self._place.home.files, self._place.path)
        stored = -1 if epochs is None else epochs.latest
        if epochs is None:
            epochs = epochs_in(segments)
        elif not stopped:
            epochs = epochs_in(segments.since(recovery_point), epochs)
        self.cache = epochs
        self.is_dirty = epochs.latest != stored
        self._changed(epochs.truncate_from_end(span[1]))
        self._changed(epochs.truncate_from_start(span[0]))

    def _changed(self, changed: bool) -> bool:
        self.is_dirty |= changed
        self._tail.latest_epoch = self.cache.latest
        return changed

    def assign(self, epoch: int, start_offset: int) -> None:
        """A leader epoch begins."""
        if self.cache.assign(epoch, start_offset):
            self._changed(True)

    def cut(self, end_offset: int) -> bool:
        """The log ends at ``end_offset``: whether epochs went that begin there."""
        return self._changed(self.cache.truncate_from_end(end_offset))

    def raise_start(self, start_offset: int) -> None:
        """The log starts at ``start_offset``."""
        self._changed(self.cache.truncate_from_start(start_offset))

    def clear(self) -> None:
        """There are none any more."""
        self._changed(self.cache.clear())

    def write(self) -> None:
        """Replace the file if it lacks something; it is not synced."""
        if self.is_dirty:
            write_epochs(self._place.home.files, self._place.path, self.cache, sync=False)
            self.is_dirty = False
