"""Counts records by the time they are of: how many, how many bytes, and two checksums.

The checksum is the sum of the records' hashes (``disk.hot.hashing``): it does not depend on their
order, and is the same wherever they are copied to. ``order`` does depend on it. Bytes of a record
are those of its content (``disk.contents``), whatever its batch looks like.

Compiled, :meth:`Tally.records` goes from record to record in C. Not compiled, ``disk.walk`` is
quicker.
"""

from __future__ import annotations

import pykafka_ops.compiled.raw as at
import pykafka_ops.disk.hot.hashing as hashing
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.contents import content_at
from pykafka_ops.disk.walk import EARLY_END, LATE_END, skip_headers, walk
from pykafka_ops.errors import CorruptBatchError

NO_TIME = -1
"""Where the bucket begins of records without a timestamp, as those of format v0."""

_OVERHEAD = 12
_LEAST = 49
_UNUSUAL = 0x37
"""Attributes: a codec, a transaction, control."""
_APPEND_TIME = 8
_LEAST_RECORD = 7
_MOST_TIME = 1 << 62
"""All that is later is in one bucket: where it ends could not be said."""
_new = tuple.__new__


class BucketTally:
    """Records with a timestamp from ``start`` up to before ``end`` (ms): how many, bytes of their
    contents, checksums of 64 bits, first and last offset, earliest and latest timestamp."""

    __slots__ = (
        "bytes",
        "checksum",
        "end",
        "first_ms",
        "first_offset",
        "last_ms",
        "last_offset",
        "order",
        "records",
        "start",
    )

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.records = self.bytes = self.checksum = self.order = 0
        self.first_offset = self.last_offset = self.first_ms = self.last_ms = -1

    def add(self, data: bytes | memoryview, start: int, end: int, offset: int, time: int) -> None:
        """Count the record whose content is ``data[start:end]``."""
        value = hashing.record_hash(data, start, end, time)
        self.checksum = hashing.added(self.checksum, value)
        self.order = hashing.chained(self.order, value)
        self.bytes += end - start
        if not self.records:
            self.first_offset = offset
            self.first_ms = self.last_ms = time
        self.records += 1
        self.last_offset = offset
        if time < self.first_ms:
            self.first_ms = time
        if time > self.last_ms:
            self.last_ms = time


class Tally:
    """Counts records from offset ``first`` up to before ``stop``, in buckets of ``width`` ms.

    ``buckets`` are by their start.
    """

    __slots__ = ("bucket", "buckets", "first", "stop", "width")

    def __init__(self, width: int, first: int, stop: int) -> None:
        self.width, self.first, self.stop = width, first, stop
        self.buckets: dict[int, BucketTally] = {}
        self.bucket = BucketTally(0, 0)

    def usual(self, data: bytes | memoryview, place: int) -> tuple[int, int]:
        """Count batches from byte ``place`` on; where the first begins that is not counted here,
        and the offset behind the last that is (-1: there was none).

        That one is cut off, of another format, compressed, of a transaction, a control batch, with
        a wrong CRC, or from ``stop`` on. Raises CorruptBatchError for records that are malformed;
        some of them are counted then.
        """
        view = memoryview(data)
        total, reached = len(data), -1
        while total - place >= at.HEADER_SIZE:
            batch = view[place:]
            fields = at.header(batch)
            size = _OVERHEAD + fields[1]
            if fields[3] != 2 or fields[1] < _LEAST or size > total - place:
                break
            if fields[5] & _UNUSUAL or not 0 <= fields[0] < self.stop:
                break
            batch = batch[:size]
            if at.checksum(at.covered(batch)) != fields[4]:
                break
            self.records(batch, at.HEADER_SIZE, fields)
            place += size
            reached = at.plus(fields[0], fields[6] + 1)
        return place, reached

    def records(self, data: memoryview | bytes, place: int, fields: at.Fields) -> None:
        """Count the records of a batch with these fields, which fill ``data`` from ``place`` on.

        Raises CorruptBatchError where they do not; some of them are counted then.
        """
        if not at.COMPILED:
            self.walked(bytes(data[place:]), fields)
            return
        base, base_time, appended = fields[0], fields[7], fields[5] & _APPEND_TIME
        total, time = len(data), fields[8]
        if not 0 <= fields[12] <= (total - place) // _LEAST_RECORD:
            raise CorruptBatchError(EARLY_END)
        for _ in range(fields[12]):
            record = at.record(data, place)  # type: ignore[arg-type]
            place = record[0]
            if place < 0:
                raise CorruptBatchError(EARLY_END)
            if not appended:
                time = at.plus(base_time, record[1])
            start = hashing.content_start(data, record)
            if start >= 0:
                self.count(data, start, place, at.plus(base, record[2]), time)
            else:
                content = _content(data, record)
                self.count(content, 0, len(content), at.plus(base, record[2]), time)
        if place != total and fields[12]:
            raise CorruptBatchError(LATE_END)

    def walked(self, data: bytes, fields: at.Fields) -> None:
        """As :meth:`records`, of the plain records section of a batch."""
        header: BatchHeader = _new(BatchHeader, fields)
        if not 0 <= header.record_count <= len(data) // _LEAST_RECORD:
            raise CorruptBatchError(EARLY_END)
        first, stop, count = self.first, self.stop, self.count
        for offset, time, _, key_at, key_size, value_at, value_size, rest in walk(data, header):
            if not first <= offset < stop:
                continue
            end = skip_headers(data, rest, len(data)) if data[rest] else rest + 1
            record = end, 0, 0, key_at, key_size, value_at, value_size, rest
            start = hashing.content_start(data, record)
            if start >= 0:
                count(data, start, end, offset, time)
            else:
                content = _content(data, record)
                count(content, 0, len(content), offset, time)

    def count(self, data: bytes | memoryview, start: int, end: int, offset: int, time: int) -> None:
        """Count one record by its content, if it is to be counted."""
        if not self.first <= offset < self.stop:
            return
        if not self.bucket.start <= time < self.bucket.end:
            self.turn_to(time)
        self.bucket.add(data, start, end, offset, time)

    def turn_to(self, time: int) -> None:
        """Make the bucket of a timestamp the one at hand."""
        if time > _MOST_TIME:
            time = _MOST_TIME
        start = time - time % self.width if time >= 0 else NO_TIME
        found = self.buckets.get(start)
        if found is None:
            found = BucketTally(start, start + self.width if time >= 0 else 0)
            self.buckets[start] = found
        self.bucket = found


def _content(data: bytes | memoryview, record: at.Record) -> bytes:
    """The content of a record whose lengths are written in more bytes than they need."""
    end, _, _, key_at, key_size, value_at, value_size, rest = record
    own = bytes(data[key_at:end])
    return content_at(own, (0, key_size), (value_at - key_at, value_size), rest - key_at)
