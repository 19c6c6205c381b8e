"""Places in a partition's log by offset and by time, with few small reads.

Indexes are only hints: what they say is held against the segment, and without them the segment is
read from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from pykafka_ops.disk.batch import CONTROL_FLAG, HEADER_SIZE, LOG_OVERHEAD, TRANSACTIONAL_FLAG
from pykafka_ops.disk.names import INDEX_SUFFIX, SNAPSHOT_SUFFIX, TIME_INDEX_SUFFIX, segment_file
from pykafka_ops.disk.resync import plausible
from pykafka_ops.disk.snapshot import read_snapshot
from pykafka_ops.errors import CorruptError
from pykafka_ops.objects import uris
from pykafka_ops.spark.decode.frames import length_and_magic
from pykafka_ops.spark.sources.files import Location, RandomFile, ReplicaDir, SegmentFile
from pykafka_ops.spark.sources.log.pick import first_record
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, ByteRange, Piece, scan

Ints = npt.NDArray[np.int64]
_MOST_INDEX = 64 << 20
_MOST_SNAPSHOT = 64 << 20
_OFFSET_ENTRY = np.dtype([("offset", ">i4"), ("position", ">i4")])
_TIME_ENTRY = np.dtype([("timestamp", ">i8"), ("offset", ">i4")])


class Seeker:
    """Looks up places in one replica."""

    def __init__(self, place: Location, replica: ReplicaDir) -> None:
        self.place, self.replica = place, replica
        self._indexes: dict[int, tuple[Ints, Ints]] = {}
        self._time_indexes: dict[int, tuple[Ints, Ints]] = {}

    def open(self, name: str) -> RandomFile:
        """A segment's file, also where it is being deleted; OSError where it is gone."""
        if name.startswith("/") or uris.is_uri(name):
            place = Location.of(name)
            return place.open(place.path)
        path = f"{self.replica.path}/{name}"
        try:
            return self.place.open(path)
        except FileNotFoundError:  # a broker renames it before it deletes it
            return self.place.open(path + ".deleted")

    def active(self, segment: SegmentFile) -> bool:
        """Whether it is the one that a broker writes to."""
        return self.replica.whole and segment == self.replica.segments[-1]

    def index(self, segment: SegmentFile) -> tuple[Ints, Ints]:
        """(offsets, positions) of the offset index as far as both rise and lie in the segment."""
        known = self._indexes.get(segment.base_offset)
        if known is None:
            known = self._indexes[segment.base_offset] = self._read_index(segment)
        return known

    def _read_index(self, segment: SegmentFile) -> tuple[Ints, Ints]:
        rows = self._entries(segment, segment.index_size, INDEX_SUFFIX, _OFFSET_ENTRY)
        offsets, positions = rows["offset"].astype(np.int64), rows["position"].astype(np.int64)
        count = _rising(offsets, positions)
        positions = positions[:count]
        count = int(np.searchsorted(positions, segment.size))
        return offsets[:count] + segment.base_offset, positions[:count]

    def _entries(
        self, segment: SegmentFile, size: int, suffix: str, entry: np.dtype[np.void]
    ) -> npt.NDArray[np.void]:
        """The entries of an index that should have ``size`` bytes; none where it has none."""
        if size <= 0:
            return np.empty(0, entry)
        name = segment_file(segment.base_offset, suffix)
        data = self.place.read(f"{self.replica.path}/{name}", _MOST_INDEX) or b""
        return np.frombuffer(data, entry, len(data) // entry.itemsize)

    def before(self, segment: SegmentFile, offset: int) -> int:
        """A position where a batch begins, before which all is below ``offset``."""
        offsets, positions = self.index(segment)
        slot = int(np.searchsorted(offsets, offset, side="right")) - 1
        while slot >= 0:
            if self.border(segment, slot):
                return int(positions[slot])
            slot -= 1 + slot // 2
        return 0

    def behind(self, segment: SegmentFile, offset: int) -> int:
        """A position where a batch begins, from which on all is at or above ``offset``; the
        segment's size if the index has none."""
        offsets, positions = self.index(segment)
        slot = int(np.searchsorted(offsets, offset)) + 1
        if slot < len(positions) and self.border(segment, slot):
            return int(positions[slot])
        return segment.size

    def border(self, segment: SegmentFile, slot: int) -> bool:
        """Whether a batch begins where entry ``slot`` of the index says so."""
        return self.borders(segment, [slot])

    def borders(self, segment: SegmentFile, slots: Sequence[int]) -> bool:
        """Whether batches begin where all these entries of the index say so."""
        if not slots:
            return True
        try:
            file = self.open(segment.name)
        except OSError:
            return False
        try:
            return all(self._begins(file, segment, slot) for slot in slots)
        except OSError:
            return False
        finally:
            file.close()

    def _begins(self, file: RandomFile, segment: SegmentFile, slot: int) -> bool:
        offsets, positions = self.index(segment)
        position = int(positions[slot])
        lowest = int(offsets[slot - 1]) + 1 if slot else segment.base_offset
        highest = int(offsets[slot])
        head = file.read_at(HEADER_SIZE, position)
        left = segment.size - position
        if len(head) == HEADER_SIZE and plausible(head, 0, left, (lowest, highest)):
            return True
        return _old_message(head, left, lowest, highest)

    def end_offset(self) -> int:
        """The offset behind the last whole batch; the replica's first where it is empty."""
        if not self.replica.segments:
            return self.replica.start_offset
        for segment in reversed(self.replica.segments):
            last = self._last_offset(segment)
            if last is not None:
                return last + 1
            if not self.active(segment):
                break
        return self.replica.segments[-1].base_offset

    def _last_offset(self, segment: SegmentFile) -> int | None:
        start = self.before(segment, 2**63 - 1)
        last = None
        for piece in self.pieces(segment, start, segment.size):
            if not isinstance(piece, Bad):
                last = piece.last_offset
        return last

    def pieces(
        self, segment: SegmentFile, start: int, end: int, *, whole: bool = False
    ) -> Iterator[Piece]:
        """What the segment has between two positions; nothing where it is gone."""
        part = ByteRange(start, end, segment.base_offset, self.active(segment))
        try:
            file = self.open(segment.name)
        except FileNotFoundError:
            return
        try:
            yield from scan(file, part, whole=whole, sparse=self.place.local)
        finally:
            file.close()

    def newest(self, segment: SegmentFile) -> int | None:
        """The greatest timestamp (ms) in a segment that is no longer written to, by its index."""
        if self.active(segment):
            return None
        times, _ = self.time_index(segment)
        return int(times[-1]) if len(times) else None

    def time_index(self, segment: SegmentFile) -> tuple[Ints, Ints]:
        """(times in ms, offsets) of the time index; empty where it cannot be trusted."""
        known = self._time_indexes.get(segment.base_offset)
        if known is None:
            known = self._time_indexes[segment.base_offset] = self._read_time_index(segment)
        return known

    def _read_time_index(self, segment: SegmentFile) -> tuple[Ints, Ints]:
        rows = self._entries(segment, segment.time_index_size, TIME_INDEX_SUFFIX, _TIME_ENTRY)
        times, offsets = rows["timestamp"].astype(np.int64), rows["offset"].astype(np.int64)
        count = _rising(times)
        if times[count:].any():  # out of order: not to be trusted
            count = 0
        return times[:count], offsets[:count] + segment.base_offset

    def first_at(self, moment: int) -> tuple[int, int] | None:
        """Offset and timestamp (ms) of the first record whose timestamp is ``moment`` (ms) or
        later, as ListOffsets finds it; None where there is none."""
        for segment in self.replica.segments:
            newest = self.newest(segment)
            if newest is not None and newest < moment:
                continue
            times, offsets = self.time_index(segment)
            slot = int(np.searchsorted(times, moment)) - 1
            start = self.before(segment, int(offsets[slot])) if slot >= 0 else 0
            found = self._first_in(segment, start, moment)
            if found is not None:
                return found
        return None

    def _first_in(self, segment: SegmentFile, start: int, moment: int) -> tuple[int, int] | None:
        for piece in self.pieces(segment, start, segment.size):
            for one in self._late(segment, piece, moment):
                found = first_record(one, since=moment)
                if found is not None:
                    return found
        return None

    def _late(self, segment: SegmentFile, piece: Piece, moment: int) -> Iterator[Piece]:
        """What of a piece may be as new as ``moment``: batches one by one, with their bytes."""
        if not isinstance(piece, BatchRun):
            yield piece
            return
        for n in np.flatnonzero(piece.heads["max_timestamp"] >= moment).tolist():
            at = int(piece.positions[n])
            size = int(piece.heads["length"][n]) + LOG_OVERHEAD
            yield from islice(self.pieces(segment, at, at + size, whole=True), 1)

    def stable_end(self) -> int:
        """The last stable offset: that of the first record of the oldest open transaction, else
        the end of the log."""
        known: dict[int, int] = {}
        start = 0
        for offset in reversed(self.replica.snapshots):
            data = self._snapshot(offset)
            if data is not None:
                known, start = data, offset
                break
        end = self.replica.segments[-1].base_offset if self.replica.segments else 0
        for segment, following in zip(
            self.replica.segments, (*self.replica.segments[1:], None), strict=True
        ):
            if following is not None and following.base_offset <= start:
                continue
            position = self.before(segment, start)
            for piece in self.pieces(segment, position, segment.size):
                if isinstance(piece, BatchRun):
                    _follow(known, piece, start)
                if not isinstance(piece, Bad):
                    end = piece.last_offset + 1
        return min([end, *known.values()])

    def _snapshot(self, offset: int) -> dict[int, int] | None:
        name = segment_file(offset, SNAPSHOT_SUFFIX)
        data = self.place.read(f"{self.replica.path}/{name}", _MOST_SNAPSHOT)
        if data is None:
            return None
        try:
            entries = read_snapshot(data)
        except CorruptError:
            return None
        return {
            e.producer_id: e.current_txn_first_offset
            for e in entries
            if e.current_txn_first_offset >= 0
        }


def _follow(known: dict[int, int], run: BatchRun, start: int) -> None:
    """Note which transactions the batches of ``run`` from offset ``start`` on open and end."""
    heads = run.heads
    inside = (heads["attributes"] & TRANSACTIONAL_FLAG) != 0
    inside &= heads["base_offset"] >= start
    for n in np.flatnonzero(inside).tolist():
        head = heads[n]
        producer = int(head["producer_id"])
        if head["attributes"] & CONTROL_FLAG:
            known.pop(producer, None)
        else:
            known.setdefault(producer, int(head["base_offset"]))


def _rising(*columns: Ints) -> int:
    """How many entries there are before the first column that does not rise."""
    count = len(columns[0])
    for column in columns:
        if len(column) > 1:
            flat = np.diff(column) <= 0
            if flat.any():
                count = min(count, int(flat.argmax()) + 1)
        if len(column) and column[0] < 0:
            return 0
    return count


def _old_message(head: bytes, left: int, lowest: int, highest: int) -> bool:
    """Whether ``head`` begins a message of format v0 or v1 that may be there."""
    if len(head) < 18:
        return False
    length, magic = length_and_magic(head)
    offset = int.from_bytes(head[:8], "big", signed=True)
    return (
        magic in (0, 1)
        and 14 <= length <= left - 12
        and lowest <= offset <= highest
        and head[17] < 16
    )
