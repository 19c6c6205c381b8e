"""Opening a log: what its files hold (``LogLoader``)."""

from __future__ import annotations

import logging

from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.tail import UNKNOWN
from pykafka_ops.broker.storage.partition_files import find_segments, tidy
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_log = logging.getLogger("kafka.log.UnifiedLog")


def load(parts: LogParts) -> Segment:
    """Read what the directory holds, and repair what a crash left; the active segment.

    Raises KafkaError KAFKA_STORAGE_ERROR if the disk fails or the log is closed.
    """
    place = parts.place
    place.home.check()
    if parts.durability.closed:
        raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, f"log {place.name} is closed")
    with place.disk_errors():
        try:
            _load(parts)
        except OSError:
            parts.forget()
            raise
    # What a crash left undone is owed at once.
    parts.durability.flush_if_due()
    return parts.segments.active


def _load(parts: LogParts) -> None:
    place, tail, durability = parts.place, parts.tail, parts.durability
    files, home = place.home.files, place.home
    found = tidy(files, place.path, place.config)
    segments = find_segments(files, place.path, place.config, found)
    end = _find_end(segments, parts.start_checkpoint) if parts.settled else None
    if end is None:
        from pykafka_ops.broker.storage.recovery import Recovery

        done = Recovery(
            *(files, place.path, place.config),
            recovery_point=durability.recovery_point or None,
            start_offset=parts.start_checkpoint,
            cleaned_to=place.cleaned_to or 0,
            settings=home.settings,
        ).run()
        end, durability.recovery_point = done.end_offset, done.recovery_point
        parts.settled = done.stored
        found = files.list(place.path)
        segments = find_segments(files, place.path, place.config, found)
    if tail.end not in (UNKNOWN, end):
        _log.warning("%s: ends at %d, not at %d as recorded", place.path, end, tail.end)
    for segment in segments:
        segment.side_files = None  # from now on they change
    stopped = tail.end == end
    start = max(parts.start_checkpoint, segments[0].base_offset)
    durability.recovery_point = min(durability.recovery_point, end)
    parts.segments.fill(segments)
    known = (parts.start_checkpoint, end)
    parts.epochs.load(parts.segments, durability.recovery_point, known, stopped=stopped)
    parts.producers.load(found, parts.segments, (start, end), stopped=stopped)
    tail.start, tail.end = start, end
    tail.begin(segments[-1])
    tail.move_high_watermark(max(tail.high_watermark, parts.watermark_checkpoint))


def _find_end(segments: list[Segment], start_checkpoint: int) -> int | None:
    """The log's end offset; None if the directory is not as a clean stop leaves it."""
    if not segments:
        return None
    end, position = segments[-1].find_end()
    if position != segments[-1].size or end < start_checkpoint:
        return None
    return end
