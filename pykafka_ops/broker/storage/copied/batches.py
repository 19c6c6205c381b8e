"""Batches as their leader gave them, many at a time, to the active segment of a follower's log.

:func:`usual` looks at all of them before one is written: whole, sound, of magic 2 and with data,
behind each other and behind the log's end, of the latest leader epoch, with room in the segment.
Of any others it says so, and nothing is done. :func:`put` writes a run of them at once and keeps
beside them what is kept of one: indexes, producers, places.
"""

from __future__ import annotations

from collections.abc import Callable

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.append import account, extend
from pykafka_ops.broker.hot.heads import SegmentHead, TailHead
from pykafka_ops.broker.hot.sequence import in_sequence, note
from pykafka_ops.broker.storage.scan import UP_TO_MAGIC
from pykafka_ops.disk.batch import CONTROL_FLAG, LOG_OVERHEAD


def stretch(records: memoryview, start: int, most: int) -> int:
    """Where ``most`` batches end that begin at ``start``; the end of ``records`` if there are not
    as many, or what follows is none."""
    end, place = len(records), start
    while most and end - place > LOG_OVERHEAD:
        place += max(at.length(records, place + 8), 0) + LOG_OVERHEAD
        most -= 1
    return end if most or place > end else place


def usual(tail: TailHead, active: SegmentHead, records: memoryview) -> int:
    """Bytes of the whole batches that ``records`` begins with; -1 if one of them is not usual, or
    may need a new segment first. OverflowError where numbers are that nobody sends."""
    place, end, following = 0, len(records), tail.end
    room, epoch, most = tail.segment_bytes - active.size, tail.latest_epoch, tail.roll_after
    if active.index_full:
        return -1
    while end - place >= at.HEADER_SIZE:
        rest = records[place:]
        fields = at.header(rest)
        base, length, leader, magic, crc, flags, delta, _, timestamp, _, _, _, _ = fields
        size = length + LOG_OVERHEAD
        if magic != 2 or size < at.HEADER_SIZE:
            return -1
        if size > end - place:
            return place
        last = base + delta
        if (
            flags & CONTROL_FLAG
            or base < following
            or delta < 0
            or leader != epoch
            or timestamp > most
            or place + size > room
            or last - active.base_offset > at.MAX_RELATIVE
        ):
            return -1
        body = at.covered(rest[:size])
        if at.checksum(body) != crc:
            return -1
        following = last + 1
        place += size
    return place if end - place <= UP_TO_MAGIC else -1


def put(
    tail: TailHead,
    active: SegmentHead,
    records: memoryview,
    start: int,
    replay: Callable[[int], object],
) -> int:
    """Write the usual batches from ``start`` on, up to the next that the offset index names; where
    they end. ``replay(place)`` takes in a batch of a producer that is not just its next.

    Raises OSError; what is in the file behind ``active.size`` is to be taken back then.
    """
    place, end = start, len(records)
    since, interval = active.bytes_since_index, active.index_interval_bytes
    while place < end:
        size = at.length(records, place + 8) + LOG_OVERHEAD
        place += size
        if since > interval:
            break
        since += size
    end = place
    position = extend(active, records[start:end], end - start)
    producers, offsets, positions = tail.producers, tail.offsets, tail.positions
    place = start
    while place < end:
        fields = at.header(records[place:])
        base, length, _, _, _, flags, delta, _, timestamp, producer_id, epoch, sequence, _ = fields
        size, last = length + LOG_OVERHEAD, base + delta
        account(active, position, size, last, timestamp)
        tail.end = last + 1
        if producer_id >= 0:
            transactional = flags & at.TRANSACTIONAL != 0
            if in_sequence(producers, producer_id, epoch, sequence, transactional):
                note(producers, producer_id, sequence + delta, last, delta, timestamp)
            else:
                replay(place)
        producers.end_offset = last + 1
        offsets.append(base)
        positions.append(position)
        if len(offsets) > at.PLACES:
            tail.trim()
        place += size
        position += size
    return end
