"""What retention will do to a log that nobody uses, found without opening it."""

from __future__ import annotations

from pykafka_ops.broker.state.configs.topic import MAX_LONG, TopicConfig
from pykafka_ops.broker.storage import retention
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.broker.storage.recovery import find_segments


def first_expiry(files: Files, directory: str, config: TopicConfig, log_start: int) -> int:
    """When a segment may go, if nothing is appended: a time in ms, 0 for now, MAX_LONG for never.

    Looks at the names and sizes of the files and at the oldest time index. Raises OSError.
    """
    segments = find_segments(files, directory, config, files.list(directory))
    if not segments:
        return 0
    try:
        found = retention.earliest_expiry(
            segments,
            retention_ms=config.retention_ms if config.deletes else -1,
            retention_bytes=config.retention_bytes if config.deletes else -1,
            log_start=log_start,
        )
    finally:
        for segment in segments:
            segment.close()
    return MAX_LONG if found is None else found
