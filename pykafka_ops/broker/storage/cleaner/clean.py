"""A compaction from its first read to its last cleaned segment (``Cleaner.doClean``).

First pass: the dirty segments fill a key map with the newest offset of each key. Second pass:
all segments below are copied, group by group, without what the map makes obsolete. Nothing but
``.cleaned`` files is written; the log's owner puts them in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pykafka_ops.broker.state.compaction import Extent, group
from pykafka_ops.broker.storage.cleaner import stretches
from pykafka_ops.broker.storage.cleaner.job import (
    CleanedSegment,
    CompactionJob,
    CompactionReport,
    SegmentSource,
)
from pykafka_ops.broker.storage.cleaner.keys import KeyMap
from pykafka_ops.broker.storage.cleaner.loops import DEAD, take_in
from pykafka_ops.broker.storage.cleaner.output import CleanedOutput
from pykafka_ops.broker.storage.cleaner.retain import (
    LastRecord,
    Retention,
    records_of,
    retain,
)
from pykafka_ops.broker.storage.cleaner.throttle import Throttler
from pykafka_ops.broker.storage.cleaner.transactions import CleanedTransactions
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.scan import Usual, checked_batches, header_at
from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk import names
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.legacy import iter_message, read_message_header
from pykafka_ops.disk.txn_index import AbortedTxn, collect_aborted, read_txn_index
from pykafka_ops.errors import CorruptBatchError

_FATES_SHARE = 8
"""Of the map's memory at most this part holds notes on single records, a byte each."""

_COMPILED = is_compiled()

Emit = Callable[[CleanedSegment], None]


