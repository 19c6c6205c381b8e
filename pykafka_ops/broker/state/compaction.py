"""What of a log may be compacted, when, and in which groups of segments.

Counterpart of the rules in ``LogCleanerManager`` and of ``Cleaner.groupSegmentsBySize``. Offsets,
bytes and ms throughout.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pykafka_ops.broker.hot.raw import MAX_RELATIVE
from pykafka_ops.broker.state.configs.topic import TopicConfig


class Extent(NamedTuple):
    """A segment as the rules see it: sizes of the log and of its indexes, in bytes."""

    base_offset: int
    size: int
    index_size: int = 0
    time_index_size: int = 0


class Bounds(NamedTuple):
    """Offsets between which a log may be cleaned; ``reset`` says that the remembered first dirty
    offset did not fit the log and must be written anew."""

    first_dirty: int
    first_uncleanable: int
    reset: bool = False


class Cleanable(NamedTuple):
    """How dirty a log is. ``first_uncleanable`` is a segment's base offset."""

    first_dirty: int
    first_uncleanable: int
    clean_bytes: int
    cleanable_bytes: int
    overdue: bool

    @property
    def total_bytes(self) -> int:
        """Bytes the cleaner would read."""
        return self.clean_bytes + self.cleanable_bytes

    @property
    def ratio(self) -> float:
        """Share of dirty bytes, 0 to 1."""
        return self.cleanable_bytes / self.total_bytes if self.total_bytes else 0.0

    def due(self, config: TopicConfig) -> bool:
        """Whether the log is dirty enough, or its dirt old enough."""
        if self.overdue and self.cleanable_bytes > 0:
            return True
        return self.ratio > config.min_cleanable_dirty_ratio


def first_dirty(checkpoint: int | None, start: int, end: int) -> tuple[int, bool]:
    """(where the dirty part of a log begins, whether the checkpoint was of no use)."""
    found = start if checkpoint is None else checkpoint
    return (found, False) if start <= found <= end else (start, True)


def before_active(bases: Sequence[int], offset: int) -> range:
    """Indexes of the segments from the one that holds ``offset`` up to the active, without it
    (``nonActiveLogSegmentsFrom``)."""
    last = len(bases) - 1
    if offset >= bases[last]:
        return range(0)
    return range(max(bisect_right(bases, offset) - 1, 0), last)


def bounds(
    bases: Sequence[int],
    dirty: tuple[int, bool],
    *,
    last_stable: int,
    lag_ms: int,
    now: int,
    largest_timestamp: Callable[[int], int],
) -> Bounds:
    """Neither the active segment is cleaned, nor what is undecided or not replicated, nor
    segments younger than ``lag_ms``; ``largest_timestamp(n)`` is asked for only with a lag."""
    start, reset = dirty
    limit = min(last_stable, bases[-1])
    if lag_ms > 0:
        for n in before_active(bases, start):
            if largest_timestamp(n) > now - lag_ms:
                limit = min(limit, bases[n])
                break
    return Bounds(start, max(start, limit), reset)


def overdue(timestamps: Sequence[int], *, max_lag_ms: int, now: int) -> bool:
    """Whether the oldest dirty segment waited longer than ``max.compaction.lag.ms``;
    ``timestamps`` are those of the first batch of each dirty segment but the active."""
    known = [t for t in timestamps if t > 0]
    return bool(known) and min(known) < now - max(max_lag_ms, 0)


def measure(segments: Sequence[Extent], found: Bounds, *, is_overdue: bool) -> Cleanable:
    """How much of the log is clean and how much could be cleaned (``LogToClean``)."""
    bases = [s.base_offset for s in segments]
    held = before_active(bases, found.first_uncleanable)
    upper = bases[held[0]] if held else bases[-1]
    clean = sum(s.size for s in segments if s.base_offset < found.first_dirty)
    low = min(found.first_dirty, upper)
    dirty = sum(
        s.size
        for n, s in enumerate(segments)
        if s.base_offset < upper and (n + 1 == len(bases) or bases[n + 1] > low)
    )
    return Cleanable(found.first_dirty, upper, clean, dirty, is_overdue)


def group(
    segments: Sequence[Extent], *, max_size: int, max_index_size: int, first_uncleanable: int
) -> list[list[Extent]]:
    """Neighbours that become one segment: not longer than ``max_size`` together, nor their
    indexes than ``max_index_size``, nor their offsets than a segment can count."""
    groups: list[list[Extent]] = []
    sizes = (0, 0, 0)
    for n, segment in enumerate(segments):
        last = segments[n + 1].base_offset if n + 1 < len(segments) else first_uncleanable
        wider = (sizes[0] + segment.size, sizes[1] + segment.index_size)
        wider_time = sizes[2] + segment.time_index_size
        if (
            groups
            and wider[0] <= max_size
            and wider[1] <= max_index_size
            and wider_time <= max_index_size
            and (not segment.size or last - 1 - groups[-1][0].base_offset <= MAX_RELATIVE)
        ):
            groups[-1].append(segment)
            sizes = (*wider, wider_time)
        else:
            groups.append([segment])
            sizes = (segment.size, segment.index_size, segment.time_index_size)
    return groups
