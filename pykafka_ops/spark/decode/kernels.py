"""The loops of ``disk.hot.record_columns``, compiled by numba where the library is not.

Compiled code is kept per machine: beside this file, or in the user's cache where that cannot be
written (or the package came as a zip).
"""

from __future__ import annotations

from typing import Any

import numba

from pykafka_ops.disk.hot.record_columns import CUT, FULL, ODD


def _compiled(function: Any) -> Any:
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place for a cache
        return numba.njit(nogil=True)(function)


@_compiled
def frames(data: Any, whole: bool, places: Any) -> Any:
    """Fill ``places`` with where batches v2 begin in ``data``; (how many, where the next is, why).

    With ``whole`` a batch must end within ``data``, else only its header must be there.
    """
    at, n, end = 0, 0, len(data)
    while True:
        if end - at < 61:
            return n, at, CUT
        if n == len(places):
            return n, at, FULL
        length = 0
        for i in range(8, 12):
            length = length << 8 | data[at + i]
        if data[at + 16] != 2 or length < 49 or length >= 2**31:
            return n, at, ODD
        if whole and length + 12 > end - at:
            return n, at, CUT
        places[n] = at
        n += 1
        at += length + 12


@_compiled
def _integer(data: Any, at: int, end: int, longest: int) -> Any:
    """(a zig-zag integer of at most ``longest`` bytes, the place behind it); -1 where none is."""
    value, shift = 0, 0
    for _ in range(longest):
        if at >= end:
            return 0, -1
        byte = numba.int64(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if longest == 5:
                value &= 0xFFFFFFFF
            low = value & 1
            half = (value >> 1) & 0x7FFFFFFFFFFFFFFF
            return half ^ -low, at
        shift += 7
    return 0, -1


@_compiled
def _skip_headers(data: Any, at: int, end: int) -> int:
    """The place behind a record's headers; -1 where they are malformed."""
    count, at = _integer(data, at, end, 5)
    if at < 0 or count < 0 or count > (end - at) // 2:
        return -1
    for _ in range(count):
        size, at = _integer(data, at, end, 5)
        if at < 0 or size < 0 or size > end - at:
            return -1
        size, at = _integer(data, at + size, end, 5)
        if at < 0 or size > end - at:
            return -1
        if size > 0:
            at += size
    return at


@_compiled
def _copy(data: Any, at: int, size: int, out: Any, to: int) -> int:
    """Copy ``size`` bytes (none below 1); where they end in ``out``.

    Indexes are unsigned: what could be negative would be looked at byte by byte.
    """
    if size < 1:
        return to
    source, target = numba.uint64(at), numba.uint64(to)
    for i in range(numba.uint64(size)):
        out[target + i] = data[source + i]
    return to + size


@_compiled
def _content(data: Any, at: int, end: int) -> Any:
    """(place, size) of a key or value with its size before it, and the place behind; -1 if odd."""
    size, at = _integer(data, at, end, 5)
    if at < 0 or size > end - at:
        return 0, 0, -1
    if size < 0:
        return at, -1, at
    return at, size, at + size


@_compiled
def _record(data: Any, at: int, end: int) -> Any:
    """(where the record ends or -1, timestamp and offset delta, place and size of key and value,
    place of headers or -1) of the record at ``at``."""
    size, at = _integer(data, at, end, 5)
    if at < 0 or size < 6 or size > end - at:
        return -1, 0, 0, 0, 0, 0, 0, 0
    stop = at + size
    time, at = _integer(data, at + 1, stop, 10)
    if at < 0:
        return -1, 0, 0, 0, 0, 0, 0, 0
    delta, at = _integer(data, at, stop, 5)
    if at < 0:
        return -1, 0, 0, 0, 0, 0, 0, 0
    key_at, key_size, at = _content(data, at, stop)
    if at < 0:
        return -1, 0, 0, 0, 0, 0, 0, 0
    value_at, value_size, at = _content(data, at, stop)
    if at < 0 or at >= stop:
        return -1, 0, 0, 0, 0, 0, 0, 0
    header_at = -1
    if data[at] == 0:
        at += 1
    else:
        header_at = at
        at = _skip_headers(data, at, stop)
    if at != stop:
        return -1, 0, 0, 0, 0, 0, 0, 0
    return stop, time, delta, key_at, key_size, value_at, value_size, header_at


@_compiled
def records(data: Any, batches: Any, bounds: Any, copies: Any, places: Any, contents: Any) -> Any:
    """Step through the records of ``batches``; (number of records, bytes of keys, of values).

    ``batches``: six int64 of each batch, start, end, count, base offset, base timestamp, factor of
    a record's timestamp (0 or 1). ``bounds``: the lowest offset that counts, and the
    first that no longer does; ``copies``: whether to copy keys, values.
    ``places``: offsets, timestamps (ms), batch of each record, key sizes, value sizes (-1: null),
    headers (place, -1: none). ``contents``: ends of keys, ends of values, keys, values, and per
    batch whether it is malformed: then it gives no record.
    """
    offsets, times, owners, key_sizes, value_sizes, headers = places
    key_ends, value_ends, keys, values, bad = contents
    low, high = bounds
    key_copy, value_copy = copies
    n, key_end, value_end = 0, 0, 0
    for b in range(len(bad)):
        row = 6 * b
        at, end, count = batches[row], batches[row + 1], batches[row + 2]
        base_offset, base_time, factor = batches[row + 3], batches[row + 4], batches[row + 5]
        before = n, key_end, value_end
        for _ in range(count):
            at, time, delta, key_at, key_size, value_at, value_size, header_at = _record(
                data, at, end
            )
            if at < 0:
                break
            offset = base_offset + delta
            if offset < low or offset >= high:
                continue
            offsets[n] = offset
            times[n] = base_time + time * factor
            owners[n] = b
            key_sizes[n] = key_size
            value_sizes[n] = value_size
            headers[n] = header_at
            if key_copy:
                key_end = _copy(data, key_at, key_size, keys, key_end)
                key_ends[n + 1] = key_end
            if value_copy:
                value_end = _copy(data, value_at, value_size, values, value_end)
                value_ends[n + 1] = value_end
            n += 1
        if at != end:
            bad[b] = 1
            n, key_end, value_end = before
    return n, key_end, value_end
