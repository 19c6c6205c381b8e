"""Cutting a log: at its end (followers), at its start (DeleteRecords, retention), completely."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.storage import retention
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.tail import UNKNOWN
from pykafka_ops.broker.storage.log.writing import roll
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_HIGH_WATERMARK = -1


def truncate_to(parts: LogParts, offset: int) -> bool:
    """As ``Log.truncate_to``."""
    if offset < 0:
        raise ValueError(f"cannot truncate {parts.place.name} to the negative offset {offset}")
    parts.place.forget_cleaned(offset)
    if offset >= parts.tail.end:
        parts.epochs.cut(parts.tail.end)
        return False
    if parts.segments.bases[0] > offset:
        truncate_fully(parts, offset)
        return True
    with parts.place.disk_errors():
        _cut(parts, offset)
    return True


def _cut(parts: LogParts, offset: int) -> None:
    tail, segments = parts.tail, parts.segments
    segments.remove_later(segments.take_after(offset), parts.producers.snapshots)
    tail.begin(segments.active)
    segments.active.truncate_to(offset, parts.place.home.settings.clock())
    tail.start, tail.end = min(tail.start, offset), offset
    parts.start_checkpoint = min(parts.start_checkpoint, offset)
    parts.durability.cut(offset)
    if parts.epochs.cut(offset):
        parts.epochs.write()
    parts.producers.cut(segments, (tail.start, offset))
    tail.move_high_watermark(tail.high_watermark)


def truncate_fully(parts: LogParts, start_offset: int, log_start: int | None = None) -> None:
    """As ``Log.truncate_fully``."""
    tail = parts.tail
    parts.place.forget_cleaned(start_offset)
    with parts.place.disk_errors():
        try:
            _start_over(parts, start_offset)
        except OSError:
            parts.durability.cut(0)
            parts.forget()
            tail.start = tail.end = UNKNOWN  # what is left is found out at the next use
            raise
    tail.start = parts.start_checkpoint = start_offset if log_start is None else log_start
    tail.move_high_watermark(start_offset)


def _start_over(parts: LogParts, offset: int) -> None:
    segments = parts.segments
    segments.remove_later(list(segments), parts.producers.snapshots)
    segments.fill([segments.create(offset, parts.place.home.settings.clock())])
    parts.tail.begin(segments.active)
    parts.tail.end = offset
    parts.durability.cut(offset)
    parts.producers.snapshots.clear()
    parts.producers.clear(offset)
    parts.epochs.clear()
    parts.epochs.write()


def raise_log_start(parts: LogParts, offset: int) -> bool:
    """As ``Log.raise_log_start``."""
    tail = parts.tail
    if offset <= tail.start:
        return False
    tail.start = parts.start_checkpoint = offset
    parts.epochs.raise_start(offset)
    parts.producers.raise_start(offset)
    tail.move_high_watermark(max(tail.high_watermark, offset))
    parts.producers.settle()
    return True


def delete_records(parts: LogParts, before: int) -> int:
    """As ``Log.delete_records``."""
    watermark = parts.tail.high_watermark
    target = watermark if before == _HIGH_WATERMARK else before
    if not 0 <= target <= watermark:
        raise KafkaError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"Cannot increment the log start offset to {target} of partition {parts.place.name} "
            f"since it is larger than the high watermark {watermark}",
        )
    raise_log_start(parts, target)
    return parts.tail.start


def delete_old_segments(parts: LogParts, now: int) -> int:
    """As ``Log.delete_old_segments``, of a log that is open."""
    config, tail = parts.place.config, parts.tail

    def drop(rule: Callable[..., int], **limits: int) -> int:
        bounds = {"high_watermark": tail.high_watermark, "end": tail.end}
        count = rule(list(parts.segments), **bounds, **limits)
        if count:
            _drop_first(parts, count)
        return count

    with parts.place.disk_errors():
        count = drop(retention.below_start, log_start=tail.start)
        if config.deletes:
            count += drop(retention.over_size, retention_bytes=config.retention_bytes)
            count += drop(retention.expired, retention_ms=config.retention_ms, now=now)
    return count


def _drop_first(parts: LogParts, count: int) -> None:
    """Drop the ``count`` oldest segments; the log then starts after them. Raises OSError."""
    segments = parts.segments
    if count == len(segments):
        roll(parts)
    raise_log_start(parts, segments.bases[count])
    segments.remove_later(segments.take_first(count), parts.producers.snapshots)
