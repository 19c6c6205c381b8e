"""Which segments may go: the rules of ``UnifiedLog.deleteOldSegments``, without doing it.

Each rule looks at the segments from the oldest on and answers how many of them go. None goes that
holds offsets at or above the high watermark, nor the last one while it is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.partition_files import find_segments
from pykafka_ops.broker.storage.segment import Segment


def expired(
    segments: Sequence[Segment], *, high_watermark: int, end: int, retention_ms: int, now: int
) -> int:
    """Segments whose youngest record is older than ``retention_ms`` (negative: none)."""
    if retention_ms < 0:
        return 0
    return _prefix(
        segments, high_watermark, end, lambda s, _: now - s.largest_timestamp > retention_ms
    )


def over_size(
    segments: Sequence[Segment], *, high_watermark: int, end: int, retention_bytes: int
) -> int:
    """Segments without which the log still has ``retention_bytes`` (negative: none)."""
    excess = sum(s.size for s in segments) - retention_bytes
    if retention_bytes < 0 or excess < 0:
        return 0

    def fits(segment: Segment, _: Segment | None) -> bool:
        nonlocal excess
        if excess < segment.size:
            return False
        excess -= segment.size
        return True

    return _prefix(segments, high_watermark, end, fits)


def below_start(
    segments: Sequence[Segment], *, high_watermark: int, end: int, log_start: int
) -> int:
    """Segments that end at or before the log start offset."""
    return _prefix(
        segments,
        high_watermark,
        end,
        lambda _, following: following is not None and following.base_offset <= log_start,
    )


def first_expiry(files: Files, directory: str, config: TopicConfig, log_start: int) -> int:
    """When a segment of a log that nobody uses may go: a time in ms, 0 for now, MAX_LONG for never.

    Looks at the names and sizes of the files and at the oldest time index. Raises OSError.
    """
    segments = find_segments(files, directory, config, files.list(directory))
    if not segments:
        return 0
    try:
        found = _earliest_expiry(
            segments,
            retention_ms=config.retention_ms if config.deletes else -1,
            retention_bytes=config.retention_bytes if config.deletes else -1,
            log_start=log_start,
        )
    finally:
        for segment in segments:
            segment.close()
    return MAX_LONG if found is None else found


def _earliest_expiry(
    segments: Sequence[Segment], *, retention_ms: int, retention_bytes: int, log_start: int
) -> int | None:
    """When retention may drop something of a log nobody writes to: a time in ms (0: at once),
    None for never. Looks at the oldest segment only."""
    first = segments[0]
    if len(segments) == 1 and not first.size:
        return None
    if len(segments) > 1 and segments[1].base_offset <= log_start:
        return 0
    if 0 <= retention_bytes <= sum(s.size for s in segments) - first.size:
        return 0
    return None if retention_ms < 0 else first.largest_timestamp + retention_ms + 1


def _prefix(
    segments: Sequence[Segment],
    high_watermark: int,
    end: int,
    goes: Callable[[Segment, Segment | None], bool],
) -> int:
    for n, segment in enumerate(segments):
        following = segments[n + 1] if n + 1 < len(segments) else None
        upper = following.base_offset if following is not None else end
        empty_last = following is None and not segment.size
        if high_watermark < upper or not goes(segment, following) or empty_last:
            return n
    return len(segments)
