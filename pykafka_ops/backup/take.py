"""Takes a backup: one run, which goes on where the last one ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from pykafka_ops.backup.capture import BackupScope, Captured, capture
from pykafka_ops.backup.chain import Chain
from pykafka_ops.backup.manifest import PARQUET, SEGMENTS, PartitionEntry, RunEntry
from pykafka_ops.backup.parquet.schema import arrow
from pykafka_ops.backup.positions import Partition, ReadStretch, stretches, with_lives
from pykafka_ops.backup.reading import AT_ONCE, StretchReader
from pykafka_ops.backup.runs import keep_run, locked, read_chain
from pykafka_ops.backup.segments import SEGMENT_BYTES, leftovers
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.mirror.copy.rate import RateLimit

PART_BYTES: Final = 8 << 30
"""A run that reads more is kept in parts: what is kept is not read again."""
Progress = Callable[[int, int], None]
"""Gets offsets read, and offsets there are."""


class TakeOptions(NamedTuple):
    """``bytes_per_second``: 0 is no limit. Sizes are bytes. ``full``: begin anew. ``format``: one
    of ``manifest.FORMATS``; None: that of the runs before, else segments."""

    segment_bytes: int = SEGMENT_BYTES
    part_bytes: int = PART_BYTES
    bytes_per_second: int = 0
    full: bool = False
    format: str | None = None


def take_backup(
    cluster: Cluster,
    store: BackupStore,
    scope: BackupScope,
    options: TakeOptions,
    progress: Progress | None = None,
) -> list[RunEntry]:
    """The runs that it took, mostly one. Raises PkoError where nothing could be read or kept;
    trouble with single partitions is in the manifest."""
    with locked(store, _now_ms()):
        return _Taking(cluster, store, scope, options, progress).run()


def format_of(store: BackupStore, chain: Chain, asked: str | None) -> str:
    """The format of a backup's records: all runs have one. Raises UsageError for another, and for
    Parquet without PyArrow."""
    before = chain.newest.format if chain.newest is not None else None
    if before is not None and asked not in (None, before):
        raise UsageError(
            f"{store.place} keeps records as {before}: leave out --format, or name another place"
        )
    found = before or asked or SEGMENTS
    if found == PARQUET:
        arrow()
    return found


class _Taking:
    def __init__(
        self,
        cluster: Cluster,
        store: BackupStore,
        scope: BackupScope,
        options: TakeOptions,
        progress: Progress | None,
    ) -> None:
        self._cluster, self._store, self._scope, self._options = cluster, store, scope, options
        self._progress = progress
        self._limit = RateLimit(options.bytes_per_second, time.monotonic() * 1000)
        self._chain = read_chain(store)
        self._format = format_of(store, self._chain, options.format)
        self._runs: list[RunEntry] = []
        self._entries: list[PartitionEntry] = []
        self._since_kept = 0

    def run(self) -> list[RunEntry]:
        self._started = _now_ms()
        # Groups first: what they have committed is below the ends that are asked for next.
        self._captured = capture(self._cluster, self._scope)
        self._check_cluster()
        wanted = self._wanted()
        total = sum(s.end - s.start for s in wanted.values())
        done = 0
        waiting = iter(wanted.items())
        while part := dict(islice(waiting, AT_ONCE)):
            self._read(part, done, total)
            done += sum(s.end - s.start for s in part.values())
        self._keep(complete=True)
        return self._runs

    def _check_cluster(self) -> None:
        newest, now = self._chain.newest, self._cluster.cluster_id or ""
        if newest is not None and newest.cluster_id != now:
            raise StorageError(
                f"{self._store.place} is a backup of cluster {newest.cluster_id}, this is {now}: "
                "name another place"
            )

    def _wanted(self) -> dict[Partition, ReadStretch]:
        """What to read; sets the lives of topics, and what is noted of partitions."""
        places = [(t.name, n) for t in self._captured.topics for n in range(t.partitions)]
        starts, ends = self._offsets(places, EARLIEST), self._offsets(places, LATEST)
        chain = self._chain
        if self._options.full:
            topics = [replace(t, life=chain.next_life(t.name)) for t in self._captured.topics]
        else:
            topics = with_lives(self._captured.topics, chain, ends)
        self._topics = topics
        found = stretches(topics, chain, starts, ends)
        for (topic, number), stretch in found.items():
            if stretch.lost:
                self._captured.notes.append(
                    f"{topic}-{number}: the source deleted offsets {stretch.start - stretch.lost} "
                    f"to {stretch.start - 1} before this run: make runs more often, or keep "
                    "records longer"
                )
        return found

    def _offsets(self, places: Sequence[Partition], which: int) -> dict[Partition, int]:
        found = {}
        for place, answer in list_offsets(
            self._cluster, dict.fromkeys(places, which), read_committed=True
        ).items():
            if isinstance(answer, Offset):
                found[place] = answer.offset
            elif which == EARLIEST:
                self._captured.notes.append(f"{place[0]}-{place[1]}: {in_one_line(answer)}")
        return found

    def _read(self, part: dict[Partition, ReadStretch], done: int, total: int) -> None:
        """Read some partitions to their ends; what is large is kept on the way."""
        reader = StretchReader(
            self._cluster, self._store, self._options.segment_bytes, self._read_bytes,
            parquet=self._format == PARQUET,
        )  # fmt: skip
        self._clear_leftovers(part)
        reader.begin(part)
        try:
            while reader.step():
                if self._progress is not None:
                    self._progress(done + reader.read_offsets, total)
                if self._since_kept + reader.read_bytes >= self._options.part_bytes:
                    part = self._keep_part(reader, part)
            self._entries += reader.finish()
            self._since_kept += reader.read_bytes
        except BaseException:
            reader.abandon()
            raise

    def _read_bytes(self, count: int) -> None:
        """Wait until so many bytes may have come."""
        self._limit.take(count)
        time.sleep(self._limit.wait_ms(time.monotonic() * 1000) / 1000)

    def _keep_part(
        self, reader: StretchReader, part: dict[Partition, ReadStretch]
    ) -> dict[Partition, ReadStretch]:
        """Keep what was read so far; what is still to be read."""
        entries = reader.finish()
        self._entries += entries
        self._keep(complete=False)
        rest = {}
        for entry in entries:
            stretch = part[entry.topic, entry.partition]
            if entry.trouble is None and entry.end < stretch.end:
                rest[entry.topic, entry.partition] = stretch._replace(start=entry.end, lost=0)
        reader.read_bytes = self._since_kept = 0
        reader.begin(rest)
        return rest

    def _clear_leftovers(self, part: dict[Partition, ReadStretch]) -> None:
        for (topic, number), stretch in part.items():
            if stretch.end > stretch.start:
                stored = self._chain.partitions.get((topic, number))
                same = stored is not None and stored.life == stretch.life
                known = stored.segments if stored is not None and same else []
                leftovers(self._store, (topic, number, stretch.life), known)

    def _keep(self, *, complete: bool) -> None:
        captured: Captured = self._captured
        before = self._runs or self._chain.runs
        run = RunEntry(
            before[-1].number + 1 if before else 1,
            complete,
            self._started,
            _now_ms(),
            self._cluster.cluster_id or "",
            tuple(self._topics),
            tuple(self._entries),
            tuple(captured.groups),
            tuple(captured.rules),
            tuple(captured.quotas),
            tuple(captured.users),
            tuple(captured.notes),
            format=self._format,
        )
        keep_run(self._store, run)
        self._runs.append(run)
        self._entries = []


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
