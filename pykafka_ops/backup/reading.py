"""Reads stretches of partitions from their leaders into segment files, many side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pykafka_ops.backup.counting import Counter
from pykafka_ops.backup.manifest import PartitionEntry
from pykafka_ops.backup.parquet.write import ParquetPartitionWriter
from pykafka_ops.backup.positions import Partition, ReadStretch
from pykafka_ops.backup.segments import PartitionWriter
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch import FetchedBatches, fetch
from pykafka_ops.errors import CorruptError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

AT_ONCE: Final = 200
"""Partitions that are read side by side: each has a file open."""
PARTITION_BYTES: Final = 4 << 20
ANSWER_BYTES: Final = 48 << 20
HELD_BYTES: Final = 256 << 20
LEAST_HELD, MOST_HELD = 1 << 20, 16 << 20
"""What rows of Parquet take in memory before they are written: of all partitions, of each."""


@dataclass(slots=True)
class _Lane:
    """One partition being read."""

    stretch: ReadStretch
    writer: PartitionWriter | ParquetPartitionWriter
    counter: Counter
    trouble: str | None = None

    @property
    def is_done(self) -> bool:
        return self.trouble is not None or self.writer.position >= self.stretch.end


class StretchReader:
    """Reads what it is given; ``step`` is one round of questions. Raises StorageError.

    ``counted``: gets the bytes of each answer, and may wait.
    """

    def __init__(
        self,
        cluster: Cluster,
        store: BackupStore,
        most: int,
        counted: Callable[[int], None],
        *,
        parquet: bool = False,
    ) -> None:
        """``most``: bytes of a segment, as Kafka has them or as ``parquet``."""
        self._parquet = parquet
        self._cluster, self._store, self._most, self._counted = cluster, store, most, counted
        self._lanes: dict[Partition, _Lane] = {}
        self.read_bytes = 0
        self._ended_offsets = 0

    @property
    def read_offsets(self) -> int:
        """How many offsets were read so far."""
        return self._ended_offsets + sum(
            lane.writer.position - lane.stretch.start for lane in self._lanes.values()
        )

    def begin(self, wanted: dict[Partition, ReadStretch]) -> None:
        """Read these next, AT_ONCE of them at most."""
        for (topic, number), stretch in wanted.items():
            place = topic, number, stretch.life
            self._lanes[topic, number] = _Lane(
                stretch,
                self._writer(place, stretch.start, len(wanted)),
                Counter(stretch.start, stretch.end),
            )

    def _writer(
        self, place: tuple[str, int, int], start: int, lanes: int
    ) -> PartitionWriter | ParquetPartitionWriter:
        if not self._parquet:
            return PartitionWriter(self._store, place, start, self._most)
        held = min(MOST_HELD, max(LEAST_HELD, HELD_BYTES // lanes))
        return ParquetPartitionWriter(self._store, place, start, self._most, held)

    def step(self) -> bool:
        """Ask for what is missing once; whether something still is."""
        wanted = {p: lane.writer.position for p, lane in self._lanes.items() if not lane.is_done}
        if not wanted:
            return False
        leaders = max(1, len(self._cluster.nodes))
        answers = fetch(
            self._cluster,
            wanted,
            partition_bytes=PARTITION_BYTES,
            max_bytes=max(PARTITION_BYTES, ANSWER_BYTES // leaders),
            read_committed=True,
        )
        empty = [p for p, found in answers.items() if not self._take(p, found)]
        if len(empty) == len(answers):
            # No answer was full, so there is nothing left: what was there is compacted away.
            for partition in empty:
                lane = self._lanes[partition]
                lane.writer.skip_to(lane.stretch.end)
        else:
            self._first(empty)
        return True

    def finish(self) -> list[PartitionEntry]:
        """End all files; what was read of each partition."""
        self._ended_offsets = self.read_offsets
        entries = []
        for (topic, number), lane in self._lanes.items():
            lane.writer.finish()
            entries.append(_entry(topic, number, lane))
        self._lanes = {}
        return entries

    def abandon(self) -> None:
        """End, and leave what is half written."""
        for lane in self._lanes.values():
            lane.writer.abandon()
        self._lanes = {}

    def _take(self, partition: Partition, found: FetchedBatches | PkoError) -> bool:
        """Whether there was anything."""
        lane = self._lanes[partition]
        if isinstance(found, PkoError):
            lane.trouble = _words(found)
            return True
        if not found.records:
            return False
        before = lane.writer.position
        try:
            lane.writer.take(found.records, lane.stretch.end, found.aborted)
        except CorruptError as error:
            lane.trouble = str(error)
        else:
            lane.counter.take(found.records, found.aborted)
        self.read_bytes += len(found.records)
        self._counted(len(found.records))
        return lane.writer.position > before or lane.trouble is not None

    def _first(self, partitions: list[Partition]) -> None:
        """Ask for these before the others next time: answers had no room for them."""
        first = set(partitions)
        for partition in [p for p in self._lanes if p not in first]:
            self._lanes[partition] = self._lanes.pop(partition)


def _entry(topic: str, number: int, lane: _Lane) -> PartitionEntry:
    stretch, writer = lane.stretch, lane.writer
    end = min(writer.position, stretch.end) if lane.trouble is None else writer.position
    known = lane.trouble is None or not writer.entries
    counts = lane.counter.counts(end) if known else (None, None, None)
    return PartitionEntry(
        topic,
        number,
        stretch.start,
        max(end, stretch.start),
        stretch.end,
        stretch.log_start,
        stretch.life,
        tuple(writer.entries),
        *counts,
        trouble=lane.trouble,
    )


def _words(error: PkoError) -> str:
    if isinstance(error, KafkaError) and error.code == ErrorCode.OFFSET_OUT_OF_RANGE:
        return "the source deleted records before they could be read; the next run goes on"
    return in_one_line(error)
