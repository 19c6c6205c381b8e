"""Which bytes of which segments a read needs, cut into tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import numpy as np

from pykafka_ops.errors import UsageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.sources.files import (
    Location,
    ReplicaDir,
    SegmentFile,
    both_tiers,
    replicas,
)
from pykafka_ops.spark.sources.log.options import EARLIEST, LATEST, Bound, LogOptions
from pykafka_ops.spark.sources.log.scan import ByteRange
from pykafka_ops.spark.sources.log.seek import Seeker
from pykafka_ops.spark.sources.log.units import chosen
from pykafka_ops.spark.sources.pruning import MAX_OFFSET, NOTHING_PRUNED, Pruning

_T = TypeVar("_T")
_R = TypeVar("_R")
_OPEN_COST = 64 << 10
_LEAST_TASK = 16 << 20
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class SegmentPart:
    """A range of a segment, and which offsets of it count (from ``low`` to below ``high``).

    ``aborted`` are the base offsets of the transaction indexes that cover it. ``whole`` is its file
    where the part reaches to the end of it. ``dangling``: it is a link to nothing. ``group`` and
    ``rate`` are of a unit of a sample: the group it is in, and the share of its topic that is read.
    """

    replica: ReplicaDir
    name: str
    part: ByteRange
    low: int
    high: int
    aborted: tuple[int, ...] = ()
    whole: SegmentFile | None = None
    dangling: bool = False
    group: int | None = None
    rate: float | None = None

    @property
    def constants(self) -> dict[str, object]:
        """The columns that are the same in all its rows."""
        replica = self.replica
        return {
            "topic": replica.topic,
            "partition": replica.partition,
            "broker": replica.broker,
            "log_dir": replica.log_dir,
            "segment": uris.shown(self.name) or None,
            "unit_group": self.group,
            "rate": self.rate,
        }


@dataclass(frozen=True, slots=True)
class ReplicaSpan:
    """What is asked of a replica: offsets from ``low`` to below ``high``."""

    replica: ReplicaDir
    low: int
    high: int


class LogTask:
    """What one task reads, in order."""

    def __init__(self, parts: Sequence[SegmentPart]) -> None:
        self.parts = list(parts)


def found(options: LogOptions, pruning: Pruning = NOTHING_PRUNED) -> list[ReplicaDir]:
    """The replicas to read; with ``replicas=one`` of each partition the one that reaches furthest.

    Raises UsageError or StorageError naming the location that is wrong.
    """

    def wanted(topic: str | None, partition: int | None) -> bool:
        return options.wanted(topic, partition) and pruning.wanted(topic, partition)

    every = [replica for place in options.places for replica in replicas(place, wanted)]
    every = both_tiers(every)
    every = [r for r in every if wanted(r.topic, r.partition)]
    every = furthest(every) if options.replicas == "one" else every
    allow = pruning.conditions.allow
    return [r for r in every if allow(broker=r.broker, log_dir=r.log_dir)]


def furthest(every: Iterable[ReplicaDir]) -> list[ReplicaDir]:
    """Of each partition the replica with the greatest last offset."""
    by_key: dict[tuple[str, int], list[ReplicaDir]] = {}
    for replica in every:
        by_key.setdefault(replica.key, []).append(replica)
    chosen = []
    for same in by_key.values():
        if len(same) > 1 and any(a.segments != same[0].segments for a in same):
            chosen.append(max(same, key=lambda r: seeker(r).end_offset()))
        else:
            chosen.append(same[0])
    return chosen


def seeker(replica: ReplicaDir) -> Seeker:
    """What looks up places in ``replica``."""
    root = replica.root
    place = Location.of(root) if root else Location(None, replica.path)
    return Seeker(place, replica)


def spans(options: LogOptions, chosen: Sequence[ReplicaDir]) -> list[ReplicaSpan]:
    """The offsets that the options name, by replica."""

    def one(replica: ReplicaDir) -> ReplicaSpan:
        return ReplicaSpan(replica, low_of(options, replica), high_of(options, replica))

    return each(one, chosen)


def each(function: Callable[[_T], _R], items: Sequence[_T]) -> list[_R]:
    """``function`` of each item, several at a time where there are many or they are far away."""
    if len(items) < 4:
        return [function(item) for item in items]
    with ThreadPoolExecutor(min(_AT_ONCE, 2 + (os.cpu_count() or 1))) as pool:
        return list(pool.map(function, items))


def low_of(options: LogOptions, replica: ReplicaDir) -> int:
    """Where a read of ``replica`` begins."""
    first = replica.start_offset if options.mode == "records" else 0
    return max(first, _offset(options.starting, replica, options, first))


def high_of(options: LogOptions, replica: ReplicaDir) -> int:
    """Where it ends (exclusive)."""
    high = _offset(options.ending, replica, options, 0)
    if options.committed:
        high = min(high, seeker(replica).stable_end())
    return high


def _offset(bound: Bound, replica: ReplicaDir, options: LogOptions, first: int) -> int:
    moment = bound.moment_of(*replica.key)
    if moment is not None:
        at = seeker(replica).first_at(moment)
        if at is None and options.strategy == "error" and bound is options.starting:
            topic, partition = replica.key
            raise UsageError(f"{topic}-{partition}: no record at or after timestamp {moment}")
        return MAX_OFFSET if at is None else at[0]
    offset = bound.offset_of(*replica.key)
    if offset == LATEST:
        return seeker(replica).end_offset() if bound is options.starting else MAX_OFFSET
    return first if offset == EARLIEST else max(offset, 0)


def tasks(
    wanted: Sequence[ReplicaSpan], options: LogOptions, pruning: Pruning = NOTHING_PRUNED
) -> list[LogTask]:
    """Tasks of about ``options.task_bytes`` each, or less so that there are as many as asked for.

    A large segment is cut where its index shows batches to begin; small ones share a task.
    """
    chosen = [item for span in wanted for item in _segments(span, pruning)]
    total = sum(end - start for _, _, start, end in chosen)
    size = _task_size(total, options)
    parts = (
        part
        for span, segment, start, end in chosen
        for part in _cut(span, segment, start, end, size, options)
    )
    lost = (part for span in wanted for part in _dangling(span))
    return list(tasks_of(chain(parts, lost), size))


def parts_of(span: ReplicaSpan, options: LogOptions, size: int) -> Iterator[SegmentPart]:
    """What of one replica is read, cut into pieces of about ``size`` bytes."""
    for _, segment, start, end in _segments(span, NOTHING_PRUNED):
        yield from _cut(span, segment, start, end, size, options)
    yield from _dangling(span)


def sample_of(
    span: ReplicaSpan, options: LogOptions, rate: float
) -> Iterator[tuple[list[SegmentPart], int]]:
    """What a sample has of each segment, and of how many units; each has probability ``rate``."""
    for of, segment, start, end in _segments(span, NOTHING_PRUNED):
        make = _making(of, segment, options)
        if end <= start:  # nothing is there where something should be
            yield [make(start, end)], 0
            continue
        units, count = chosen(seeker(of.replica), segment, start, end, rate)
        parts = [replace(make(u.start, u.end), group=u.group) for u in units]
        yield parts, count
    yield list(_dangling(span)), 0


def bytes_of(span: ReplicaSpan) -> int:
    """How many bytes a read of it has to go through."""
    return sum(end - start for _, _, start, end in _segments(span, NOTHING_PRUNED))


def tasks_of(parts: Iterable[SegmentPart], size: int) -> Iterator[LogTask]:
    """Tasks of about ``size`` bytes; to open a file costs some, too."""
    costs = ((part, part.part.end - part.part.start) for part in parts)
    return map(LogTask, grouped(costs, size, min(_OPEN_COST, size // 64)))


def _dangling(span: ReplicaSpan) -> Iterator[SegmentPart]:
    slim = span.replica._replace(segments=(), snapshots=(), dangling=())
    for name in span.replica.dangling:
        yield SegmentPart(slim, name, ByteRange(0, 0, 0, False), span.low, span.high, dangling=True)


def _task_size(total: int, options: LogOptions) -> int:
    if options.min_partitions > 1:
        return max(1, min(options.task_bytes, -(-total // options.min_partitions)))
    if options.max_bytes is not None:
        return options.max_bytes
    return size_for(total, 2 * (os.cpu_count() or 1), options)


def size_for(total: int, tasks: int, options: LogOptions) -> int:
    """Bytes of a task where all have ``total`` and there had better be so many."""
    return min(options.task_bytes, max(total // tasks, _LEAST_TASK))


def _segments(
    span: ReplicaSpan, prune: Pruning
) -> Iterator[tuple[ReplicaSpan, SegmentFile, int, int]]:
    """(span, segment, start, end) of the bytes that hold the offsets of a span. What remote storage
    has beyond the next segment's first offset is in that one, too: it is not read twice."""
    low, high = max(span.low, prune.low), min(span.high, prune.high)
    seek = seeker(span.replica)
    every = span.replica.segments
    for n, segment in enumerate(every):
        following = every[n + 1].base_offset if n + 1 < len(every) else MAX_OFFSET
        emptied = not segment.size and max(segment.index_size, segment.time_index_size) > 0
        if (
            following <= low
            or segment.base_offset >= high + emptied
            or not (segment.size or emptied)
        ):
            continue
        if prune.since is not None:
            newest = seek.newest(segment)
            if newest is not None and newest < prune.since:
                continue
        start = seek.before(segment, low) if low > segment.base_offset else 0
        end = seek.behind(segment, high) if high < following else segment.size
        if end > start or emptied:
            ends = min(span.high, following) if segment.tiered else span.high
            yield replace(span, high=ends), segment, start, end


