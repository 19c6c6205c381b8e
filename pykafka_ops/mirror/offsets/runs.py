"""Which offsets of the source became which of the target, for one partition.

A run says that ``length`` offsets in a row were copied in a row. Runs that touch are one. Records
that were never copied (transaction markers, aborted records, what compaction removed) and what
stands between them on the target (markers of the mirror's own transactions) part them.

What is known is a set: it does not matter in which order runs are added, nor how often. Where a
source's offset was copied twice (a restart in at-least-once mode), the later copy counts, which is
the one behind it on the target: who reads on from there reads nothing twice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from pykafka_ops.errors import CorruptError

Where = Literal["run", "gap", "end", "before"]
HIGHEST: Final = (1 << 63) - 1


class OffsetRun(NamedTuple):
    """``length`` records from ``source`` on (source's offset) stand from ``target`` on."""

    source: int
    target: int
    length: int


class Translated(NamedTuple):
    """The target's offset for a source's.

    ``where``: "run": it names that very record; "gap": no such record was copied, it names the
    next one that was; "end": behind all that is known, exact for what the mirror has passed;
    "before": it is the first copied record, older ones are not known of.
    """

    offset: int
    where: Where


class OffsetMap:
    """What became of one partition's offsets: 24 bytes a run, a few microseconds a question."""

    __slots__ = ("_counts", "_sources", "_targets")

    def __init__(self, runs: Iterable[OffsetRun] = ()) -> None:
        """Raises CorruptError where a run cannot be."""
        self._sources, self._targets, self._counts = array("q"), array("q"), array("q")
        self.add(runs)

    def __len__(self) -> int:
        return len(self._sources)

    def __iter__(self) -> Iterator[OffsetRun]:
        return map(OffsetRun, self._sources, self._targets, self._counts)

    @property
    def first(self) -> OffsetRun | None:
        """The oldest run."""
        return self._at(0) if self._sources else None

    @property
    def last(self) -> OffsetRun | None:
        """The newest run."""
        return self._at(-1) if self._sources else None

    def _at(self, n: int) -> OffsetRun:
        return OffsetRun(self._sources[n], self._targets[n], self._counts[n])

    def add(self, runs: Iterable[OffsetRun]) -> None:
        """Learn runs, in any order, known ones too. Raises CorruptError; then nothing is added."""
        new = sorted(checked(runs), key=_by_target)
        if not new:
            return
        behind = not self._targets or new[0].target >= self._targets[-1] + self._counts[-1]
        if not behind and (known := self._cut_from(new[0].target)):
            new = sorted([*known, *new], key=_by_target)
        for run in new:
            self._append(run)

    def _cut_from(self, target: int) -> list[OffsetRun]:
        """Take out the runs that reach over an offset of the target."""
        start = bisect_left(self._targets, target)
        if start and self._targets[start - 1] + self._counts[start - 1] > target:
            start -= 1
        out = list(map(OffsetRun, *(column[start:] for column in self._columns)))
        for column in self._columns:
            del column[start:]
        return out

    @property
    def _columns(self) -> tuple[array[int], array[int], array[int]]:
        return self._sources, self._targets, self._counts

    def _append(self, run: OffsetRun) -> None:
        """Add a run that is not before any other on the target."""
        source, target, count = run
        while self._sources:
            before, there, many = self._at(-1)
            apart = source - before
            if apart == target - there and 0 <= apart <= many:
                self._counts[-1] = max(many, apart + count)
                return
            left = min(many, apart, target - there)
            if left > 0:
                self._counts[-1] = left
                break
            for column in self._columns:
                column.pop()
        self._sources.append(source)
        self._targets.append(target)
        self._counts.append(count)

    def translate(self, offset: int) -> Translated | None:
        """Where a group that reads ``offset`` of the source next goes on; None: nothing is known.

        From there it gets every copied record from ``offset`` on, and none from before it.
        """
        if not self._sources:
            return None
        n = bisect_right(self._sources, offset) - 1
        if n < 0:
            return Translated(self._targets[0], "before")
        inside = offset - self._sources[n]
        if inside < self._counts[n]:
            return Translated(self._targets[n] + inside, "run")
        if n + 1 < len(self._sources):
            return Translated(self._targets[n + 1], "gap")
        return Translated(self._targets[n] + self._counts[n], "end")

    def back(self, offset: int) -> Translated | None:
        """The other way: the source's offset for one of the target, by the same rules."""
        if not self._sources:
            return None
        n = bisect_right(self._targets, offset) - 1
        if n < 0:
            return Translated(self._sources[0], "before")
        inside = offset - self._targets[n]
        if inside < self._counts[n]:
            return Translated(self._sources[n] + inside, "run")
        if n + 1 < len(self._sources):
            return Translated(self._sources[n + 1], "gap")
        return Translated(self._sources[n] + self._counts[n], "end")

    def prune(self, source_start: int, target_start: int = 0) -> int:
        """Forget runs that end below the begin of either log; how many. The last one stays."""
        keep = len(self._sources) - 1
        n = 0
        while n < keep and (
            self._sources[n] + self._counts[n] <= source_start
            or self._targets[n] + self._counts[n] <= target_start
        ):
            n += 1
        for column in self._columns:
            del column[:n]
        return n


def _by_target(run: OffsetRun) -> tuple[int, int]:
    return run.target, run.source


def checked(runs: Iterable[OffsetRun]) -> list[OffsetRun]:
    """The runs that hold anything. Raises CorruptError where an offset cannot be."""
    found = []
    for run in runs:
        source, target, count = run
        if min(run) < 0 or max(source, target) + count > HIGHEST:
            raise CorruptError(f"no offsets: {count} from {source} on, to {target}")
        if count:
            found.append(OffsetRun(source, target, count))
    return found
