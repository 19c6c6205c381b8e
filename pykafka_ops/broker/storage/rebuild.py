"""Check one segment batch by batch and make its indexes again (``LogSegment.recover``)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise

from pykafka_ops.broker.hot.raw import MAX_RELATIVE
from pykafka_ops.broker.state.producers import Producers
from pykafka_ops.broker.state.replication.epochs import EpochCache
from pykafka_ops.broker.storage.files import FULL, File
from pykafka_ops.broker.storage.replay import replay
from pykafka_ops.broker.storage.scan import checked_batches, header_at
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk import index as formats
from pykafka_ops.disk import names
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader
from pykafka_ops.disk.txn_index import AbortedTxn, pack_aborted, read_txn_index, sound_entries
from pykafka_ops.errors import CorruptBatchError


class SegmentRebuild:
    """The check of one segment, to be run once.

    Batches below offset ``trusted`` are known to be durable and are not read again if the
    indexes up to there are sound. With ``keep_log`` only the indexes are made, up to the first
    damaged batch, and the log stays as it is. ``end_offset`` is the segment's end afterwards;
    ``stored``, whether the disk had room for the indexes.
    """

    def __init__(
        self,
        segment: Segment,
        *,
        trusted: int = 0,
        epochs: EpochCache | None = None,
        keep_log: bool = False,
    ) -> None:
        self.segment = segment
        self.files = segment.files
        self.epochs = epochs
        self.keep_log = keep_log
        self.end_offset = segment.base_offset
        self.stored = True
        self._producers: Producers | None = None
        self._offsets = formats.OffsetIndex(segment.base_offset)
        self._times = formats.TimeIndex(segment.base_offset)
        self._position = 0
        self._begin = segment.base_offset
        self._max_timestamp = (-1, segment.base_offset)
        self._indexed_at = 0
        self._trusted = 0
        if segment.size and trusted > segment.base_offset:
            self._trust(trusted)
            self.end_offset = self._begin
            self._trusted = trusted if self._position else 0
        self._valid = self._position
        self._last_offset = self._begin - 1

    # -- where to begin ----------------------------------------------------------------------------

    def _trust(self, trusted: int) -> None:
        """Keep the index entries below ``trusted`` if they are sound, and begin at the last."""
        segment = self.segment
        offsets, times = self._read_indexes()
        if not _rises(offsets, times):
            return
        keep = bisect_left(offsets.offsets, trusted - segment.base_offset)
        if not keep:
            return
        last, position = offsets.entry(keep - 1)
        header = self._header(position)
        if header is None or not segment.base_offset <= header.base_offset <= last:
            return
        self._offsets, self._times = offsets, times
        del offsets.offsets[keep:], offsets.positions[keep:]
        times.truncate_to(header.last_offset + 1)
        self._position = self._indexed_at = position
        self._begin = header.base_offset
        self._max_timestamp = times.last_entry

    def _read_indexes(self) -> tuple[formats.OffsetIndex, formats.TimeIndex]:
        base = self.segment.base_offset
        data = self._stored(names.INDEX_SUFFIX) or b""
        times = self._stored(names.TIME_INDEX_SUFFIX) or b""
        return (
            formats.OffsetIndex(base, data[: formats.used_bytes(data, 8)]),
            formats.TimeIndex(base, times[: formats.used_bytes(times, 12)]),
        )

    def _header(self, position: int) -> BatchHeader | None:
        if position + HEADER_SIZE > self.segment.size:
            return None
        try:
            return header_at(self.segment.log.read(HEADER_SIZE, position), 0)
        except CorruptBatchError:
            return None

    def _stored(self, kind: str) -> bytes | None:
        """The content of a file, None if it is missing; a listing is read only once."""
        known = self.segment.side_files
        if known is not None and not known.get(kind):
            return b"" if kind in known else None
        try:
            return self.files.read(self.segment.path(kind))
        except FileNotFoundError:
            return None

    def follow_producers(self, producers: Producers) -> None:
        """Also bring the producer state along, which stands where the check begins."""
        self._producers = producers

    @property
    def begins_at(self) -> int:
        """Offset of the first batch that is checked."""
        return self._begin

    # -- the check ---------------------------------------------------------------------------------

    def run(self) -> int:
        """Check, cut, write indexes; the number of bytes cut off. Raises OSError."""
        segment = self.segment
        span = range(segment.base_offset, self._trusted)  # of entries that are durable, too
        stored = read_txn_index(self._stored(names.TXN_INDEX_SUFFIX) or b"") if span else []
        aborted = sound_entries(stored, span)
        try:
            if segment.size:
                self._scan(segment.log, aborted)
        except CorruptBatchError:
            pass
        if self._max_timestamp[0] > self._times.last_entry[0]:
            self._times.append(*self._max_timestamp)
        cut = 0
        if not self.keep_log:
            cut = segment.size - self._valid
            if cut:
                segment.truncate_log(self._valid)
            if self._producers is not None or not segment.size:
                self._store_aborted(b"".join(map(pack_aborted, aborted)))
        self._store_index(names.INDEX_SUFFIX, self._offsets.to_bytes())
        self._store_index(names.TIME_INDEX_SUFFIX, self._times.to_bytes())
        segment.close()
        segment.side_files = None
        return cut

    def _scan(self, log: File, aborted: list[AbortedTxn]) -> None:
        interval = self.segment.config.index_interval_bytes
        for position, header, data in checked_batches(log, self._position, self.segment.size):
            last = header.last_offset
            if not self._last_offset < last <= self.segment.base_offset + MAX_RELATIVE:
                raise CorruptBatchError(f"offset {last} comes after {self._last_offset}")
            if header.base_offset < self._begin:
                raise CorruptBatchError(f"offset {header.base_offset} in a later segment")
            if header.max_timestamp > self._max_timestamp[0]:
                self._max_timestamp = (header.max_timestamp, last)
            # An old entry may name the batch already, at a position before it.
            known = len(self._offsets) and last <= self._offsets.last_offset
            if position - self._indexed_at > interval and not known:
                self._offsets.append(last, position)
                self._times.append(*self._max_timestamp)
                self._indexed_at = position
            if not self.keep_log:
                self._take_in(header, data, aborted)
            self._last_offset = last
            self.end_offset = last + 1
            self._valid = position + header.size

    def _take_in(self, header: BatchHeader, data: memoryview, aborted: list[AbortedTxn]) -> None:
        if header.magic < 2:
            return
        epoch = header.partition_leader_epoch
        if self.epochs is not None and epoch > self.epochs.latest:
            self.epochs.assign(epoch, header.base_offset)
        if self._producers is None:
            return
        try:
            completed = replay(self._producers, header, data)
        except CorruptBatchError:
            return  # a control batch of a kind that says nothing about producers
        if completed is not None and completed.aborted and header.base_offset >= self._trusted:
            aborted.append(
                AbortedTxn(
                    completed.producer_id,
                    completed.first_offset,
                    completed.last_offset,
                    completed.last_stable_offset,
                )
            )

    def _store_aborted(self, data: bytes) -> None:
        """Write the transaction index unless it has this content. What it holds below the recovery
        point is not found again: never lose it."""
        if data != (self._stored(names.TXN_INDEX_SUFFIX) or b""):
            self.files.write_atomic(self.segment.path(names.TXN_INDEX_SUFFIX), data)

    def _store_index(self, kind: str, data: bytes) -> None:
        """Write an index unless it has this content; what a crash cut off its end is added. On a
        full disk it stays short: what it lacks is found by scanning, if slowly."""
        path, stored = self.segment.path(kind), self._stored(kind)
        if stored == data:
            return
        kept = len(stored) if stored and data.startswith(stored) else 0
        try:
            if kept:
                self._with(path, lambda file: file.append(data[kept:]))
            else:
                self.files.write(path, data)
        except OSError as error:
            if error.errno not in FULL:
                raise
            self.stored = False
            self._with(path, lambda file: file.truncate(kept))

    def _with(self, path: str, work: Callable[[File], object]) -> None:
        file = self.files.open_private(path)
        try:
            work(file)
        finally:
            file.close()


def _rises(offsets: formats.OffsetIndex, times: formats.TimeIndex) -> bool:
    """Whether the entries of both indexes are in order."""
    if not all(a < b for a, b in pairwise(offsets.offsets)):
        return False
    if not all(a < b for a, b in pairwise(offsets.positions)):
        return False
    if offsets.offsets and (offsets.offsets[0] < 0 or offsets.positions[0] < 0):
        return False
    if not all(a < b for a, b in pairwise(times.timestamps)):
        return False
    return all(a <= b for a, b in pairwise(times.offsets)) and min(times.offsets, default=0) >= 0
