"""Dropping old segments from a log (``UnifiedLog.deleteOldSegments``)."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.storage import retention
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.rolling import roll
from pykafka_ops.broker.storage.log.truncation import raise_log_start


def delete_old_segments(parts: LogParts, now: int) -> int:
    """As ``Log.delete_old_segments``, of a log that is open."""
    config, tail = parts.place.config, parts.tail

    def drop(rule: Callable[..., int], **limits: int) -> int:
        bounds = {"high_watermark": tail.high_watermark, "end": tail.end}
        with parts.place.disk_errors():
            count = rule(list(parts.segments), **bounds, **limits)
        if count:
            _drop_first(parts, count)
        return count

    count = drop(retention.below_start, log_start=tail.start)
    if config.deletes:
        count += drop(retention.over_size, retention_bytes=config.retention_bytes)
        count += drop(retention.expired, retention_ms=config.retention_ms, now=now)
    return count


def _drop_first(parts: LogParts, count: int) -> None:
    """Drop the ``count`` oldest segments; the log then starts after them."""
    segments = parts.segments
    if count == len(segments):
        roll(parts)
    raise_log_start(parts, segments.bases[count])
    with parts.place.disk_errors():
        segments.remove_later(segments.take_first(count), parts.producers.snapshots)
