"""Reading from a log: ranges of its files, aborted transactions (``LocalLog.read``)."""

from __future__ import annotations

from bisect import bisect_right

from pykafka_ops.broker.storage.files import Buffer, File
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.txn_index import collect_aborted
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode


class ColdRead:
    """A range that is not in the page cache: :meth:`run` reads it in another thread."""

    __slots__ = ("_file", "_position", "_size")

    def __init__(self, file: File, size: int, position: int) -> None:
        self._file = file
        self._size = size
        self._position = position

    def run(self) -> bytes:
        """The bytes; OSError if the disk fails. To be called once."""
        try:
            return self._file.read(self._size, self._position)
        finally:
            self._file.close()


class ReadResult:
    """What a read found: ``parts`` of the file, ``size`` bytes together.

    ``next_offset`` bounds the offsets in it from above. ``cold`` is set instead of ``parts`` when
    only cached bytes were asked for and these are not. ``first_batch_cut`` says that the limit
    was smaller than the first batch.
    """

    __slots__ = ("_bound", "_place", "cold", "first_batch_cut", "parts", "size")

    def __init__(
        self,
        parts: list[Buffer],
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


class Reader:
    """Finds what is read. The log is open."""

    __slots__ = ("_place", "_segments", "_tail")

    def __init__(self, parts: LogParts) -> None:
        self._place = parts.place
        self._tail = parts.tail
        self._segments = parts.segments

    def read(
        self, active: Segment, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
    ) -> ReadResult:
        """As ``Log.read``; ``active`` is the segment that is appended to."""
        tail = self._tail
        if not tail.start <= offset <= tail.end:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"Received request for offset {offset} for partition {self._place.name}, but we "
                f"only have log segments from {tail.start} up to {tail.end}.",
            )
        if offset >= up_to or (max_bytes <= 0 and not one):
            return ReadResult([], bound=offset)
        offsets, positions = tail.offsets, tail.positions
        try:
            if not offsets or offset < offsets[0]:
                return self._read_anywhere(offset, max_bytes, up_to, one, cached)
            n = bisect_right(offsets, offset)
            start = positions[n - 1]
            following = positions[n] if n < len(offsets) else active.size
            if up_to >= tail.end:
                end, bound = active.size, tail.end
            else:
                end, bound = positions[bisect_right(offsets, up_to) - 1], up_to
            return _read_range(active, (start, following, end, bound), max_bytes, one, cached)
        except OSError as error:
            raise self._place.home.fail(error) from error
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{self._place.name}: {error}") from error

    def _read_anywhere(
        self, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
    ) -> ReadResult:
        """Batches whose position only an index tells."""
        segments = self._segments.since(offset)
        for n, segment in enumerate(segments, 1):
            place = segment.locate(offset)
            if place is None:
                continue
            if place.base_offset >= up_to:
                break
            following = segments[n].base_offset if n < len(segments) else self._tail.end
            end, bound = segment.size, min(following, up_to)
            if up_to < following:
                limit = segment.locate(up_to)
                end = segment.size if limit is None else limit.position
            span = (place.position, place.position + place.size, end, bound)
            return _read_range(segment, span, max_bytes, one, cached)
        return ReadResult([], bound=offset)

    def aborted_transactions(self, first: int, last: int) -> list[tuple[int, int]]:
        """As ``Log.aborted_transactions``."""
        found: list[tuple[int, int]] = []
        try:
            for segment in self._segments.since(first):
                entries = segment.aborted()
                if not entries:
                    continue
                aborted, complete = collect_aborted(entries, first, last)
                found += [(t.producer_id, t.first_offset) for t in aborted]
                if complete:
                    break
        except OSError as error:
            raise self._place.home.fail(error) from error
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
    if not cached:
        data: Buffer | None = segment.log.read(size, start)
    else:
        data = segment.log.read_cached(size, start)
    if data is None:
        cold = ColdRead(segment.log.dup(), size, start)
        return ReadResult([], size, cold=cold, bound=bound, place=place)
    return ReadResult([data], len(data), first_batch_cut=cut, bound=bound, place=place)
