"""``*.snapshot`` files of one partition: producer state at an offset, so that opening a log
replays little of it (``ProducerStateManager``'s files)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable

from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.storage.files import FileInfo, Files
from pykafka_ops.disk import names
from pykafka_ops.disk.snapshot import read_snapshot, write_snapshot
from pykafka_ops.errors import CorruptIndexError


class Snapshots:
    """The snapshot files there are, by offset. ``last_offset`` is that of the newest state that
    was written or loaded."""

    __slots__ = ("directory", "files", "last_offset", "offsets")

    def __init__(self, files: Files, directory: str, offsets: Iterable[int] = ()) -> None:
        self.files = files
        self.directory = directory
        self.offsets = sorted(offsets)
        self.last_offset = 0

    @classmethod
    def among(cls, files: Files, directory: str, found: Iterable[FileInfo]) -> Snapshots:
        """Those in a listing of the directory."""
        mine = (f.name for f in found if f.name.endswith(names.SNAPSHOT_SUFFIX))
        parsed = [names.parse_segment_file(name) for name in mine]
        return cls(files, directory, (p.offset for p in parsed if p))

    def path(self, offset: int) -> str:
        """File name of the snapshot at ``offset``."""
        return f"{self.directory}/{names.segment_file(offset, names.SNAPSHOT_SUFFIX)}"

    def take(self, producers: Producers) -> str | None:
        """Write the state, unless it is as old as the last; the new file's path."""
        offset = producers.end_offset
        if offset <= self.last_offset:
            return None
        path, data = self.path(offset), write_snapshot(producers.entries())
        self.last_offset = offset
        if offset in self.offsets and self.files.read(path) == data:
            return path
        try:
            self.files.write(path, data)
        except OSError:
            self.files.remove(path)
            raise
        if offset not in self.offsets:
            insort(self.offsets, offset)
        return path

    def remove(self, offset: int) -> None:
        """Remove one; no error if it is not there."""
        if offset in self.offsets:
            self.offsets.remove(offset)
            self.files.remove(self.path(offset))

    def clear(self) -> None:
        """Remove all."""
        for offset in list(self.offsets):
            self.remove(offset)
        self.last_offset = 0

    def keep_between(self, start: int, end: int) -> None:
        """Remove those outside ``(start, end]``, but not the one at ``end``: where all records
        were deleted, it alone knows of a transaction that was begun."""
        for offset in [o for o in self.offsets if not start < o <= end and o != end]:
            self.remove(offset)

    def remove_stray(self, segments: Collection[int]) -> None:
        """Remove those that belong to no segment, but the newest of them if it lies above all
        segments: the one of a clean stop."""
        stray = [o for o in self.offsets if o not in segments]
        if stray and stray[-1] >= max(segments, default=0):
            stray.pop()
        for offset in stray:
            self.remove(offset)

    def load(
        self, producers: Producers, start: int, end: int, *, now: int, expiration_ms: int
    ) -> None:
        """Bring ``producers`` to the newest sound snapshot in ``(start, end]``, or at ``end``,
        else to ``start``; damaged ones are removed. ``producers.end_offset`` tells where."""
        for offset in [o for o in reversed(self.offsets) if start < o <= end or o == end]:
            try:
                entries = read_snapshot(self.files.read(self.path(offset)))
            except CorruptIndexError:
                self.remove(offset)
                continue
            producers.load(entries, offset, now, expiration_ms)
            self.last_offset = offset
            return
        producers.clear(start)
        self.last_offset = start
