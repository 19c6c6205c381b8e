"""What all runs of a backup hold together. Pure.

A partition's runs follow each other. Where the source's log went back, or its topic was made anew,
another life begins; the one of the newest run is what is restored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.backup.manifest import KeptTopic, PartitionEntry, RunEntry, SegmentEntry
from pykafka_ops.disk.names import partition_dir, segment_file

DATA: Final = "data"
Partition = tuple[str, int]


def total_of(counts: Iterable[int | None]) -> int | None:
    """The sum; None if one of them is not known."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


class Gap(NamedTuple):
    """Offsets [start, end) that the source had deleted before a run could read them."""

    start: int
    end: int


class StoredPartition(NamedTuple):
    """One life of a partition over all runs, oldest first; ``end`` is where the next run goes on.

    ``log_start``: where the source's log began in the newest run that covered it.
    """

    topic: str
    partition: int
    life: int
    runs: tuple[PartitionEntry, ...]

    @property
    def end(self) -> int:
        """The offset behind the last that is stored."""
        return self.runs[-1].end

    @property
    def log_start(self) -> int:
        """Where the source's log began when it was last read."""
        return self.runs[-1].log_start

    @property
    def segments(self) -> list[SegmentEntry]:
        """All segments, in order."""
        return [segment for run in self.runs for segment in run.segments]

    @property
    def gaps(self) -> list[Gap]:
        """What is missing between the runs."""
        kept = [run for run in self.runs if run.segments or run.start < run.end]
        return [Gap(a.end, b.start) for a, b in pairwise(kept) if b.start > a.end]

    @property
    def size(self) -> int:
        """Bytes of its files of records."""
        return sum(segment.size for segment in self.segments)

    @property
    def records(self) -> int | None:
        """As its runs counted them; None: not all did."""
        return total_of(run.records for run in self.runs)


class Chain(NamedTuple):
    """A backup as of its newest run: ``topics`` of that run, ``partitions`` of their lives."""

    runs: tuple[RunEntry, ...]
    topics: dict[str, KeptTopic]
    partitions: dict[Partition, StoredPartition]

    @property
    def newest(self) -> RunEntry | None:
        """The run that says which topics, groups and rules there are; None: there was no run."""
        return self.runs[-1] if self.runs else None

    def by_topic(self) -> dict[str, list[StoredPartition]]:
        """The partitions of each topic; topics without any are left out."""
        found: dict[str, list[StoredPartition]] = {}
        for stored in self.partitions.values():
            found.setdefault(stored.topic, []).append(stored)
        return found

    def next_life(self, topic: str) -> int:
        """The life of a topic that is made anew."""
        lives = [t.life for run in self.runs for t in run.topics if t.name == topic]
        return max(lives, default=-1) + 1


def chain_of(runs: Sequence[RunEntry], later: Sequence[RunEntry] = ()) -> Chain:
    """Of runs in the order of their numbers; what ``later`` ones dropped is gone from these."""
    topics = {topic.name: topic for topic in runs[-1].topics} if runs else {}
    partitions = {
        (stored.topic, stored.partition): stored
        for stored in all_lives(runs, later)
        if stored.topic in topics and topics[stored.topic].life == stored.life
    }
    return Chain(tuple(runs), topics, partitions)


def all_lives(
    runs: Sequence[RunEntry], later: Sequence[RunEntry] = ()
) -> Iterator[StoredPartition]:
    """Every life of every partition, also of topics that are no more."""
    before: dict[tuple[str, int, int], int] = {}
    for run in (*runs, *later):
        for one in run.dropped:
            place = one.topic, one.partition, one.life
            before[place] = max(before.get(place, 0), one.before)
    found: dict[tuple[str, int, int], list[PartitionEntry]] = {}
    for run in runs:
        for entry in run.partitions:
            place = entry.topic, entry.partition, entry.life
            found.setdefault(place, []).append(_without(entry, before.get(place, 0)))
    for place, entries in found.items():
        yield StoredPartition(*place, tuple(entries))


def _without(entry: PartitionEntry, before: int) -> PartitionEntry:
    """What is left of an entry; what it counted was of all of it."""
    if not any(segment.next <= before for segment in entry.segments):
        return entry
    left = tuple(segment for segment in entry.segments if segment.next > before)
    start = max(entry.start, min(before, entry.end))
    return replace(entry, start=start, segments=left, records=None, bytes=None, checksum=None)


def folder_of(topic: str, partition: int, life: int) -> str:
    """Where the segments of a partition are, laid out as in a log directory of Kafka's; each life
    has a directory of its own."""
    data = DATA if life == 0 else f"{DATA}-{life}"
    return f"{data}/{partition_dir(topic, partition)}"


def files_of(folder: str, segment: SegmentEntry) -> Iterable[str]:
    """Names of a segment's files, that with the records first."""
    yield f"{folder}/{segment_file(segment.base, segment.ending)}"
    for ending in segment.others:
        yield f"{folder}/{segment_file(segment.base, ending)}"
