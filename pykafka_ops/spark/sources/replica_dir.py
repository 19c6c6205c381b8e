"""What names and sizes alone tell of a directory of a partition and its segments. Pure."""

from __future__ import annotations

from typing import NamedTuple


class SegmentFile(NamedTuple):
    """A ``.log`` file: its first offset, size in bytes, when it was last written (ms), and the
    sizes of the files beside it (offset, time, transaction index; -1 where there is none). A
    ``tiered`` one is in remote storage; its name may be a path or URI of its own."""

    base_offset: int
    name: str
    size: int
    modified: int
    index_size: int = -1
    time_index_size: int = -1
    txn_index_size: int = -1
    tiered: bool = False


class ReplicaDir(NamedTuple):
    """A partition's directory. ``topic`` and ``partition`` are None where the name has neither.

    ``root`` opens the filesystem again (:meth:`Location.of`), ``path`` is the directory in it;
    ``log_dir`` is the directory above, as the user named it. ``whole`` says that the last segment
    is the one a broker writes to. ``snapshots`` are the offsets of producer snapshots,
    ``start_offset`` is from where on records were not deleted, as far as the broker noted it.
    ``tiered``: it is a directory of remote storage (KIP-405), whatever broker wrote it.
    ``dangling`` are names of segments that are links to nothing, "" if the directory itself is.
    """

    topic: str | None
    partition: int | None
    root: str
    path: str
    log_dir: str
    broker: int | None
    segments: tuple[SegmentFile, ...]
    snapshots: tuple[int, ...] = ()
    whole: bool = True
    start_offset: int = 0
    dangling: tuple[str, ...] = ()
    tiered: bool = False

    @property
    def ends(self) -> bool:
        """Whether its end is known: no broken link is where the end would be."""
        last = self.segments[-1].name if self.segments else ""
        return not self.dangling or (bool(last) and max(self.dangling) < last)

    @property
    def first_offset(self) -> int:
        """The first offset that is there."""
        return max(self.start_offset, self.segments[0].base_offset if self.segments else 0)

    @property
    def key(self) -> tuple[str, int]:
        """What the same partition has elsewhere; the path stands in for a name that is none."""
        if self.topic is None or self.partition is None:
            return self.path, 0
        return self.topic, self.partition
