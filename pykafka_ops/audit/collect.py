"""Counting a tier into its book: what is new since the last time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.books.line import BookLine
from pykafka_ops.audit.book import AuditBook, CountedPlace, Tier
from pykafka_ops.audit.counting import BadBatchError, BookTaker
from pykafka_ops.audit.latest import LatestTaker
from pykafka_ops.audit.source import (
    AuditPlace,
    PartitionKey,
    PartitionSource,
    PlaceReading,
    ReadSoFar,
)
from pykafka_ops.errors import PkoError


class Collected(NamedTuple):
    """What was new in a partition: records (of a compacted one: keys), their bytes, from which
    offset up to which."""

    topic: str
    partition: int
    records: int
    bytes: int
    first: int
    next: int
    compacted: bool


class CollectResult(NamedTuple):
    """By partition; what failed, by its name; what is worth saying."""

    rows: Sequence[Collected]
    failed: Mapping[str, PkoError]
    notes: Sequence[str]


def collect(
    book: AuditBook,
    tier: Tier,
    source: PartitionSource,
    wanted: Callable[[str], bool],
    only: Collection[PartitionKey] | None = None,
) -> CollectResult:
    """Count the topics wanted of a tier, of them ``only`` these partitions. Raises PkoError where
    there is nothing to be had."""
    places, failed = source.places(wanted)
    job = _Collecting(book, tier, source)
    if only is None:
        job.failed.update(failed)
    else:
        places = [place for place in places if place.key in only]
    readings = [job.reading(place) for place in places]
    job.read(readings)
    return CollectResult([job.row(reading) for reading in readings], job.failed, job.notes)


class _Collecting:
    def __init__(self, book: AuditBook, tier: Tier, source: PartitionSource) -> None:
        self.book, self.tier, self.source = book, tier, source
        self.failed: dict[str, PkoError] = {}
        self.notes: list[str] = []
        self._counted: dict[PartitionKey, CountedPlace] = {}
        self._new: dict[PartitionKey, tuple[int, int]] = {}
        self._gaps: set[PartitionKey] = set()

    def reading(self, place: AuditPlace) -> PlaceReading:
        """From where on a partition is read now."""
        known = self.book.place(self.tier, *place.key)
        if known is not None and (why := _other_log(known, place)):
            self.notes.append(f"{place.topic}-{place.partition}: {why}: it is counted anew")
            self.book.forget(known)
            known = None
        if known is None:
            known = self.book.begin(self.tier, place)
            if place.start > 0:
                self._gaps.add(place.key)
        elif place.start > known.next:
            self.notes.append(
                f"{place.topic}-{place.partition}: offsets {known.next} to {place.start - 1} were "
                "deleted before they could be counted; collect more often"
            )
            self.book.skip_to(known, place.start)
            known = known._replace(next=place.start)
            self._gaps.add(place.key)
        self._counted[place.key] = known
        return self._from(place, known, max(place.end, known.next))

    def _from(self, place: AuditPlace, known: CountedPlace, stop: int) -> PlaceReading:
        taker = (
            LatestTaker(known.next, stop)
            if known.compacted
            else BookTaker(self.tier.width, known.next, stop)
        )
        return PlaceReading(place, known.next, stop, taker)

    def read(self, readings: Sequence[PlaceReading]) -> None:
        """Read them all; once more, up to it, where a batch is bad."""
        again = []
        failed = self.source.read([r for r in readings if r.first < r.stop], self.settle)
        for reading in readings:
            error = failed.get(reading.place.key)
            if error is None:
                self.book.reached(self._counted[reading.place.key], reading.place.read_ms)
                continue
            self.failed[f"{reading.place.topic}-{reading.place.partition}"] = error
            known = self._counted[reading.place.key]
            self.book.reached(known, max(known.read_ms, known.newest_ms))
            if isinstance(error, BadBatchError) and error.offset > known.next:
                again.append(self._from(reading.place, known, error.offset))
        if again:
            self.source.read(again, self.settle)

    def settle(self, feed: ReadSoFar, reading: PlaceReading) -> None:
        """Write down what was counted."""
        key, taker = reading.place.key, reading.taker
        known = self._counted[key]
        records, size = self._new.get(key, (0, 0))
        if isinstance(taker, LatestTaker):
            values = taker.take_values()
            self.book.keep_latest(known, values, feed.position)
            records += len(values)
        elif isinstance(taker, BookTaker):
            lines = taker.take_lines()
            if lines and key in self._gaps:
                self._gaps.discard(key)
                self._drop(known, lines)
            self.book.keep(known, lines, feed.position)
            records += sum(line.records for line in lines.values())
            size += sum(line.bytes for line in lines.values())
        newest = self.book.place(self.tier, *key)
        assert newest is not None
        self._counted[key] = newest
        self._new[key] = records, size

    def _drop(self, known: CountedPlace, lines: Mapping[int, BookLine]) -> None:
        """Records before the first of these lines were deleted: their time is not known in full."""
        first = min(lines.values(), key=lambda line: line.first_offset)
        self.book.drop_span(known, max(known.newest_ms, 0), max(first.first_ms, 0) + 1)

    def row(self, reading: PlaceReading) -> Collected:
        """What was new."""
        place = reading.place
        records, size = self._new.get(place.key, (0, 0))
        known = self._counted[place.key]
        return Collected(*place.key, records, size, reading.first, known.next, known.compacted)


def _other_log(known: CountedPlace, place: AuditPlace) -> str:
    """Why what was counted is of another log than what is there now; "" if it is not."""
    if known.topic_id and place.topic_id and known.topic_id != place.topic_id:
        return "the topic was made anew"
    if place.log_end < known.next:
        return f"its log ends at offset {place.log_end}, {known.next} was counted before"
    if known.compacted != place.compacted:
        return "its log is compacted now" if place.compacted else "its log is compacted no more"
    return ""
