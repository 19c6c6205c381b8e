"""``pko dump-log stats``: what the logs hold, partition by partition and together."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from pykafka_ops.analysis.logs.stats import LogStats, OpenTransaction, counted_key
from pykafka_ops.commands.dump_log.segments import (
    Reading,
    SegmentPath,
    bytes_of,
    old_records,
    plain_section,
    segments,
)
from pykafka_ops.commands.dump_log.stats_rows import StatsOutput
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.payload.formats import formats_of
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.disk.control import control_type_id
from pykafka_ops.disk.legacy import MessageHeader
from pykafka_ops.disk.salvage import SoundBatch
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptBatchError

_SECTION = 61


def stats(run: Run) -> int:
    """A row for each partition, one for all, and what is in them; exit code 4: damage."""
    most = run.args.number("keys") or 0
    key_format, _ = formats_of(run.args)
    out = StatsOutput(run.output, most, key_format)
    total, code = LogStats(), 0
    every = segments(run.args.texts("files"))
    with ProgressBar(bytes_of(every), "counted") as progress:
        for _, group in groupby(every, key=lambda s: s.folder):
            found = list(group)
            reading = Reading(out.damage, progress)
            one = StatsCount(reading, open_records=most > 0).read(found)
            code = max(code, reading.close())
            progress.clear()
            out.partition(found[0], one)
            total.merge(one)
            out.hanging += [(found[0].place, txn) for txn in one.open.values()]
    out.close(total)
    return code


class StatsCount:
    """Counts one partition."""

    def __init__(self, reading: Reading, *, open_records: bool) -> None:
        """Without ``open_records`` only the headers of batches count."""
        self.reading, self.deep, self.stats = reading, open_records, LogStats()

    def read(self, found: Iterable[SegmentPath]) -> LogStats:
        """Count the segments in their order."""
        seen = 0
        for segment in found:
            self.stats.segments += 1
            for batch in self.reading.batches(segment):
                damaged, seen = self.reading.damages > seen, self.reading.damages
                header = batch.header
                if isinstance(header, BatchHeader):
                    self._batch(segment, batch, header, damaged=damaged)
                else:
                    self._message(segment, batch, header, damaged=damaged)
        self.stats.damages, self.stats.damaged = self.reading.damages, self.reading.lost
        return self.stats

    def _batch(
        self, segment: SegmentPath, batch: SoundBatch, header: BatchHeader, *, damaged: bool
    ) -> None:
        stats, count = self.stats, header.record_count
        stored = header.size - _SECTION
        codec = stats.batch(header.magic, CODEC_NAMES[header.codec], header.size, stored)
        stats.offsets(header.base_offset, header.last_offset, count, damaged=damaged)
        if header.has_producer_id:
            stats.producers.add(header.producer_id, header.size)
        if header.is_transactional and not header.is_control:
            first = (header.base_offset, header.base_timestamp, count)
            stats.in_transaction(OpenTransaction(header.producer_id, header.producer_epoch, *first))
        if header.is_control:
            stats.markers += count
        else:
            stats.records += count
        if not self.deep and not header.is_control:
            if not header.has_delete_horizon:
                stats.times(header.base_timestamp, header.max_timestamp)
            return
        try:
            data = plain_section(batch)
            codec.opened += stored
            codec.plain += len(data)
            if header.is_control:
                self._marker(data, header)
            else:
                self._records(data, header)
        except CorruptBatchError as e:
            self.reading.malformed(segment, batch, str(e))

    def _marker(self, data: bytes, header: BatchHeader) -> None:
        """The record that ends a transaction; other control records are only counted."""
        for _, timestamp, _, key_at, key_size, _, _, _ in walk(data, header):
            self.stats.times(timestamp, timestamp)
            kind = control_type_id(data[key_at : key_at + max(key_size, 0)])
            if kind in (0, 1):
                self.stats.ended(header.producer_id, commit=kind == 1)

    def _records(self, data: bytes, header: BatchHeader) -> None:
        """Keys, sizes and times of all records: the inner loop."""
        stats = self.stats
        keys, counts, room = stats.keys, stats.keys.counts, stats.keys.capacity
        first, last, tombstones, payload = 1 << 63, -1, 0, 0
        try:
            for _, timestamp, _, key_at, key_size, _, value_size, _ in walk(data, header):
                if timestamp < first and timestamp >= 0:
                    first = timestamp
                if timestamp > last:
                    last = timestamp
                size = key_size if key_size > 0 else 0
                if value_size > 0:
                    size += value_size
                elif value_size < 0:
                    tombstones += 1
                payload += size
                key = data[key_at : key_at + key_size] if key_size >= 0 else None
                if key_size > 128:
                    key = counted_key(data[key_at : key_at + key_size])
                counts[key] = counts.get(key, 0) + size
                if len(counts) > room:
                    keys.prune()
                    counts = keys.counts
        finally:  # what stands before a malformed record counts
            stats.tombstones += tombstones
            stats.payload += payload
            if last >= 0:
                stats.times(first, last)

    def _message(
        self, segment: SegmentPath, batch: SoundBatch, header: MessageHeader, *, damaged: bool
    ) -> None:
        """A message v0/v1; a wrapper must be opened to know its offsets."""
        stats = self.stats
        stored = len(batch.tail)
        codec = stats.batch(header.magic, CODEC_NAMES[header.codec], header.size, stored)
        codec.opened += stored
        overhead = (34 if header.magic else 26) - (0 if header.attributes & 7 else 16)
        try:
            for record in old_records(batch):
                stats.offsets(record.offset, record.offset, 1, damaged=damaged)
                damaged = False
                stats.records += 1
                stats.times(record.timestamp, record.timestamp)
                payload = len(record.key or b"") + len(record.value or b"")
                stats.tombstones += record.value is None
                stats.payload += payload
                codec.plain += payload + overhead
                if self.deep:
                    key = None if record.key is None else counted_key(record.key)
                    stats.keys.add(key, payload)
        except CorruptBatchError as e:
            self.reading.malformed(segment, batch, str(e))
