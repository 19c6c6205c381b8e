"""What MirrorMaker 2 has copied, record by record: from its offset syncs, and from both logs. Pure.

A sync names one record at the source and at the target. Where two syncs are as far apart in both
logs, all records between them were copied one by one. Elsewhere (transactions, compaction) both
logs are read and compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pykafka_ops.disk.record import Record
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun


class SyncPoint(NamedTuple):
    """An offset of the source and the one of the same record at the target."""

    source: int
    target: int


class SyncStretch(NamedTuple):
    """What lies from one point on and before the next."""

    begin: SyncPoint
    end: SyncPoint

    @property
    def run(self) -> OffsetRun | None:
        """All of it as one run, where it is as long at the source as at the target."""
        length = self.end.source - self.begin.source
        if length != self.end.target - self.begin.target or length < 0:
            return None
        return OffsetRun(self.begin.source, self.begin.target, length)


def stretches(syncs: Iterable[SyncPoint], begin: SyncPoint, end: SyncPoint) -> list[SyncStretch]:
    """The stretches between syncs in the order they were written, the newest first.

    ``begin``: where both logs begin; ``end``: where MirrorMaker 2 stopped. Where it went back and
    copied again, the later copy counts.
    """
    points: list[SyncPoint] = [begin]
    for sync in syncs:
        if not (
            begin.source <= sync.source < end.source and begin.target <= sync.target < end.target
        ):
            continue
        while points and (points[-1].source >= sync.source or points[-1].target >= sync.target):
            points.pop()
        points.append(sync)
    points.append(end)
    return [SyncStretch(a, b) for a, b in pairwise(points)][::-1]


class Aligned(NamedTuple):
    """Records of both logs laid side by side. ``runs``: those that are the same; ``position``: the
    source's offset behind the last of them (-1: there is none); ``equal``: whether each record of
    the target has one."""

    runs: list[OffsetRun]
    position: int
    equal: bool


def aligned(source: Iterator[Record], target: Iterable[Record]) -> Aligned:
    """Go through both logs to the target's end; each of its records is the source's next one."""
    runs: list[OffsetRun] = []
    position = -1
    for copy in target:
        record = next(source, None)
        if record is None or (record.key, record.value) != (copy.key, copy.value):
            return Aligned(_merged(runs), position, equal=False)
        runs.append(OffsetRun(record.offset, copy.offset, 1))
        position = record.offset + 1
    return Aligned(_merged(runs), position, equal=True)


def _merged(runs: Sequence[OffsetRun]) -> list[OffsetRun]:
    return list(OffsetMap(runs))
