"""``pko dump-log timeline``: how many records, and bytes of keys and values, when."""

from __future__ import annotations

import sys
import time

from pykafka_ops.analysis.bars import bar, size_text
from pykafka_ops.analysis.logs.query import within
from pykafka_ops.analysis.logs.timeline import Timeline
from pykafka_ops.analysis.moments import between, moment_text, span_text
from pykafka_ops.commands.dump_log.row_output import row_output
from pykafka_ops.commands.dump_log.segments import (
    Reading,
    SegmentPath,
    SegmentReader,
    bytes_of,
    old_records,
    plain_section,
    segments,
    start_at_time,
)
from pykafka_ops.commands.framework.output import Column, say
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.terminal import bar_width, bars_are_blocks
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.salvage import SoundBatch
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptBatchError

Times = tuple[int | None, int | None]

#: Buckets where their length is found by itself: lines of a screen, points for a machine.
_SCREEN, _POINTS = 30, 120
#: With a length given, that many may stand there empty before empty ones are left out.
_FILLED = 10_000
_COLUMNS = (
    Column("start", "TIME"),
    Column("records", right=True),
    Column("bytes", right=True),
)
_CHART = (
    *_COLUMNS[:2],
    Column("bar", " ", spare=True),
    _COLUMNS[2],
    Column("bytes_bar", "  ", spare=True),
)


def timeline(run: Run) -> int:
    """One row for each bucket of time; exit code 4 where there is damage.

    Bytes are those of keys and values before compression. Control records do not count.
    """
    every = run.args.span("every")
    args = run.args
    times = between(args.text("since"), args.text("until"), int(time.time() * 1000))
    chart = run.output in ("table", "wide") and sys.stdout.isatty()
    counted = TimelineCount(times, every)
    found = segments(run.args.texts("files"))
    columns: tuple[Column, ...] = _COLUMNS
    if chart:
        columns = _CHART
    out = row_output(run.output, "log-timeline", columns, name="start")
    machine = run.output in ("json", "yaml")
    with ProgressBar(bytes_of(found), "counted") as progress:
        reading = Reading(out.add if machine else None, progress)
        for segment in found:
            counted.read(reading, segment)
    line = counted.line
    rows = line.rows(_FILLED if every is not None else _SCREEN if chart else _POINTS)
    most = (max((row[1] for row in rows), default=0), max((row[2] for row in rows), default=0))
    unit, plain = bar_width(60) // 3, not bars_are_blocks()
    for start, records, size in rows:
        row: dict[str, object] = {"start": moment_text(start, parts=False), "records": records}
        if machine:
            row = {"kind": "bucket", "start": start, "length_ms": line.step, "records": records}
        row["bytes"] = size
        if chart:
            row |= {
                "bar": bar(records, most[0], 2 * unit, plain=plain),
                "bytes": size_text(size),
                "bytes_bar": bar(size, most[1], unit, plain=plain),
            }
        out.add(row)
    out.close()
    if rows:
        say(f"{counted.records} records in buckets of {span_text(line.step)}")
    if counted.timeless:
        say(f"{counted.timeless} records without a timestamp are left out")
    return reading.close()


class TimelineCount:
    """Counts the records of segments into a timeline."""

    def __init__(self, times: Times, step: int | None) -> None:
        self.times, self.line = times, Timeline(step)
        self.records = self.timeless = 0

    def read(self, reading: Reading, segment: SegmentPath) -> None:
        """Count a segment; the index leads to ``--since``."""
        for batch in reading.batches(segment, self._start):
            header = batch.header
            try:
                if not isinstance(header, BatchHeader):
                    for record in old_records(batch):
                        payload = len(record.key or b"") + len(record.value or b"")
                        self._add(record.timestamp, payload)
                elif not header.is_control and not self._older(header):
                    self._batch(batch, header)
            except CorruptBatchError as e:
                reading.malformed(segment, batch, str(e))

    def _start(self, log: SegmentReader) -> int:
        first = self.times[0]
        return 0 if first is None else start_at_time(log, first)

    def _older(self, header: BatchHeader) -> bool:
        first = self.times[0]
        return first is not None and header.max_timestamp < first

    def _batch(self, batch: SoundBatch, header: BatchHeader) -> None:
        """Records of one bucket in a row are counted together."""
        line, start, end, count, size = self.line, 0, 0, 0, 0
        single = self.times != (None, None)
        try:
            for found in walk(plain_section(batch), header):
                timestamp, key_size, value_size = found[1], found[4], found[6]
                payload = (key_size if key_size > 0 else 0) + (value_size if value_size > 0 else 0)
                if single or timestamp < 0:
                    self._add(timestamp, payload)
                    continue
                if not start <= timestamp < end:
                    self._several(start, count, size)
                    start = timestamp - timestamp % line.step
                    end, count, size = start + line.step, 0, 0
                count += 1
                size += payload
        finally:  # what stands before a malformed record counts
            self._several(start, count, size)

    def _several(self, timestamp: int, count: int, size: int) -> None:
        if count:
            self.records += count
            self.line.add(timestamp, count, size)

    def _add(self, timestamp: int, size: int) -> None:
        """One record."""
        if timestamp < 0:
            self.timeless += 1
        elif within(timestamp, self.times):
            self._several(timestamp, 1, size)
