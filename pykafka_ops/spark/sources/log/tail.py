"""Whether a segment ends where its indexes say it does: one that was cut between two batches looks
whole."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from pykafka_ops.disk.names import INDEX_SUFFIX, TIME_INDEX_SUFFIX, segment_file
from pykafka_ops.spark.sources.files import Location, RandomFile, SegmentFile
from pykafka_ops.spark.sources.log.plan import SegmentPart
from pykafka_ops.spark.sources.log.scan import Bad, Piece

_OFFSET = struct.Struct(">ii")
_TIME = struct.Struct(">qi")


def with_end(
    pieces: Iterable[Piece], part: SegmentPart, file: RandomFile, place: Location
) -> Iterator[Piece]:
    """The pieces of a part, and behind them what is missing at the end of its segment."""
    last, sound = part.part.base_offset - 1 if not part.part.start else -1, True
    for piece in pieces:
        if isinstance(piece, Bad):
            sound = False
        else:
            last = piece.last_offset
        yield piece
    if part.whole is None or not sound or last < 0 < part.part.start:
        return
    known = indexed(place, part.replica.path, part.whole)
    if known > last and not file.grown(part.part.end):
        there = (
            f"offset {last} is the last" if last >= part.part.base_offset else "nothing is there"
        )
        yield Bad(part.part.end, 0, f"cut off: {there}, its index knows offset {known}")


def indexed(place: Location, folder: str, segment: SegmentFile) -> int:
    """The greatest offset that the last entries of the indexes name; -1 where they name none.

    An index that is being written ends in zeros, which say nothing.
    """
    found = [-1]
    for size, suffix, entry in (
        (segment.index_size, INDEX_SUFFIX, _OFFSET),
        (segment.time_index_size, TIME_INDEX_SUFFIX, _TIME),
    ):
        at = size // entry.size * entry.size - entry.size
        path = f"{folder}/{segment_file(segment.base_offset, suffix)}"
        data = _read_at(place, path, entry.size, at) if at >= 0 else b""
        if len(data) == entry.size and any(data):
            offset = entry.unpack(data)[0 if entry is _OFFSET else 1]
            found.append(segment.base_offset + offset)
    return max(found)


def _read_at(place: Location, path: str, count: int, position: int) -> bytes:
    try:
        file = place.open(path)
    except OSError:
        return b""
    try:
        return file.read_at(count, position)
    except OSError:
        return b""
    finally:
        file.close()
