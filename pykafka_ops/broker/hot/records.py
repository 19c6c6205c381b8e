"""Whether a batch holds the records that its header promises: well formed, offsets from 0 up one by
one, the latest timestamp that of the header. For a batch with CreateTime that is all there is to
check where a topic sets no bounds and needs no keys.

Compiled, :func:`in_order` goes from record to record. Not compiled, ``disk.survey`` has quicker
ways for one record and for many. False may also mean that finding out takes longer than that: the
ordinary code then looks closely.
"""

from __future__ import annotations

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.survey import as_promised

_NO_TIMESTAMP = -1
_new = tuple.__new__


def promised(data: bytes | memoryview, start: int, fields: at.Fields) -> bool:
    """Whether the records that fill ``data`` from ``start`` on are those of a header with these
    fields."""
    if at.COMPILED:
        return in_order(data, start, fields[7], fields[8], fields[12])
    header: BatchHeader = _new(BatchHeader, fields)
    return as_promised(data if isinstance(data, bytes) else bytes(data), start, header)


def in_order(
    data: bytes | memoryview, place: int, base_time: int, max_time: int, count: int
) -> bool:
    """Whether ``data`` from ``place`` on holds ``count`` records, the latest of ``max_time`` (ms),
    others not later."""
    latest = _NO_TIMESTAMP
    for number in range(count):
        record = at.record(data, place)  # type: ignore[arg-type]
        place = record[0]
        if place < 0 or record[2] != number:
            return False
        time = at.plus(base_time, record[1])
        if time > latest:
            latest = time
    return place == len(data) and latest == max_time
