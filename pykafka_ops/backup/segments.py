"""Writes what a leader answers as segment files, batch for batch as it came.

Files are those of Kafka's log directories (``LogSegment``): an index entry every 4 KiB, a time
index of rising timestamps, aborted transactions in a ``.txnindex``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pykafka_ops.backup.chain import folder_of
from pykafka_ops.backup.manifest import SegmentEntry
from pykafka_ops.backup.store.model import BackupStore, StoredFile
from pykafka_ops.disk.aborted import is_abort
from pykafka_ops.disk.batch import BatchHeader, next_batch_size, read_header
from pykafka_ops.disk.checksum import crc32c, crc32c_more
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.legacy import check_message_crc, read_message_header
from pykafka_ops.disk.names import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    segment_file,
)
from pykafka_ops.disk.txn_index import AbortedTxn, pack_aborted
from pykafka_ops.errors import CorruptBatchError

SEGMENT_BYTES: Final = 1 << 28
INDEX_EVERY: Final = 4096
_MAGIC_AT: Final = 16
_CRC_FROM: Final = 21
_MARKER_LIMIT: Final = 1 << 16


class CheckedBatch:
    """What a segment needs to know of a batch, checked. Raises CorruptBatchError."""

    __slots__ = ("header", "is_control", "last_offset", "max_ms", "min_ms", "part")

    def __init__(self, part: memoryview) -> None:
        self.part = part
        if part[_MAGIC_AT] < 2:
            old = read_message_header(part)
            if not check_message_crc(part, 0, old):
                raise CorruptBatchError(f"the message at offset {old.offset} fails its CRC")
            self.header = None
            self.last_offset, self.is_control = old.offset, False
            self.min_ms = self.max_ms = old.timestamp
            return
        header = read_header(part)
        if crc32c(part[_CRC_FROM:]) != header.crc:
            raise CorruptBatchError(f"the batch at offset {header.base_offset} fails its CRC")
        self.header = header
        self.last_offset, self.is_control = header.last_offset, header.is_control
        self.min_ms, self.max_ms = header.base_timestamp, header.max_timestamp


class PartitionWriter:
    """The segments of one partition, from ``start`` on. ``entries`` are those that are done.

    Call ``take`` for each answer, then ``finish``. Raises StorageError; CorruptBatchError for
    bytes that no broker may have written, with what came before them kept.
    """

    def __init__(
        self, store: BackupStore, place: tuple[str, int, int], start: int, most: int
    ) -> None:
        """``place``: topic, partition and life; ``most``: bytes of a segment."""
        self.entries: list[SegmentEntry] = []
        self.position = start
        self._store, self._folder, self._most = store, folder_of(*place), most
        self._segment: _Segment | None = None
        self._open: dict[int, int] = {}
        """By producer id, where transactions begin that have not ended."""
        self._answered: Sequence[tuple[int, int]] = ()

    def take(self, data: memoryview, end: int, aborted: Sequence[tuple[int, int]] = ()) -> bool:
        """Write the whole batches of an answer that begin before ``end``; whether that was
        reached. ``aborted``: as the answer has it, for those that began before this writer."""
        self._answered = aborted
        at = 0
        while self.position < end and (size := next_batch_size(data, at)) is not None:
            batch = CheckedBatch(data[at : at + size])
            at += size
            if batch.last_offset >= self.position:
                self._write(batch)
        return self.position >= end

    def skip_to(self, offset: int) -> None:
        """Nothing is left before ``offset``: compaction may take the last records away, too."""
        self.position = max(self.position, offset)

    def finish(self) -> None:
        """Have everything in the store."""
        if self._segment is not None:
            self.entries.append(self._segment.close(self.position))
            self._segment = None

    def abandon(self) -> None:
        """Leave the segment that is being written."""
        if self._segment is not None:
            self._segment.abandon()
            self._segment = None

    def _write(self, batch: CheckedBatch) -> None:
        segment = self._segment
        if segment is not None and not segment.has_room(batch, self._most):
            self.entries.append(segment.close(self.position))
            segment = None
        if segment is None:
            base = batch.header.base_offset if batch.header else batch.last_offset
            segment = self._segment = _Segment(self._store, self._folder, base)
        segment.write(batch)
        self.position = batch.last_offset + 1
        header = batch.header
        if header is None or not header.is_transactional:
            return
        if header.is_control:
            self._end_transaction(batch.part, header, segment)
        else:
            begun = self._begun(header.producer_id, header.base_offset)
            self._open.setdefault(
                header.producer_id, header.base_offset if begun is None else begun
            )

    def _begun(self, producer: int, offset: int) -> int | None:
        """Where the aborted transaction of a producer began that goes on at ``offset``."""
        firsts = (first for who, first in self._answered if who == producer and first <= offset)
        return max(firsts, default=None)

    def _end_transaction(self, part: memoryview, header: BatchHeader, segment: _Segment) -> None:
        first = self._open.pop(header.producer_id, None)
        if first is None:
            first = self._begun(header.producer_id, header.last_offset)
        if first is None or not is_abort(part, header, _MARKER_LIMIT):
            return
        last = header.last_offset
        stable = min(self._open.values(), default=last + 1)
        segment.aborted.append(AbortedTxn(header.producer_id, first, last, stable))


class _Segment:
    """One segment being written."""

    def __init__(self, store: BackupStore, folder: str, base: int) -> None:
        self._store, self._stem, self._base = store, f"{folder}/", base
        self._index, self._times = OffsetIndex(base), TimeIndex(base)
        self._size = self._crc = self._unindexed = 0
        self._min_ms = self._max_ms = -1
        self._max_at = base
        self.aborted: list[AbortedTxn] = []
        self._log: StoredFile = store.create(self._name(LOG_SUFFIX))

    def has_room(self, batch: CheckedBatch, most: int) -> bool:
        """Whether a batch still fits."""
        return self._size + len(batch.part) <= most and batch.last_offset - self._base < 2**31

    def write(self, batch: CheckedBatch) -> None:
        """Put a batch at the end."""
        part = batch.part
        if self._unindexed > INDEX_EVERY:
            self._index.append(batch.last_offset, self._size)
            self._times.append(self._max_ms, self._max_at)
            self._unindexed = 0
        self._log.write(part)
        self._crc = crc32c_more(self._crc, part)
        self._size += len(part)
        self._unindexed += len(part)
        if batch.is_control:
            return
        if batch.max_ms > self._max_ms:
            self._max_ms, self._max_at = batch.max_ms, batch.last_offset
        if batch.min_ms >= 0:
            self._min_ms = batch.min_ms if self._min_ms < 0 else min(self._min_ms, batch.min_ms)

    def close(self, following: int) -> SegmentEntry:
        """Have it in the store; ``following``: the offset behind it."""
        self._times.append(self._max_ms, self._max_at)
        others: list[tuple[str, bytes]] = [
            (INDEX_SUFFIX, self._index.to_bytes()),
            (TIME_INDEX_SUFFIX, self._times.to_bytes()),
        ]
        if self.aborted:
            others.append((TXN_INDEX_SUFFIX, b"".join(map(pack_aborted, self.aborted))))
        for ending, data in others:
            file = self._store.create(self._name(ending))
            file.write(data)
            file.close()
        self._log.close()
        return SegmentEntry(
            self._base,
            following,
            self._size,
            self._crc,
            self._min_ms,
            self._max_ms,
            tuple(ending for ending, _ in others),
        )

    def abandon(self) -> None:
        """Leave nothing of it."""
        self._log.abandon()

    def _name(self, ending: str) -> str:
        return self._stem + segment_file(self._base, ending)


def leftovers(
    store: BackupStore, place: tuple[str, int, int], known: Iterable[SegmentEntry]
) -> None:
    """Take away what a run that was cut off has left in a partition's folder."""
    folder = folder_of(*place)
    kept = {segment_file(s.base, e) for s in known for e in (s.ending, *s.others)}
    for name in store.names(folder):
        if name not in kept:
            store.delete(f"{folder}/{name}")
