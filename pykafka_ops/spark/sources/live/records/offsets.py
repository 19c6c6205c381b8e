"""From which offset to which records are read: the options of Spark's own ``kafka`` source.

Source: KafkaSourceProvider, KafkaOffsetReaderAdmin, KafkaOffsetRangeCalculator.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.client import offsets as o
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.spark.sources.live._cluster import led, offsets_at, topics_of
from pykafka_ops.spark.sources.options import SourceOptions, by_partition
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning

EARLIEST: Final = "earliest"
LATEST: Final = "latest"
_NUMBERS: Final = {EARLIEST: o.EARLIEST, LATEST: o.LATEST}
_BY_PARTITION: Final = (
    "startingOffsets", "endingOffsets", "startingOffsetsByTimestamp", "endingOffsetsByTimestamp",
)  # fmt: skip
Places = dict[Partition, int]


class OffsetRange(NamedTuple):
    """Offsets ``start`` to below ``end`` of a partition."""

    topic: str
    partition: int
    start: int
    end: int


class DataLossError(PkoError):
    """Records that should be read are gone, and ``failOnDataLoss`` holds."""


def subscribed(cluster: Cluster, options: SourceOptions) -> list[Partition]:
    """The partitions that exactly one of subscribe, subscribePattern and assign means."""
    given = [n for n in ("subscribe", "subscribePattern", "assign") if options.has(n)]
    if len(given) != 1:
        raise UsageError(
            f"options {', '.join(given) or 'subscribe, subscribePattern, assign'}: exactly one "
            "of subscribe, subscribePattern and assign is needed"
        )
    topics = topics_of(cluster, options)
    every = sorted(led(topics))
    if given == ["assign"]:
        wanted = options.assigned()
        missing = sorted(wanted - set(every))
        if missing:
            raise PkoError(f"partition {missing[0][0]}-{missing[0][1]} is not there, or leaderless")
        return sorted(wanted)
    unknown = sorted(set(options.words("subscribe")) - {t.name for t in topics})
    if unknown:
        raise PkoError(f"topic {unknown[0]} is not there: see option subscribe")
    return every


def limits(
    cluster: Cluster, every: list[Partition], *, committed: bool
) -> dict[Partition, OffsetRange]:
    """What each partition holds now; with ``committed`` up to the last stable offset."""
    starts = offsets_at(cluster, every, o.EARLIEST)
    ends = offsets_at(cluster, every, o.LATEST, read_committed=committed)
    return {
        p: OffsetRange(*p, starts[p].offset, max(starts[p].offset, ends[p].offset))
        for p in every
        if p in starts and p in ends
    }


def held_now(
    cluster: Cluster, options: SourceOptions, pruning: Pruning = NOTHING_PRUNED
) -> dict[Partition, OffsetRange]:
    """The same of the partitions that the options mean and ``pruning`` wants; of all where options
    name offsets, which must name all."""
    every = subscribed(cluster, options)
    if not any(options.text(name).startswith("{") for name in _BY_PARTITION):
        every = [p for p in every if pruning.wanted(*p)]
    return limits(cluster, every, committed=options.read_committed())


def pruned(cluster: Cluster, spans: list[OffsetRange], pruning: Pruning) -> list[OffsetRange]:
    """What of ``spans`` can hold records that are wanted; where a time bounds them from below, the
    brokers are asked which record is the first of that time or later."""
    left = [
        span._replace(start=max(span.start, pruning.low), end=min(span.end, pruning.high))
        for span in spans
        if pruning.wanted(span.topic, span.partition)
    ]
    left = [span for span in left if span.start < span.end]
    if pruning.since is None or pruning.since <= 0:
        return left
    firsts = offsets_at(cluster, [(s.topic, s.partition) for s in left], pruning.since)
    late = []
    for span in left:
        first = firsts.get((span.topic, span.partition))
        if first is None:  # nobody said
            late.append(span)
        elif 0 <= first.offset < span.end:
            late.append(span._replace(start=max(span.start, first.offset)))
    return late


def starting(
    cluster: Cluster, options: SourceOptions, held: Mapping[Partition, OffsetRange], default: str
) -> Places:
    """The first offset to read of each partition (batch: ``default`` is earliest)."""
    places = _asked(cluster, options, held, "starting", default)
    if default == EARLIEST and any(place == o.LATEST for place in places.values()):
        raise UsageError("option startingOffsets: latest (-1) would read nothing")
    return _real(options, places, held)


def ending(
    cluster: Cluster, options: SourceOptions, held: Mapping[Partition, OffsetRange]
) -> Places:
    """The offset behind the last to read of each partition."""
    places = _asked(cluster, options, held, "ending", LATEST)
    if any(place == o.EARLIEST for place in places.values()):
        raise UsageError("option endingOffsets: earliest (-2) would read nothing")
    real = {p: held[p].end if place == o.LATEST else place for p, place in places.items()}
    return {p: min(place, held[p].end) for p, place in real.items()}


def _asked(
    cluster: Cluster,
    options: SourceOptions,
    held: Mapping[Partition, OffsetRange],
    side: str,
    default: str,
) -> Places:
    """Offsets, -1 or -2, by the first given of ``Timestamp``, ``OffsetsByTimestamp``, and
    ``Offsets``."""
    moment = options.integer(f"{side}Timestamp")
    if moment is not None:
        return _by_time(cluster, options, dict.fromkeys(held, moment), side)
    name = f"{side}OffsetsByTimestamp"
    if options.has(name):
        return _by_time(cluster, options, _all_of(options, name, held), side)
    name = f"{side}Offsets"
    text = options.text(name, default)
    if text.lower() in _NUMBERS:
        return dict.fromkeys(held, _NUMBERS[text.lower()])
    return _all_of(options, name, held)


def _all_of(options: SourceOptions, name: str, held: Mapping[Partition, OffsetRange]) -> Places:
    """An option's value for every partition, no more and no less, as Spark wants it."""
    found = by_partition(options.json(name), name)
    differing = sorted(set(found) ^ set(held))
    if differing:
        topic, partition = differing[0]
        what = "is not read" if differing[0] in found else "is missing"
        raise UsageError(f"option {name}: {topic}-{partition} {what}: give all that are read")
    if any(value < -2 for value in found.values()):
        raise UsageError(f"option {name}: offsets are from 0 on, -1 (latest) or -2 (earliest)")
    return found


