"""Reading from a log: ranges of its files, aborted transactions (``LocalLog.read``)."""

from __future__ import annotations

import errno
from bisect import bisect_right

from pykafka_ops.broker.storage.files import File
from pykafka_ops.broker.storage.log.loading import load
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.txn_index import collect_aborted
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import Part

LEFT_FROM = 128 * 1024
"""Ranges longer than this stay in their file until they are sent: a client that does not read
holds no memory with them."""
FIRST_BYTES = 1024 * 1024
"""What is read of them at once: most clients take that."""
MOST_ROOMS = 4
"""How many ranges may have their first bytes in memory."""
WARM_BYTES = 1024 * 1024
"""What a thread reads at a time into the page cache."""


class Rooms:
    """Memory for the first bytes of ranges, used again and again; ``most`` of FIRST_BYTES each."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._free: list[memoryview] = []

    def take(self) -> memoryview:
        """One of them; an empty one if all are taken."""
        if self._free:
            return self._free.pop()
        if not self._left:
            return NO_ROOM
        self._left -= 1
        return memoryview(bytearray(FIRST_BYTES))

    def give_back(self, room: memoryview) -> None:
        """Any thread: nobody uses ``room`` any more."""
        self._free.append(room)


NO_ROOM = memoryview(b"")
_ROOMS = Rooms(MOST_ROOMS)


class FileRange:
    """A range of a file, as :class:`~pykafka_ops.wire.types.LazyRecords`; the file is its own,
    so that it can be read even when the segment is gone. Kafka's ``FileRecords``."""

    __slots__ = ("_file", "_first", "_position", "_size")

    def __init__(self, file: File, size: int, position: int) -> None:
        self._file = file
        self._size = size
        self._position = position
        self._first = NO_ROOM
        """Its first bytes, as long as the client may take them at once."""

    def __len__(self) -> int:
        return self._size

    def __del__(self) -> None:  # an answer ends in many ways, and no other knows of its files
        self._file.close()
        if self._first:
            _ROOMS.give_back(self._first)

    def fill(self) -> bool:
        """Read the first bytes if there is room for them; False, where the disk would have to be
        waited for, for these or the others."""
        self._first = room = _ROOMS.take()
        size, file = min(self._size, len(room)), self._file
        if size and file.read_into(room[:size], self._position) < size:
            return False
        return size == self._size or file.is_cached(self._size - size, self._position + size)

    def cached(self, start: int, room: memoryview) -> memoryview:
        """As in ``LazyRecords``."""
        if start < len(self._first):
            return self._first[start : start + len(room)]
        return room[: self._file.read_into(room, self._position + start)]

    def let_go(self) -> None:
        """As in ``LazyRecords``."""
        if self._first:
            _ROOMS.give_back(self._first)
            self._first = NO_ROOM

    def read(self, start: int, size: int) -> bytes:
        """As in ``LazyRecords``. OSError also when the log was cut meanwhile."""
        data = self._file.read(size, self._position + start)
        if len(data) < size:
            raise OSError(errno.EIO, "the log was cut while it was sent", self._file.path)
        return data


class ColdRead:
    """A range that is not in the page cache: :meth:`run` or :meth:`warm` read it in another
    thread; one of them is to be called, once."""

    __slots__ = ("_file", "_position", "_size")

    def __init__(self, file: File, size: int, position: int) -> None:
        self._file = file
        self._size = size
        self._position = position

    def run(self) -> bytes:
        """The bytes; OSError if the disk fails."""
        try:
            return self._file.read(self._size, self._position)
        finally:
            self._file.close()

    def warm(self) -> Part:
        """The bytes, or their range of the file, which is in the page cache now; OSError if the
        disk fails."""
        if self._size <= LEFT_FROM:
            return self.run()
        found = FileRange(self._file, self._size, self._position)
        for start in range(0, self._size, WARM_BYTES):
            found.read(start, min(WARM_BYTES, self._size - start))
        return found


