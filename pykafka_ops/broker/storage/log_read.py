"""Reading from a partition's log: ranges of the file, offsets by time, aborted transactions."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from pykafka_ops.broker.storage.files import Buffer, File
from pykafka_ops.broker.storage.log_state import LogState
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.legacy import iter_message, read_message_header
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.disk.txn_index import collect_aborted
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

NO_TIMESTAMP = -1
_DECOMPRESSED_LIMIT = 256 << 20


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

    __slots__ = ("_bound", "_log", "_place", "cold", "first_batch_cut", "parts", "size")

    def __init__(
        self,
        parts: list[Buffer],
        size: int = 0,
        *,
        cold: ColdRead | None = None,
        first_batch_cut: bool = False,
        bound: int = 0,
        place: tuple[Segment, int] | None = None,
        log: LogState | None = None,
    ) -> None:
        self.parts = parts
        self.size = size
        self.cold = cold
        self.first_batch_cut = first_batch_cut
        self._bound = bound
        self._place = place
        self._log = log

    @property
    def next_offset(self) -> int:
        """An offset above every whole batch in ``parts``: exact at the end of the log, else from
        the index (as ``fetchUpperBoundOffset``)."""
        if self._place is not None and self._log is not None:
            segment, end = self._place
            found = segment.offset_index.above_position(end)
            if found is not None:
                self._bound = min(self._bound, found)
            self._place = None
        return self._bound


class FoundOffset(NamedTuple):
    """An offset found by time; ``timestamp`` (ms) and ``leader_epoch`` are -1 if not known."""

    timestamp: int
    offset: int
    leader_epoch: int


class LogRead(LogState):
    """The reading half of a log."""

    __slots__ = ()

    def read(
        self,
        offset: int,
        max_bytes: int,
        *,
        up_to: int,
        min_one_message: bool = True,
        cached_only: bool = False,
    ) -> ReadResult:
        """Bytes from the batch that holds ``offset`` on, of one segment, below offset ``up_to``.

        At most ``max_bytes``, which may end inside a batch; with ``min_one_message`` the first
        batch comes whole. ``cached_only`` never waits for the disk to give the records.
        Raises KafkaError OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE or KAFKA_STORAGE_ERROR.
        """
        if self._active is None:
            self.open()
        if not self._start <= offset <= self._end:
            raise KafkaError(
                ErrorCode.OFFSET_OUT_OF_RANGE,
                f"Received request for offset {offset} for partition {self.name}, but we only "
                f"have log segments from {self._start} up to {self._end}.",
            )
        if offset >= up_to or (max_bytes <= 0 and not min_one_message):
            return ReadResult([], bound=offset)
        try:
            tail = self._tail_offsets
            if tail and offset >= tail[0]:
                return self._read_tail(offset, max_bytes, up_to, min_one_message, cached_only)
            return self._read_anywhere(offset, max_bytes, up_to, min_one_message, cached_only)
        except OSError as error:
            raise self.dir.fail(error) from error
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{self.name}: {error}") from error

    def _read_tail(
        self, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
    ) -> ReadResult:
        """The batches appended last: their positions are known."""
        active = self.open()
        offsets, positions = self._tail_offsets, self._tail_positions
        n = bisect_right(offsets, offset)
        start = positions[n - 1]
        following = positions[n] if n < len(offsets) else active.size
        if up_to >= self._end:
            end, bound = active.size, self._end
        else:
            end, bound = positions[bisect_right(offsets, up_to) - 1], up_to
        return self._read_range(active, (start, following, end, bound), max_bytes, one, cached)

    def _read_anywhere(
        self, offset: int, max_bytes: int, up_to: int, one: bool, cached: bool
    ) -> ReadResult:
        n = self._segment_of(offset)
        while n < len(self._segments):
            segment = self._segments[n]
            place = segment.locate(offset)
            if place is not None and place.base_offset >= up_to:
                break
            if place is not None:
                following = self._bases[n + 1] if n + 1 < len(self._bases) else self._end
                end, bound = segment.size, min(following, up_to)
                if up_to < following:
                    limit = segment.locate(up_to)
                    end = segment.size if limit is None else limit.position
                span = (place.position, place.position + place.size, end, bound)
                return self._read_range(segment, span, max_bytes, one, cached)
            n += 1
        return ReadResult([], bound=offset)

    def _read_range(
        self,
        segment: Segment,
        span: tuple[int, int, int, int],
        max_bytes: int,
        one: bool,
        cached: bool,
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
                return ReadResult([], size, cold=cold, bound=bound, place=place, log=self)
        assert data is not None
        return ReadResult(
            [data], len(data), first_batch_cut=cut, bound=bound, place=place, log=self
        )

    # -- transactions ------------------------------------------------------------------------------

    def aborted_transactions(self, first: int, last: int) -> list[tuple[int, int]]:
        """(producer id, first offset) of aborted transactions that touch ``[first, last)``.

        Raises KafkaError KAFKA_STORAGE_ERROR.
        """
        self.open()
        found: list[tuple[int, int]] = []
        try:
            for segment in self._segments[max(self._segment_of(first), 0) :]:
                aborted, complete = collect_aborted(segment.aborted(), first, last)
                found += [(t.producer_id, t.first_offset) for t in aborted]
                if complete:
                    break
        except OSError as error:
            raise self.dir.fail(error) from error
        return found

    # -- time --------------------------------------------------------------------------------------

    def offset_for_time(self, timestamp: int, up_to: int) -> FoundOffset | None:
        """The first record below offset ``up_to`` that is as young as ``timestamp`` (ms) or
        younger; None if there is none. Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        self.open()
        try:
            for segment in self._segments:
                if segment.largest_timestamp >= timestamp:
                    found = self._find_time(segment, timestamp)
                    return found if found is not None and found.offset < up_to else None
        except OSError as error:
            raise self.dir.fail(error) from error
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{self.name}: {error}") from error
        return None

    def _find_time(self, segment: Segment, timestamp: int) -> FoundOffset | None:
        position = segment.position_for_time(timestamp, self._start)
        for at, header in segment.batches(position):
            if header.max_timestamp < timestamp:
                continue
            for record in self._records(segment, at, header):
                if record.timestamp >= timestamp and record.offset >= self._start:
                    epoch = header.partition_leader_epoch
                    return FoundOffset(record.timestamp, record.offset, epoch)
        return None

    @staticmethod
    def _records(segment: Segment, position: int, header: BatchHeader) -> list[Record]:
        data = segment.log.read(header.size, position)
        if header.magic < 2:
            message = read_message_header(data)
            return list(iter_message(data, 0, message, _DECOMPRESSED_LIMIT))
        return list(iter_records(data, 0, header, _DECOMPRESSED_LIMIT))

    def max_timestamp(self) -> FoundOffset | None:
        """The first record with the largest timestamp; None in a log without records (ListOffsets
        -3). Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        self.open()
        try:
            segment = max(self._segments, key=lambda s: s.max_timestamp)
            timestamp = segment.max_timestamp
            position = segment.offset_index.lookup(segment.max_timestamp_offset)[1]
            for at, header in segment.batches(position):
                if header.max_timestamp != timestamp or not header.magic:
                    continue
                for record in self._records(segment, at, header):
                    if record.timestamp == timestamp:
                        epoch = header.partition_leader_epoch
                        return FoundOffset(timestamp, record.offset, epoch)
        except OSError as error:
            raise self.dir.fail(error) from error
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{self.name}: {error}") from error
        return None

    def earliest(self) -> FoundOffset:
        """The log start, with its leader epoch if that is known (ListOffsets -2)."""
        start = self.log_start_offset
        epoch, begun = self._epochs.earliest
        return FoundOffset(NO_TIMESTAMP, start, epoch if begun <= start else -1)

    def latest(self) -> FoundOffset:
        """The log end, with the newest leader epoch (ListOffsets -1 without isolation)."""
        return FoundOffset(NO_TIMESTAMP, self.log_end_offset, self.latest_epoch)
