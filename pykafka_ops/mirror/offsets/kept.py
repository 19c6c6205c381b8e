"""What is kept in memory of one partition's map, and which records of the topic hold it. Pure.

A full record (``MOST_RUNS`` runs) is never written again. Where a partition has many runs, those of
its full records are dropped from memory; ``shelf`` says where such a record is, to be read again
for the rare question about old offsets.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pykafka_ops.mirror.offsets.records import MOST_RUNS, MapKey
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun, Translated

IN_MEMORY: Final = 2 * MOST_RUNS
"""Runs of a partition that are kept in memory, beside those that no full record holds."""


class MapPiece(NamedTuple):
    """A record of the topic: its first run, where its last one ends, its life, its own offset
    there."""

    source: int
    target: int
    source_end: int
    target_end: int
    life: int
    at: int

    @property
    def name(self) -> tuple[int, int, int, int]:
        """What its key says beside the partition."""
        return self.source, self.target, self.source_end, self.life

    def holds(self, run: OffsetRun) -> bool:
        """Whether a run is within its range of both logs."""
        return (
            self.source <= run.source
            and run.source + run.length <= self.source_end
            and self.target <= run.target
            and run.target + run.length <= self.target_end
        )


_FIELDS: Final = len(MapPiece._fields)
_Name = tuple[int, int, int, int]


class KeptMap:
    """The map of one partition. ``life`` as in ``records.py``.

    Records that are not full are only known of where they are to be rewritten. They are the newest:
    a rewrite makes full ones of the oldest.
    """

    __slots__ = ("_gone", "_pieces", "_shelf", "_whole", "life", "runs", "starts")

    def __init__(self, *, pieces: bool = False, whole: bool = False) -> None:
        """``whole``: keep all runs in memory."""
        self.life = 0
        self._whole = whole
        self.runs = OffsetMap()
        self.starts = 0, 0
        """Where both logs begin, as last heard."""
        self._shelf: array[int] | None = None
        self._pieces: array[int] | None = array("q") if pieces else None
        self._gone: set[_Name] | None = None

    @property
    def shelf(self) -> list[MapPiece]:
        """The full records, those of older lives too."""
        return self._settled()[0]

    @property
    def pieces(self) -> list[MapPiece]:
        """The other records."""
        return self._settled()[1]

    @property
    def count(self) -> int:
        """How many other records there are, at most."""
        return len(self._pieces or ()) // _FIELDS

    def learn(self, key: MapKey, runs: Sequence[OffsetRun], at: int) -> None:
        """Take in a record that stands at offset ``at`` of the topic."""
        if self._gone:
            self._settled()
        last = runs[-1]
        piece = MapPiece(key.source, key.target, key.end, last.target + last.length, key.life, at)
        full = len(runs) >= MOST_RUNS
        if full:
            self._shelf = array("q") if self._shelf is None else self._shelf
            self._shelf.extend(piece)
        elif self._pieces is not None:
            self._pieces.extend(piece)
        if key.life > self.life:
            self.life, self.runs = key.life, OffsetMap()
        if key.life == self.life:
            self.runs.add(runs)
            if full and not self._whole and len(self.runs) > IN_MEMORY:
                self._shelve()

    def _shelve(self) -> None:
        """Drop from memory what full records hold, but not that of the newest."""
        full = sorted(p.target_end for p in self.shelf if p.life == self.life)[:-1]
        if full:
            self.runs.prune(0, full[-1])

    def gone(self, key: MapKey) -> None:
        """A record was taken away."""
        if self._pieces or self._shelf:
            self._gone = self._gone or set()
            self._gone.add(key[2:])

    def prune(self, source_start: int, target_start: int) -> int:
        """Forget runs below the begin of either log; how many."""
        self.starts = source_start, target_start
        return self.runs.prune(source_start, target_start)

    def _settled(self) -> tuple[list[MapPiece], list[MapPiece]]:
        """The full records and the others, each once, without those that were taken away."""
        newest: dict[_Name, int] = {}
        gone = self._gone or ()
        both = list(_pieces_of(self._shelf)), list(_pieces_of(self._pieces))
        for piece in (*both[0], *both[1]):
            newest[piece.name] = max(newest.get(piece.name, 0), piece.at)
        full, others = (
            [p for p in known if newest[p.name] == p.at and p.name not in gone] for known in both
        )
        self._gone = None
        self._shelf = _array_of(full) or None
        self._pieces = None if self._pieces is None else _array_of(others)
        return full, others

    def look(self, offset: int, *, back: bool = False) -> tuple[Translated | None, MapPiece | None]:
        """The answer for an offset (``back``: of the target), and the full record that knows
        better, if one does; the answer then is for offsets behind all its runs."""
        found = self.runs.back(offset) if back else self.runs.translate(offset)
        first = self.runs.first
        if found is None or found.where != "before" or first is None or not self._shelf:
            return found, None
        older = (p for p in self.shelf if p.life == self.life and p.target < first.target)
        full = [(p[back], p.target, p) for p in older]
        best = max((p for begin, _, p in full if begin <= offset), key=_target, default=None)
        least = -1 if best is None else best.target
        later = [p for begin, target, p in full if begin > offset and target > least]
        if later:
            found = Translated(min(later, key=_target)[not back], "before")
        return (found if best is None else found._replace(where="gap")), best


def _target(piece: MapPiece) -> int:
    return piece.target


def _pieces_of(known: array[int] | None) -> Iterator[MapPiece]:
    columns = [] if known is None else [known[n::_FIELDS] for n in range(_FIELDS)]
    return map(MapPiece, *columns) if columns else iter(())


def _array_of(pieces: Sequence[MapPiece]) -> array[int]:
    return array("q", [n for piece in pieces for n in piece])