def _by_time(cluster: Cluster, options: SourceOptions, moments: Places, side: str) -> Places:
    """The first record from a time on; where there is none the end of the log, or an error."""
    strategy = options.one_of("startingOffsetsByTimestampStrategy", ("error", "latest"))
    found: Places = {}
    for moment in sorted(set(moments.values())):
        part = [p for p, at in moments.items() if at == moment]
        for p, at in offsets_at(cluster, part, moment).items():
            if at.offset < 0 and side == "starting" and strategy == "error":
                raise PkoError(
                    f"partition {p[0]}-{p[1]} has no record from {moment} ms on: with "
                    "startingOffsetsByTimestampStrategy=latest it is read from its end"
                )
            found[p] = at.offset if at.offset >= 0 else o.LATEST
    return found


def _real(options: SourceOptions, places: Places, held: Mapping[Partition, OffsetRange]) -> Places:
    """Offsets that are there: DataLossError where one is not, unless that may be."""
    found: Places = {}
    for p, place in places.items():
        span = held[p]
        if place in (o.EARLIEST, o.LATEST):
            place = span.start if place == o.EARLIEST else span.end
        found[p] = checked(options, p, place, span)
    return found


def checked(options: SourceOptions, partition: Partition, place: int, span: OffsetRange) -> int:
    """``place`` brought into ``span``; DataLossError where that skips records, unless it may."""
    inside = min(max(place, span.start), span.end)
    if inside != place and options.flag("failOnDataLoss", default=True):
        raise DataLossError(
            f"partition {partition[0]}-{partition[1]} has no offset {place}, only {span.start} to "
            f"{span.end}: failOnDataLoss=false reads what is there"
        )
    return inside


def split(spans: list[OffsetRange], least: int | None, most: int | None) -> list[OffsetRange]:
    """Ranges for tasks: each at most ``most`` records, and ``least`` of them or more.

    Both count offsets, as Spark's source does; parts of a partition are in its order.
    """
    spans = [s for s in spans if s.end > s.start]
    if most:
        spans = [part for s in spans for part in _parts(s, -(-(s.end - s.start) // most))]
    if not least or len(spans) >= least:
        return spans
    total = sum(s.end - s.start for s in spans)
    return [
        part for s in spans for part in _parts(s, max(1, round((s.end - s.start) / total * least)))
    ]


def _parts(span: OffsetRange, count: int) -> list[OffsetRange]:
    size = span.end - span.start
    count = min(count, size)
    borders = [span.start + size * i // count for i in range(count + 1)]
    return [span._replace(start=first, end=last) for first, last in pairwise(borders)]
