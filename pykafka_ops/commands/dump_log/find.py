"""``pko dump-log find``: which records have that key, offset, time, ..., and where they lie.

Bytes first: a batch whose stored bytes cannot hold what is looked for is never taken apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from pykafka_ops.analysis.logs.query import RecordQuery, offset_range, required_literal
from pykafka_ops.commands.dump_log.find_rows import Counts, FoundRecord, Shown, Writer, writer
from pykafka_ops.commands.dump_log.segments import (
    Reading,
    SegmentPath,
    SegmentReader,
    bytes_of,
    old_records,
    plain_section,
    segments,
    start_at_offset,
    start_at_time,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.payload.formats import PayloadFormat, formats_of
from pykafka_ops.commands.payload.query import content_query
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.control import control_type_id
from pykafka_ops.disk.hot.spans import Span
from pykafka_ops.disk.salvage import SoundBatch
from pykafka_ops.disk.varint import read_varint, varint
from pykafka_ops.disk.walk import read_headers, walk
from pykafka_ops.errors import CorruptBatchError, UsageError

#: As grep: 1 where nothing was found.
NOT_FOUND = 1
_SECTION = 40


def find(run: Run) -> int:
    """Print every record that matches; 0 where one did, 1 where none, 4 where damage was met."""
    args = run.args
    key_format, value_format = formats_of(args)
    query = query_of(args, key_format, value_format, int(time.time() * 1000))
    limit = args.number("max-messages")
    found = segments(args.texts("files"))
    counts: Counts | None = {} if args.has("count") else None
    out = writer(run.output, Shown(key_format, value_format), counts)
    # Rows that come at once must not meet a bar on the same terminal.
    bar = counts is not None or run.output not in ("json", "csv") or not sys.stdout.isatty()
    progress = ProgressBar(bytes_of(found), "searched") if bar else None
    reading = Reading(out.damage, progress)
    try:
        matches = _run(Search(query, reading), found, out, counts, limit)
    finally:
        if progress is not None:
            progress.clear()
        out.close()
    return reading.close() or (0 if matches else NOT_FOUND)


def _run(
    search: Search, found: list[SegmentPath], out: Writer, counts: Counts | None, limit: int | None
) -> int:
    """Write the matches, ``limit`` at most; how many there were."""
    matches = 0
    for segment in found:
        if counts is not None:
            counts[segment] = 0
        if search.may_hold(segment):
            for match in search.matches(segment):
                out.match(match)
                matches += 1
                if matches == limit:
                    return matches
        out.flush()
    return matches


def query_of(
    args: Args, key_format: PayloadFormat | None, value_format: PayloadFormat | None, now: int
) -> RecordQuery:
    """What the options ask for; UsageError where they ask for nothing or cannot be read."""
    offset = args.text("offset")
    query = replace(
        content_query(args, key_format, value_format),
        offsets=None if offset is None else offset_range(offset),
        times=args.period("time", now),
        producer_id=args.number("producer-id"),
    )
    if query.is_empty:
        raise UsageError(
            "what to find? give --key, --key-regex, --value-regex, --offset, --time, "
            "--producer-id or --header"
        )
    return query


def needles(query: RecordQuery) -> tuple[bytes, ...]:
    """Bytes that stand in the records section of every batch v2 with a match."""
    found = []
    if query.key is not None:
        found.append(varint(len(query.key)) + query.key)
    for name, value in query.headers:
        raw = name.encode("utf-8", "surrogateescape")
        found.append(varint(len(raw)) + raw)
        if value is not None:
            found[-1] += varint(len(value)) + value
    for pattern in (query.key_pattern, query.value_pattern):
        if pattern is not None and pattern.bytewise:
            literal = required_literal(pattern.pattern.pattern)
            if literal and "\ufffd" not in literal:
                found.append(literal.encode("utf-8", "surrogateescape"))
    return tuple(sorted(found, key=len, reverse=True))


class Search:
    """One query over segments."""

    def __init__(self, query: RecordQuery, reading: Reading) -> None:
        self.query, self.reading = query, reading
        self.needles = needles(query)

    def may_hold(self, segment: SegmentPath) -> bool:
        """Whether the offsets of a segment, by the names of it and the next, are of interest."""
        wanted = self.query.offsets
        if wanted is None:
            return True
        if segment.base is not None and segment.base > wanted[1]:
            return False
        return segment.following is None or segment.following > wanted[0]

    def start(self, log: SegmentReader) -> int:
        """The byte to begin at: the indexes know what lies before the offset and time wanted."""
        query, first = self.query, 0
        if query.offsets is not None:
            first = start_at_offset(log, query.offsets[0])
        if query.times is not None and query.times[0] is not None:
            first = max(first, start_at_time(log, query.times[0]))
        return first

    def matches(self, segment: SegmentPath) -> Iterator[FoundRecord]:
        """Every match in a segment."""
        end = self.query.offsets[1] if self.query.offsets is not None else None
        for batch in self.reading.batches(segment, self.start):
            header = batch.header
            try:
                if isinstance(header, BatchHeader):
                    if end is not None and header.base_offset > end:
                        return
                    if self._may_match(header):
                        yield from self._in_batch(segment, batch, header)
                else:
                    yield from self._in_message(segment, batch)
            except CorruptBatchError as e:
                self.reading.malformed(segment, batch, str(e))

    def _may_match(self, header: BatchHeader) -> bool:
        """Whether, by its header, a batch may hold a match."""
        query = self.query
        if query.producer_id is not None and header.producer_id != query.producer_id:
            return False
        if query.offsets is not None and header.last_offset < query.offsets[0]:
            return False
        if query.times is not None:
            first, end = query.times
            if first is not None and header.max_timestamp < first:
                return False
            if end is not None and header.is_log_append_time and header.max_timestamp >= end:
                return False
        return not (header.is_control and query.of_content)

    def _in_batch(
        self, segment: SegmentPath, batch: SoundBatch, header: BatchHeader
    ) -> Iterator[FoundRecord]:
        data = self._worth_reading(batch, header)
        at = passed = 0
        for index, found in enumerate(walk(data, header)) if data else ():
            content = self._content(data, found)
            if content is None:
                continue
            position = None
            if not header.attributes & 7:
                at, passed = _advance(data, at, index - passed), index
                position = batch.position + 61 + at
            kind = control_type_id(content[0]) if header.is_control else None
            headers = read_headers(data, found[7])
            yield FoundRecord(segment, batch, found[0], found[1], position, *content, headers, kind)

    def _worth_reading(self, batch: SoundBatch, header: BatchHeader) -> bytes:
        """The plain records of a batch; b"" where they do not have the bytes looked for."""
        if header.attributes & 7:
            data = plain_section(batch)
            return data if all(needle in data for needle in self.needles) else b""
        for needle in self.needles:  # looked through before it is copied
            if batch.tail.find(needle, _SECTION) < 0:
                return b""
        return plain_section(batch)

    def _content(self, data: bytes, found: Span) -> tuple[bytes | None, bytes | None] | None:
        """Key and value of a record that matches, else None."""
        query = self.query
        offset, timestamp, _, key_at, key_size, value_at, value_size, rest = found
        if not query.at(offset, timestamp):
            return None
        key = data[key_at : key_at + key_size] if key_size >= 0 else None
        if query.key is not None and key != query.key:
            return None
        value = data[value_at : value_at + value_size] if value_size >= 0 else None
        matches = query.content(key, value, lambda: read_headers(data, rest))
        return (key, value) if matches else None

    def _in_message(self, segment: SegmentPath, batch: SoundBatch) -> Iterator[FoundRecord]:
        """In a message v0/v1, which has neither headers nor a producer."""
        query = self.query
        if query.headers or query.producer_id is not None:
            return
        key, stored = query.key, not batch.header.attributes & 7
        if key and stored and key not in batch.tail:
            return
        for record in old_records(batch):
            if query.at(record.offset, record.timestamp) and query.content(
                record.key, record.value, list
            ):
                position = batch.position if stored else None
                place = (segment, batch, record.offset, record.timestamp, position)
                yield FoundRecord(*place, record.key, record.value, [], None)


def _advance(data: bytes, at: int, records: int) -> int:
    """Where the record begins that is ``records`` behind the one at ``at``."""
    for _ in range(records):
        size, at = read_varint(data, at)
        at += size
    return at
