"""How much of a compacted log waits for the cleaner, and whether the cleaner keeps up.

Source: Kafka's ``LogToClean`` and ``LogCleanerManager.cleanableOffsets``: bytes before the first
dirty offset are clean; what lies behind, up to the active segment or records younger than
``min.compaction.lag.ms``, can be cleaned. Times in ms since 1970, sizes in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pykafka_ops.analysis.retention import LogStretch, number_of

CLEAN: Final = "clean"
DIRTY: Final = "dirty"
"""Some bytes are dirty, but fewer than ``min.cleanable.dirty.ratio`` requires."""
DUE: Final = "due"
"""The cleaner cleans it as soon as it has time."""
OVERDUE: Final = "overdue"
"""Records are older than ``max.compaction.lag.ms`` allows."""
STUCK: Final = "stuck"
"""It has been due for long, or since the last report, and nothing was cleaned."""
ORDER: Final = (CLEAN, DIRTY, DUE, OVERDUE, STUCK)
#: Due for longer than this (ms) without being cleaned is stuck.
PATIENCE: Final = 86_400_000
_MAX_LONG: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Cleaning:
    """Settings of a compacted topic (Kafka's defaults)."""

    min_dirty_ratio: float = 0.5
    min_lag_ms: int = 0
    max_lag_ms: int = _MAX_LONG


def cleaning_of(configs: Mapping[str, str | None]) -> Cleaning:
    """From a topic's settings by name; what is missing, or no number, has Kafka's default."""
    return Cleaning(
        number_of(configs, "min.cleanable.dirty.ratio", 0.5),
        number_of(configs, "min.compaction.lag.ms", 0),
        number_of(configs, "max.compaction.lag.ms", _MAX_LONG),
    )


@dataclass(slots=True)
class Debt:
    """What waits in one log. ``dirty_bytes`` can be cleaned now, ``uncleanable`` bytes cannot yet;
    ``dirty_ratio`` is Kafka's: dirty through clean and dirty (0 where both are 0); ``oldest_dirty``
    the earliest timestamp of what can be cleaned."""

    clean_bytes: int
    dirty_bytes: int
    dirty_ratio: float
    first_dirty_offset: int
    uncleanable: int
    oldest_dirty: int | None
    status: str


def debt(
    segments: Sequence[LogStretch],
    first_dirty: int | None,
    cleaning: Cleaning,
    now: int,
    *,
    before: tuple[int, str] | None = None,
) -> Debt:
    """The debt of one log (``segments`` in order, the last one active).

    ``first_dirty`` None: never cleaned. ``before``: the first dirty offset and status that the
    last report saw.
    """
    first = _first_dirty(segments, first_dirty)
    clean = sum(s.size for s in segments if s.base < first)
    open_from = _uncleanable_from(segments, first, cleaning, now)
    # As Kafka counts, a segment that the first dirty offset is inside of is clean and dirty.
    dirty = [s for s in segments[:open_from] if s.base >= first or s.last >= first]
    dirty_bytes = sum(s.size for s in dirty)
    times = [s.first_timestamp for s in dirty if s.first_timestamp >= 0 and s.size]
    oldest = min(times, default=None)
    ratio = dirty_bytes / (clean + dirty_bytes) if dirty_bytes else 0.0
    return Debt(
        clean,
        dirty_bytes,
        ratio,
        first,
        sum(s.size for s in segments[open_from:] if s.base >= first),
        oldest,
        _status(ratio, oldest, cleaning, now, None if before is None else (first, before)),
    )


def _first_dirty(segments: Sequence[LogStretch], checkpoint: int | None) -> int:
    """Where cleaning goes on: at the checkpoint, at the start where that is not in the log."""
    start = segments[0].base if segments else 0
    end = segments[-1].last + 1 if segments else 0
    return checkpoint if checkpoint is not None and start <= checkpoint <= end else start


def _uncleanable_from(
    segments: Sequence[LogStretch], first: int, cleaning: Cleaning, now: int
) -> int:
    """Index of the first segment that may not be cleaned: the active one, or the first dirty one
    with records younger than the lag."""
    last = max(0, len(segments) - 1)
    if cleaning.min_lag_ms > 0:
        for i, segment in enumerate(segments[:last]):
            if segment.base >= first and segment.max_timestamp > now - cleaning.min_lag_ms:
                return i
    return last


def _status(
    ratio: float,
    oldest: int | None,
    cleaning: Cleaning,
    now: int,
    before: tuple[int, tuple[int, str]] | None,
) -> str:
    if not ratio:
        return CLEAN
    age = now - oldest if oldest is not None else 0
    overdue = age > cleaning.max_lag_ms
    if ratio <= cleaning.min_dirty_ratio and not overdue:
        return DIRTY
    if before is not None and before[1][0] == before[0] and before[1][1] in (DUE, OVERDUE, STUCK):
        return STUCK
    patience = PATIENCE + (cleaning.max_lag_ms if overdue else cleaning.min_lag_ms)
    if age > patience:
        return STUCK
    return OVERDUE if overdue else DUE