class ReadResult:
    """What a read found: ``parts`` of the file, ``size`` bytes together.

    ``next_offset`` bounds the offsets in it from above. ``cold`` is set instead of ``parts`` when
    only cached bytes were asked for and these are not. ``first_batch_cut`` says that the limit
    was smaller than the first batch.
    """

    __slots__ = ("_bound", "_place", "cold", "first_batch_cut", "parts", "size")

    def __init__(
        self,
        parts: list[Part],
        size: int = 0,
        *,
        cold: ColdRead | None = None,
        first_batch_cut: bool = False,
        bound: int = 0,
        place: tuple[Segment, int] | None = None,
    ) -> None:
        self.parts = parts
        self.size = size
        self.cold = cold
        self.first_batch_cut = first_batch_cut
        self._bound = bound
        self._place = place

    @property
    def next_offset(self) -> int:
        """An offset above every whole batch in ``parts``: exact at the end of the log, else from
        the index (as ``fetchUpperBoundOffset``)."""
        if self._place is not None:
            segment, end = self._place
            found = segment.offset_index.above_position(end)
            if found is not None:
                self._bound = min(self._bound, found)
            self._place = None
        return self._bound


def read(
    parts: LogParts, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
) -> ReadResult:
    """As ``Log.read``."""
    tail = parts.tail
    active = tail.active or load(parts)
    if not tail.start <= offset <= tail.end:
        raise KafkaError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"Received request for offset {offset} for partition {parts.place.name}, but we "
            f"only have log segments from {tail.start} up to {tail.end}.",
        )
    if offset >= up_to or (max_bytes <= 0 and not one):
        return ReadResult([], bound=offset)
    offsets, positions = tail.offsets, tail.positions
    try:
        if not offsets or offset < offsets[0]:
            return _read_anywhere(parts, offset, max_bytes, up_to, one, cached)
        n = bisect_right(offsets, offset)
        start = positions[n - 1]
        following = positions[n] if n < len(offsets) else active.size
        if up_to >= tail.end:
            end, bound = active.size, tail.end
        else:
            end, bound = positions[bisect_right(offsets, up_to) - 1], up_to
        return _read_range(active, (start, following, end, bound), max_bytes, one, cached)
    except OSError as error:
        raise parts.place.home.fail(error) from error
    except CorruptBatchError as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{parts.place.name}: {error}") from error


def _read_anywhere(
    parts: LogParts, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
) -> ReadResult:
    """Batches whose position only an index tells."""
    segments = parts.segments.since(offset)
    for n, segment in enumerate(segments, 1):
        place = segment.locate(offset)
        if place is None:
            continue
        if place.base_offset >= up_to:
            break
        following = segments[n].base_offset if n < len(segments) else parts.tail.end
        end, bound = segment.size, min(following, up_to)
        if up_to < following:
            limit = segment.locate(up_to)
            end = segment.size if limit is None else limit.position
        span = (place.position, place.position + place.size, end, bound)
        return _read_range(segment, span, max_bytes, one, cached)
    return ReadResult([], bound=offset)


def aborted_transactions(parts: LogParts, first: int, last: int) -> list[tuple[int, int]]:
    """As ``Log.aborted_transactions``."""
    found: list[tuple[int, int]] = []
    try:
        for segment in parts.segments.since(first):
            entries = segment.aborted()
            if not entries:
                continue
            aborted, complete = collect_aborted(entries, first, last)
            found += [(t.producer_id, t.first_offset) for t in aborted]
            if complete:
                break
    except OSError as error:
        raise parts.place.home.fail(error) from error
    return found


def _read_range(
    segment: Segment, span: tuple[int, int, int, int], max_bytes: int, one: bool, cached: bool
) -> ReadResult:
    """Read ``span``: position of the first batch, of the second, of the end, offset there."""
    start, following, end, bound = span
    size = end - start
    if size <= 0:
        return ReadResult([], bound=bound)
    cut = False
    place = None
    if size > max_bytes:
        size = max_bytes
        if size < following - start:
            cut = True
            size = following - start if one else size
        place = (segment, start + size)
    data = _data(segment.log, size, start, cached)
    if data is None:
        cold = ColdRead(segment.log.dup(), size, start)
        return ReadResult([], size, cold=cold, bound=bound, place=place)
    return ReadResult([data], len(data), first_batch_cut=cut, bound=bound, place=place)


def _data(file: File, size: int, start: int, cached: bool) -> Part | None:
    """A range of a file; None if only cached bytes are asked for and these are not."""
    if size <= LEFT_FROM:
        return file.read_cached(size, start) if cached else file.read(size, start)
    try:
        found = FileRange(file.dup(), size, start)
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise  # that the process has no descriptor left is no disk's fault
        return file.read_cached(size, start) if cached else file.read(size, start)
    return found if not cached or found.fill() else None