def _cut(
    span: ReplicaSpan, segment: SegmentFile, start: int, end: int, size: int, options: LogOptions
) -> Iterator[SegmentPart]:
    make = _making(span, segment, options)
    borders = _borders(seeker(span.replica), segment, start, end, size)
    for begin, stop in zip([start, *borders], [*borders, end], strict=True):
        yield make(begin, stop)


def _making(
    span: ReplicaSpan, segment: SegmentFile, options: LogOptions
) -> Callable[[int, int], SegmentPart]:
    """What makes parts of a segment, from where a batch begins to where one does."""
    active = seeker(span.replica).active(segment)
    slim = span.replica._replace(segments=(), snapshots=())
    if segment.tiered and options.committed:
        raise UsageError(
            f"{uris.shown(segment.name)}: which transactions were aborted is not read of remote "
            "storage: leave kafka.isolation.level as it is"
        )
    aborted = _aborted(span.replica, segment) if options.committed else ()

    def make(begin: int, stop: int) -> SegmentPart:
        last = stop == segment.size
        part = ByteRange(begin, stop, segment.base_offset, active and last)
        end_of = segment if last else None
        return SegmentPart(slim, segment.name, part, span.low, span.high, aborted, end_of)

    return make


def _borders(seek: Seeker, segment: SegmentFile, start: int, end: int, size: int) -> list[int]:
    """Where to cut a segment between ``start`` and ``end`` so that pieces have about ``size``."""
    if end - start <= size + size // 4:
        return []
    _, positions = seek.index(segment)
    borders: list[int] = []
    at = start + size
    while at < end - size // 4:
        slot = int(np.searchsorted(positions, at))
        if slot >= len(positions) or positions[slot] >= end:
            break
        if seek.border(segment, slot):
            borders.append(int(positions[slot]))
        at = max(int(positions[slot]), at) + size
    return borders


def _aborted(replica: ReplicaDir, segment: SegmentFile) -> tuple[int, ...]:
    """The transaction indexes that may name aborted transactions in a segment."""
    return tuple(
        s.base_offset
        for s in replica.segments
        if s.base_offset >= segment.base_offset and s.txn_index_size > 0
    )


def grouped(items: Iterable[tuple[_T, int]], room: int, extra: int = 0) -> Iterator[list[_T]]:
    """Items that come with their costs, in their order, in groups that cost about ``room``;
    ``extra`` is for each."""
    group: list[_T] = []
    left = room
    for item, cost in items:
        if group and cost > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= cost + extra
    if group:
        yield group


def ends(options: LogOptions) -> dict[tuple[str, int], int]:
    """The offset behind the last whole batch of each partition; the last stable one when only
    committed transactions are read."""

    def one(replica: ReplicaDir) -> int:
        seek = seeker(replica)
        return seek.stable_end() if options.committed else seek.end_offset()

    chosen = found(options)
    return dict(zip([r.key for r in chosen], each(one, chosen), strict=True))
