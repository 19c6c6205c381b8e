"""Gives back the room of records that nobody wants any more: whole segments at the front."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from pykafka_ops.backup.chain import StoredPartition, all_lives, files_of, folder_of
from pykafka_ops.backup.manifest import DroppedEntry, RunEntry, SegmentEntry
from pykafka_ops.backup.runs import keep_run, locked, read_chain
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.errors import StorageError


class Prunable(NamedTuple):
    """Segments of one life of a partition, the first ones it has."""

    stored: StoredPartition
    segments: tuple[SegmentEntry, ...]

    @property
    def entry(self) -> DroppedEntry:
        """As a manifest says it."""
        topic, number, life, _ = self.stored
        return DroppedEntry(topic, number, life, self.segments[-1].next)


class PruneRules(NamedTuple):
    """``older_ms``: segments whose latest record is older than that moment; None: not asked for.
    ``gone``: those that the source had deleted when it was last read. ``lives``: all of topics
    that were deleted or made anew since."""

    older_ms: int | None
    gone: bool
    lives: bool


def prunable(runs: Sequence[RunEntry], rules: PruneRules) -> list[Prunable]:
    """What the rules mean. Pure. The last segment of a partition stays, for the next run goes on
    behind it."""
    newest = {topic.name: topic.life for topic in runs[-1].topics} if runs else {}
    found = []
    for stored in all_lives(runs):
        segments = stored.segments
        if newest.get(stored.topic) != stored.life:
            front = len(segments) if rules.lives else 0
        else:
            front = _front(segments[:-1], stored.log_start, rules)
        if front:
            found.append(Prunable(stored, tuple(segments[:front])))
    return found


def _front(segments: Sequence[SegmentEntry], log_start: int, rules: PruneRules) -> int:
    """How many at the front go."""
    for n, segment in enumerate(segments):
        old = rules.older_ms is not None and segment.max_ms < rules.older_ms
        if not (old or (rules.gone and segment.next <= log_start)):
            return n
    return len(segments)


def prune(store: BackupStore, rules: PruneRules, *, dry_run: bool) -> list[Prunable]:
    """Drop what the rules mean, and say what that is. Raises StorageError.

    A manifest says first that it is gone; files that a prune could not delete count for nothing.
    """
    now_ms = time.time_ns() // 1_000_000
    if dry_run:
        return prunable(read_chain(store).runs, rules)
    with locked(store, now_ms):
        runs = read_chain(store).runs
        found = prunable(runs, rules)
        if found:
            last = runs[-1]
            dropped = tuple(one.entry for one in found)
            keep_run(
                store,
                replace(last, number=last.number + 1, partitions=(), notes=(), dropped=dropped),
            )
        for one in found:
            folder = folder_of(*one.stored[:3])
            for segment in one.segments:
                for name in files_of(folder, segment):
                    with suppress(StorageError):
                        store.delete(name)
    return found
