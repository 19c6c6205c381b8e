"""Where the records lie in a batch v2, many at a time (Kafka: ``DefaultRecord.readFrom``).

Compiled this is the quickest way through records; not compiled, that of ``disk.walk`` is, which has
the same outcome.
"""

from __future__ import annotations

import pykafka_ops.compiled.raw as at
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.fault import LATE_END, fault
from pykafka_ops.errors import CorruptBatchError

#: offset, timestamp, sequence, start and size of key, of value, start of headers
Span = tuple[int, int, int, int, int, int, int, int]

_MOST = 256
"""Records looked at in one go: of few the rest would be for nothing where one is wanted."""
_WRAP = 2**31 - 1


class Spans:
    """Goes through ``data``, the plain records section of a batch."""

    __slots__ = ("_base", "_data", "_left", "_place", "_sequence", "_streamed", "_time", "_varies")

    def __init__(self, data: bytes, header: BatchHeader) -> None:
        self._data = data
        self._streamed = header.attributes & at.CODEC != 0
        self._base = header.base_offset
        self._left = header.record_count
        self._sequence = header.base_sequence
        self._varies = not header.is_log_append_time
        self._time = header.base_timestamp if self._varies else header.max_timestamp
        self._place = 0

    def some(self) -> list[Span]:
        """The next records; none behind the last. Raises CorruptBatchError, in Kafka's words, where
        the next one is wrong."""
        data, place, left, total = self._data, self._place, self._left, len(self._data)
        found: list[Span] = []
        number, end = 0, 0
        while left and number < _MOST:
            end, time, delta, key_at, key_size, value_at, value_size, rest = at.record(data, place)
            if end < 0 or (left == 1 and end != total):
                break
            time = at.plus(self._time, time) if self._varies else self._time
            sequence = self._sequence + delta & _WRAP if self._sequence >= 0 else -1
            offset = at.plus(self._base, delta)
            span = (offset, time, sequence, key_at, key_size, value_at, value_size, rest)
            found.append(span)
            number += 1
            left -= 1
            place = end
        self._place, self._left = place, left
        if number or not left:
            return found
        if end >= 0:
            raise CorruptBatchError(LATE_END)
        raise fault(bytes(data), place, streamed=self._streamed)
