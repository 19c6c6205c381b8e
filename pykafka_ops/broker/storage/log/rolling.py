"""When a log begins a new segment."""

from __future__ import annotations

from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.tail import ALWAYS
from pykafka_ops.broker.storage.segment import Segment


def roll(parts: LogParts, base_offset: int = 0) -> Segment:
    """Begin a new segment at the log's end (or at ``base_offset`` if that is higher), unless the
    active one begins there.

    The old one is synced in the background. Raises KafkaError KAFKA_STORAGE_ERROR.
    """
    place, tail, closed = parts.place, parts.tail, parts.segments.active
    base = max(base_offset, tail.end)
    if base == closed.base_offset:
        return closed
    with place.disk_errors():
        segment = parts.segments.roll(base, place.home.settings.clock())
        tail.begin(segment)
        tail.producers.end_offset = base
        snapshot = parts.producers.take_snapshot()
    parts.durability.flush_rolled(closed, base, snapshot)
    return segment


def roll_if_due(
    parts: LogParts, size: int, max_timestamp: int, span: tuple[int, int], now: int
) -> Segment:
    """The segment for a batch of ``size`` bytes with offsets ``span``: a new one if due.

    The first batch after the log was opened or cut comes by here. Raises KafkaError
    KAFKA_STORAGE_ERROR.
    """
    place, active = parts.place, parts.segments.active
    place.home.before_growth(place.key, parts.durability.recovery_point)
    if active.should_roll(size, max_timestamp, span[1], now):
        active = roll(parts, span[0])
    first = active.first_timestamp if active.size else max_timestamp
    age = place.config.max_segment_ms - active.jitter_ms
    parts.tail.roll_after = first + age if first >= 0 else ALWAYS
    return active
