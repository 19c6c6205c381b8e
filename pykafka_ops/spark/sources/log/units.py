"""The units of segments that a sample has.

A unit reaches from a batch to a later one, UNIT_BYTES to twice as much, or one batch that is
larger. The offset index shows where batches begin; where it shows nothing for long, the headers of
batches do. A hash of the partition and the unit's offset chooses, so that a read of the same files
has the same sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pykafka_ops.analysis.sampled import GROUPS
from pykafka_ops.spark.sources.files import SegmentFile
from pykafka_ops.spark.sources.log.scan import BatchRun, Message
from pykafka_ops.spark.sources.log.seek import Seeker

UNIT_BYTES: Final = 16 << 10
"""A smaller one spares no disk or object store anything, and costs as much to open."""
_LONG: Final = 4 << 20
"""Bytes of a segment without an entry of its index that are cut by headers: a follower writes up to
a MiB (replica.fetch.max.bytes) with one entry."""
Ints = npt.NDArray[np.int64]
_U64 = npt.NDArray[np.uint64]


class SegmentUnit(NamedTuple):
    """Bytes ``start`` to ``end`` of a segment; ``group`` is one of GROUPS."""

    start: int
    end: int
    group: int


class SampledUnits(NamedTuple):
    """What a sample has of a range of a segment, and of how many units."""

    units: list[SegmentUnit]
    of: int


def chosen(seek: Seeker, segment: SegmentFile, start: int, end: int, rate: float) -> SampledUnits:
    """Of the units between ``start`` and ``end``, where batches begin, those of the sample.

    Whether a unit is in it does not depend on the range. An index that names a place where no batch
    begins is not used.
    """
    names, starts, slots = _units(seek, segment, indexed=True)
    found = _within(seek, names, starts, (start, end), rate)
    needed = sorted({int(slot) for place in found.places for slot in slots[place : place + 2]})
    if not seek.borders(segment, [slot for slot in needed if slot >= 0]):
        names, starts, _ = _units(seek, segment, indexed=False)
        found = _within(seek, names, starts, (start, end), rate)
    return found.chosen


class _Found(NamedTuple):
    places: list[int]
    chosen: SampledUnits


def _within(seek: Seeker, names: Ints, starts: Ints, part: tuple[int, int], rate: float) -> _Found:
    ends = np.append(starts[1:], np.int64(part[1])) if len(starts) else starts
    inside = (starts < part[1]) & (np.maximum(ends, starts + 1) > part[0])
    mixed = _hashes(seek.replica.key, names)
    wanted = inside & is_chosen(mixed, rate)
    places = np.flatnonzero(wanted)
    groups = group_of(mixed[places]).tolist()
    units = [
        SegmentUnit(max(begin, part[0]), min(stop, part[1]), group)
        for begin, stop, group in zip(
            starts[places].tolist(), ends[places].tolist(), groups, strict=True
        )
    ]
    units = [unit for unit in units if unit.end > unit.start]
    return _Found(places.tolist(), SampledUnits(units, int(inside.sum())))


def _hashes(key: tuple[str, int], names: Ints) -> _U64:
    """A hash of each unit: splitmix64 over its offset, begun by the partition."""
    digest = blake2b(f"{key[0]}\0{key[1]}".encode(), digest_size=8).digest()
    seed = np.uint64(int.from_bytes(digest, "big"))
    return _mixed(seed + names.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))


def _mixed(values: _U64) -> _U64:
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def is_chosen(hashes: _U64, rate: float) -> npt.NDArray[np.bool_]:
    """Which of these a sample has, each with probability ``rate``; a greater one has them, too."""
    return (hashes >> np.uint64(11)).astype(np.float64) < rate * 2.0**53


def group_of(hashes: _U64) -> Ints:
    """The group of each; it says nothing of what is chosen."""
    mixed = _mixed(hashes + np.uint64(0x9E3779B97F4A7C15))
    return (mixed % np.uint64(GROUPS)).astype(np.int64)


def _units(seek: Seeker, segment: SegmentFile, *, indexed: bool) -> tuple[Ints, Ints, Ints]:
    """(offsets, positions, slots of the index or -1) of all units of a segment, in order."""
    offsets, positions = seek.index(segment) if indexed else (np.empty(0, np.int64),) * 2
    starts = np.append(np.int64(0), positions)
    names = np.append(np.int64(segment.base_offset), offsets)
    slots = np.arange(-1, len(positions), dtype=np.int64)
    if len(starts) > 1 and starts[1] == 0:  # the index has the first batch, too
        names, starts, slots = (np.delete(column, 1) for column in (names, starts, slots))
    kept = _apart(starts)
    names, starts, slots = names[kept], starts[kept], slots[kept]
    ends = np.append(starts[1:], np.int64(segment.size))
    pieces: list[tuple[Ints, Ints, Ints]] = []
    done = 0
    for place in np.flatnonzero(ends - starts > _LONG).tolist():
        pieces.append((names[done : place + 1], starts[done : place + 1], slots[done : place + 1]))
        pieces += _by_headers(seek, segment, int(starts[place]), int(ends[place]))
        done = place + 1
    pieces.append((names[done:], starts[done:], slots[done:]))
    return tuple(np.concatenate(columns) for columns in zip(*pieces, strict=True))  # type: ignore[return-value]


def _apart(starts: Ints) -> npt.NDArray[np.bool_]:
    """The first of these places in each UNIT_BYTES."""
    cells = starts // UNIT_BYTES
    return np.append(True, cells[1:] != cells[:-1]) if len(cells) else np.empty(0, np.bool_)


def _by_headers(
    seek: Seeker, segment: SegmentFile, start: int, end: int
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Units that begin behind ``start``."""
    last = start // UNIT_BYTES
    for piece in seek.pieces(segment, start, end):
        if isinstance(piece, BatchRun):
            positions = piece.positions
            names = piece.heads["base_offset"].astype(np.int64)
        elif isinstance(piece, Message):
            positions, names = (np.array([n]) for n in (piece.position, piece.last_offset))
        else:
            continue
        kept = _apart(positions) & (positions // UNIT_BYTES > last)
        if kept.any():
            positions, names = positions[kept], names[kept]
            last = int(positions[-1]) // UNIT_BYTES
            yield names, positions, np.full(len(names), -1, np.int64)