class Compaction:
    """One job, to be run once. ``emit`` is called with each cleaned segment that is durable."""

    def __init__(
        self, files: Files, job: CompactionJob, emit: Emit, throttle: Throttler | None = None
    ) -> None:
        self._files = files
        self._job = job
        self._emit = emit
        self._throttle = throttle
        offsets = max(job.first_uncleanable - job.first_dirty, 0)
        self._fates = bytearray(min(offsets, job.memory // _FATES_SHARE))
        self._keys = KeyMap(job.memory - len(self._fates), records=offsets, load=job.load)
        self._aborted = self._read_aborted()
        self.report = CompactionReport()

    def run(self) -> CompactionReport:
        """Do it all. Raises CorruptBatchError if the log cannot be understood, OSError."""
        self._index()
        job, report = self._job, self.report
        report.end_offset = max(self._keys.latest_offset + 1, job.first_dirty)
        report.keys = self._keys.size
        transactions = CleanedTransactions()
        sources = [s for s in job.segments if s.base_offset < report.end_offset]
        by_base = {s.base_offset: s for s in sources}
        groups = group(
            self._extents(sources),
            max_size=job.segment_bytes,
            max_index_size=job.segment_index_bytes,
            first_uncleanable=job.first_uncleanable,
        )
        for extents in groups:
            self._clean_group([by_base[e.base_offset] for e in extents], transactions)
        return report

    def _extents(self, sources: Sequence[SegmentSource]) -> list[Extent]:
        """The segments with the sizes of their indexes."""
        sizes = {f.name: f.size for f in self._files.list(self._job.directory)}

        def size(source: SegmentSource, kind: str) -> int:
            return sizes.get(names.segment_file(source.base_offset, kind), 0)

        return [
            Extent(
                s.base_offset,
                s.size,
                size(s, names.INDEX_SUFFIX),
                size(s, names.TIME_INDEX_SUFFIX),
            )
            for s in sources
        ]

    # -- reading -----------------------------------------------------------------------------------

    def _batches(
        self, source: SegmentSource, usual: Usual, position: int = 0
    ) -> Iterator[tuple[BatchHeader, memoryview]]:
        """Whole batches of a segment, checksums verified: a damaged one must not get a new one.
        Compiled, ``usual`` is asked first."""
        path = f"{self._job.directory}/{names.segment_file(source.base_offset)}"
        file = self._files.open_private(path)
        end = position

        def some(data: memoryview, place: int) -> int:
            nonlocal end
            after = usual(data, place)
            if self._throttle is not None:
                self._throttle.spent(after - place)
            end += after - place
            return after

        try:
            for at, header, data in checked_batches(
                file,
                position,
                source.size,
                chunk=self._job.buffer,
                usual=some if _COMPILED else None,
            ):
                if self._throttle is not None:
                    self._throttle.spent(header.size)
                end = at + header.size
                yield header, data
        finally:
            file.close()
        if end != source.size:
            raise CorruptBatchError(f"{path}: no whole batch at position {end} of {source.size}")

    def _read_aborted(self) -> list[tuple[int, list[AbortedTxn]]]:
        """(base offset of the segment, its transaction index), of those that have one."""
        found = []
        bases = [s.base_offset for s in self._job.segments] + self._job.later
        for base in bases:
            name = names.segment_file(base, names.TXN_INDEX_SUFFIX)
            try:
                data = self._files.read(f"{self._job.directory}/{name}")
            except FileNotFoundError:
                continue
            if data:
                found.append((base, read_txn_index(data)))
        return found

    def _aborted_between(self, start: int, end: int) -> list[AbortedTxn]:
        """Aborted transactions that touch ``[start, end)``."""
        found: list[AbortedTxn] = []
        for n, (_, entries) in enumerate(self._aborted):
            following = self._aborted[n + 1][0] if n + 1 < len(self._aborted) else None
            if following is not None and following <= start:
                continue
            some, complete = collect_aborted(entries, start, end)
            found += some
            if complete:
                break
        return found

    # -- first pass --------------------------------------------------------------------------------

    def _index(self) -> None:
        """Fill the key map, segment by segment, until it is full."""
        job = self._job
        dirty = [
            n
            for n, s in enumerate(job.segments)
            if _end_of(job, n) > job.first_dirty and s.base_offset < job.first_uncleanable
        ]
        transactions = CleanedTransactions()
        transactions.add(self._aborted_between(job.first_dirty, job.first_uncleanable))
        for n in dirty:
            source = job.segments[n]
            position = job.position if n == dirty[0] else 0
            if not self._index_segment(source, position, transactions):
                return
            self._keys.advance(_end_of(job, n) - 1)

    def _index_segment(
        self, source: SegmentSource, position: int, transactions: CleanedTransactions
    ) -> bool:
        """Whether the whole segment found room."""
        start, keys = self._job.first_dirty, self._keys
        self.report.bytes_indexed += source.size - position

        def usual(data: memoryview, place: int) -> int:
            after, reached = stretches.index(data, place, start, keys, self._fates)
            if reached >= start:
                keys.advance(reached)
            return after

        for header, data in self._batches(source, usual, position):
            if header.magic >= 2 and header.is_control:
                transactions.on_marker(data, header)
            elif header.magic < 2 or not transactions.on_batch(header):
                full_at = self._take_in(header, data, start)
                if full_at >= 0:
                    if full_at > start:
                        keys.advance(full_at - 1)
                    return False
            if header.last_offset >= start:
                keys.advance(header.last_offset)
        return True

    def _take_in(self, header: BatchHeader, data: memoryview, start: int) -> int:
        if header.magic >= 2:
            plain, span = records_of(data, header)
            offsets = (header.base_offset, header.last_offset_delta)
            return take_in(plain, span, offsets, start, self._keys, self._fates)
        message = read_message_header(data)
        for record in iter_message(data, 0, message, DECOMPRESSED_LIMIT):
            if record.key is None or record.offset < start:
                continue
            before = self._keys.get(record.key)
            if not self._keys.put(record.key, record.offset):
                return record.offset
            if 0 <= before - start < len(self._fates):
                self._fates[before - start] |= DEAD
        return -1

    # -- second pass -------------------------------------------------------------------------------

    def _clean_group(
        self, sources: Sequence[SegmentSource], transactions: CleanedTransactions
    ) -> None:
        job = self._job
        transactions.index = []
        output = CleanedOutput(
            self._files,
            job.directory,
            sources[0].base_offset,
            interval=job.index_interval_bytes,
            buffer=job.buffer,
            throttle=self._throttle,
        )
        try:
            for source in sources:
                self._copy(source, output, transactions)
            output.finish(transactions.index, sources[-1].modified_ms)
        except BaseException:
            output.discard()
            raise
        self.report.bytes_written += output.size
        self.report.groups.append(len(sources))
        self._emit(
            CleanedSegment([s.base_offset for s in sources], output.size, sources[-1].modified_ms)
        )

    def _copy(
        self, source: SegmentSource, output: CleanedOutput, transactions: CleanedTransactions
    ) -> None:
        n = self._job.segments.index(source)
        transactions.add(self._aborted_between(source.base_offset, _end_of(self._job, n)))
        rules = self._rules(source)
        self.report.bytes_read += source.size

        def usual(data: memoryview, place: int) -> int:
            latest = self._keys.latest_offset
            after, stay, keyless = stretches.settle(
                data, place, self._fates, self._job.first_dirty, latest
            )
            self.report.keyless += keyless
            for begin, end, last_offset, timestamp in stay:
                output.append(data[begin:end], last_offset, timestamp)
            return after

        for header, data in self._batches(source, usual):
            kept = retain(data, header, rules, transactions)
            if kept is None:
                continue
            if kept is not data:
                header = header_at(bytes(kept[:61]) + bytes(61), 0)
            output.append(kept, header.last_offset, header.max_timestamp)

    def _rules(self, source: SegmentSource) -> Retention:
        job = self._job
        clean = [s for s in job.segments if s.base_offset < job.first_dirty]
        horizon = clean[-1].modified_ms - job.delete_retention_ms if clean else 0
        return Retention(
            keys=self._keys,
            active={
                producer_id: LastRecord(offset if offset >= 0 else None, epoch)
                for producer_id, offset, epoch in job.producers
            },
            now=job.now,
            delete_retention_ms=job.delete_retention_ms,
            keep_old_tombstones=source.modified_ms > horizon,
            report=self.report,
            fates=self._fates,
            fates_from=job.first_dirty,
        )


def _end_of(job: CompactionJob, n: int) -> int:
    """Offset at which the segment after the ``n``-th begins, or where cleaning must end."""
    if n + 1 < len(job.segments):
        return job.segments[n + 1].base_offset
    return job.first_uncleanable
