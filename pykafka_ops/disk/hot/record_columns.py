"""Where batches v2 lie in bytes, and what is in their records, written into columns.

Compiled this is the quickest way through many records. Not compiled, those of ``spark/decode`` are,
which have the same outcome.
"""

from __future__ import annotations

from typing import Final

import pykafka_ops.compiled.raw as at
import pykafka_ops.disk.hot.filling as fill

COMPILED: Final = bool(at.COMPILED)
CUT, ODD, FULL = 0, 1, 2
"""Why :func:`frames` stopped: the next batch is not all there, is none of v2, or they are many."""

_OVERHEAD = 12
_LEAST = 49
_FIELDS = 6

Places = tuple[memoryview, memoryview, memoryview, memoryview, memoryview, memoryview]
Contents = tuple[memoryview, memoryview, memoryview, memoryview, memoryview]


def frames(data: memoryview, whole: bool, places: memoryview) -> tuple[int, int, int]:
    """Fill ``places`` (int64) with where batches v2 begin in ``data``: how many, where the next one
    is, why it is not among them.

    With ``whole`` a batch must end within ``data``, else only its header must be there.
    """
    place, number, end, most = 0, 0, len(data), len(places)
    while end - place >= at.HEADER_SIZE:
        if number == most:
            return number, place, FULL
        length = at.length(data, place + 8)
        if data[place + 16] != 2 or length < _LEAST:
            return number, place, ODD
        if whole and length + _OVERHEAD > end - place:
            break
        places[number] = place
        number += 1
        place += length + _OVERHEAD
    return number, place, CUT


def records(
    data: bytes,
    batches: memoryview,
    bounds: tuple[int, int],
    copies: tuple[bool, bool],
    places: Places,
    contents: Contents,
) -> tuple[int, int, int]:
    """Write the records of ``batches`` into columns: their number, bytes of keys, of values.

    ``batches`` (int64): six numbers of each, start, end, count, base offset, base timestamp, factor
    of a record's timestamp (0 or 1). ``bounds``: the lowest offset that counts, and the first that
    no longer does; ``copies``: whether to copy keys, values.
    ``places``: offsets, timestamps in ms (int64), batch of each record, key sizes, value sizes (-1:
    null; int32), headers (place, -1: none; int64). ``contents``: ends of keys, ends of values
    (int32, the first is 0), keys, values (bytes), and by batch whether it is malformed (byte): then
    it gives no record. There is room for all.
    """
    offsets, times, owners, key_sizes, value_sizes, headers = places
    key_ends, value_ends, keys, values, bad = contents
    low, high = bounds
    key_copy, value_copy = copies
    number, key_end, value_end = 0, 0, 0
    for batch in range(len(bad)):
        field = batch * _FIELDS
        begin, end, count = batches[field], batches[field + 1], batches[field + 2]
        base, base_time, factor = batches[field + 3], batches[field + 4], batches[field + 5]
        before, key_before, value_before = number, key_end, value_end
        section, place = data[begin:end], 0
        for _ in range(count):
            place, time, delta, key_at, key_size, value_at, value_size, rest = at.record(
                section, place
            )
            if place < 0:
                break
            offset = at.plus(base, delta)
            if offset < low or offset >= high:
                continue
            offsets[number] = offset
            times[number] = at.plus(base_time, time) if factor else base_time
            owners[number] = batch
            key_sizes[number] = key_size if key_size >= 0 else -1
            value_sizes[number] = value_size if value_size >= 0 else -1
            headers[number] = begin + rest if section[rest] else -1
            number += 1
            if key_copy:
                key_end = fill.copied(section, key_at, key_size, keys, key_end)
                key_ends[number] = key_end
            if value_copy:
                value_end = fill.copied(section, value_at, value_size, values, value_end)
                value_ends[number] = value_end
        if place != end - begin:
            bad[batch] = 1
            number, key_end, value_end = before, key_before, value_before
    return number, key_end, value_end
