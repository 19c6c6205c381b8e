"""Partitions handed out in stretches, and what comes back put together in the order of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pykafka_ops.audit.counting import BadBatchError, BookTaker, TransactionEnds
from pykafka_ops.audit.latest import LatestTaker
from pykafka_ops.audit.source import (
    AuditPlace,
    PartitionKey,
    PartitionSource,
    PlaceReading,
    Settle,
)
from pykafka_ops.audit.stretches import AuditReader, AuditStretch, StretchCounted, Workers
from pykafka_ops.audit.transactions import AbortedTransaction, transaction_ends
from pykafka_ops.errors import PkoError, StorageError


class _Position:
    def __init__(self, position: int) -> None:
        self.position = position


class StretchedSource:
    """A source whose partitions are read in stretches, by ``workers``."""

    def __init__(
        self,
        inner: PartitionSource,
        reader: Callable[[Sequence[AuditPlace]], AuditReader],
        workers: Workers,
    ) -> None:
        self._inner, self._reader, self._workers = inner, reader, workers

    def places(
        self, wanted: Callable[[str], bool]
    ) -> tuple[Sequence[AuditPlace], Mapping[str, PkoError]]:
        """As ``PartitionSource``."""
        return self._inner.places(wanted)

    def read(
        self, readings: Sequence[PlaceReading], settle: Settle
    ) -> Mapping[PartitionKey, PkoError]:
        """As ``PartitionSource``, for takers of books and of last values."""
        reader = self._reader([reading.place for reading in readings])
        job = _StretchJob(readings, settle, reader, self._workers)
        whole = {number: (one.first, one.stop) for number, one in enumerate(readings)}
        waiting = job.count(whole, {})
        if waiting:
            job.count_transactions(waiting)
        return job.failed


class _StretchJob:
    """``failed``: the partitions that could not be read to their end, and why."""

    def __init__(
        self,
        readings: Sequence[PlaceReading],
        settle: Settle,
        reader: AuditReader,
        workers: Workers,
    ) -> None:
        self._readings, self._settle = readings, settle
        self._reader, self._workers = reader, workers
        self.failed: dict[PartitionKey, PkoError] = {}
        self._held: dict[int, int] = {}
        """How far that is complete which takers hold, by reading."""

    def _stretches(self, spans: Mapping[int, tuple[int, int]]) -> list[AuditStretch]:
        """Spans of readings cut so that everybody has work."""
        reader = self._reader
        whole = [
            (number, cut)
            for number, (first, stop) in spans.items()
            for cut in reader.cut(self._readings[number].place, first, stop, reader.most)
        ]
        total = sum(cut.size for _, cut in whole)
        most = max(reader.least, min(reader.most, total // (3 * self._workers.parallel)))
        found = []
        for number, cut in whole:
            taker, place = self._readings[number].taker, self._readings[number].place
            width = taker.width if isinstance(taker, BookTaker) else 0
            finer = reader.cut(place, cut.first, cut.stop, most) if cut.size > most else [cut]
            found += [AuditStretch(number, place, one, width) for one in finer]
        return found

    def _run(
        self,
        work: Callable[[Sequence[AuditStretch]], Iterable[Any]],
        stretches: Sequence[AuditStretch],
    ) -> Iterator[Any]:
        most = max((one.cut.size for one in stretches), default=0)
        tasks: list[list[AuditStretch]] = []
        held = 0
        for one in stretches:
            if not tasks or held + one.cut.size > max(most, self._reader.least):
                tasks.append([])
                held = 0
            tasks[-1].append(one)
            held += one.cut.size
        return self._workers.run(work, tasks) if tasks else iter(())

    def count(
        self,
        spans: Mapping[int, tuple[int, int]],
        ends: Mapping[int, tuple[Sequence[AbortedTransaction], int]],
    ) -> dict[int, int]:
        """Count spans of readings; those of them that wait until it is known how transactions
        end, and from where on."""
        stretches = [_with_ends(one, ends.get(one.number)) for one in self._stretches(spans)]
        over: set[int] = set()
        waiting: dict[int, int] = {}
        for done in self._run(self._reader.count, stretches):
            if done.number in over:
                continue
            reading = self._readings[done.number]
            if done.transactions:
                waiting[done.number] = done.position
            elif done.why:
                self._keep(done.number)
                self.failed[reading.place.key] = (
                    BadBatchError(done.bad, done.why) if done.bad >= 0 else StorageError(done.why)
                )
            else:
                _give(reading, done)
                self._held[done.number] = done.position
                if reading.taker.is_full or done.stop >= spans[done.number][1]:
                    self._keep(done.number)
            if done.transactions or done.why or done.position < done.stop:
                over.add(done.number)
        for number in spans:
            if number not in waiting:
                self._keep(number)
        return waiting

    def _keep(self, number: int) -> None:
        """What the taker of a reading holds is complete so far."""
        if number in self._held:
            self._settle(_Position(self._held.pop(number)), self._readings[number])

    def count_transactions(self, waiting: Mapping[int, int]) -> None:
        """Find out how the transactions of readings end, then count from these offsets on."""
        spans = {n: (first, self._readings[n].place.end) for n, first in waiting.items()}
        stretches = self._stretches(spans)
        found: dict[int, list[Any]] = {number: [] for number in spans}
        for one, seen in zip(stretches, self._run(self._reader.scan, stretches), strict=True):
            if isinstance(seen, PkoError):
                self.failed.setdefault(one.place.key, seen)
            found[one.number].append(seen)
        left, ends = {}, {}
        for number, first in waiting.items():
            reading = self._readings[number]
            if reading.place.key not in self.failed:
                ends[number] = transaction_ends(found[number], reading.place.end)
                left[number] = first, min(reading.stop, ends[number][1])
        self.count({n: (a, b) for n, (a, b) in left.items() if a < b}, ends)
        for number in waiting:
            self._keep(number)


def _with_ends(
    one: AuditStretch, ends: tuple[Sequence[AbortedTransaction], int] | None
) -> AuditStretch:
    """The stretch with those aborted transactions that reach into it."""
    if ends is None:
        return one
    every, stable = ends
    mine = [
        (ended.producer, ended.first)
        for ended in every
        if ended.marker >= one.cut.first and ended.first < one.cut.stop
    ]
    return one._replace(ends=TransactionEnds(mine, stable))


def _give(reading: PlaceReading, done: StretchCounted) -> None:
    taker = reading.taker
    if isinstance(taker, BookTaker):
        taker.add(done.lines)
    elif isinstance(taker, LatestTaker):
        taker.add(done.values)
