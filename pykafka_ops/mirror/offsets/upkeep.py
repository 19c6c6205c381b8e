"""Keeps the topic of an offset map short: many small records of a partition become few large ones.

Only the mirror's leader does so. The new records are written before the tombstones of the old ones,
and who reads both learns the same (``runs.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.produce import produce
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.offsets.kept import KeptMap, MapPiece
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.records import (
    MOST_RUNS,
    MapKey,
    encode_key,
    map_key,
    map_place,
    map_value,
)

MOST_PIECES: Final = 64
"""Records of a partition, beside the full ones, that may be there before they are put together."""
MOST_IN_ALL: Final = 200_000
"""Those of all partitions together."""
BATCH_BYTES: Final = 400_000
_RECORD_BYTES: Final = 32
"""Of a record, beside its key and value, at most."""


class Rewrite(NamedTuple):
    """Records to write, and behind them the keys of those to take away."""

    records: tuple[tuple[bytes, bytes], ...]
    gone: tuple[bytes, ...]


def rewrite(target: Partition, kept: KeptMap) -> Rewrite:
    """What puts the records of a partition together. Pure."""
    full = [piece for piece in kept.shelf if piece.life == kept.life]
    loose = [run for run in kept.runs if not any(piece.holds(run) for piece in full)]
    parts = [loose[n : n + MOST_RUNS] for n in range(0, len(loose), MOST_RUNS)]
    records = {map_key(target, part, kept.life): map_value(part) for part in parts}
    old = [piece for piece in kept.shelf if _is_over(piece, kept)]
    gone = (_key(target, piece) for piece in (*kept.pieces, *old))
    return Rewrite(
        tuple(records.items()), tuple(key for key in dict.fromkeys(gone) if key not in records)
    )


def _is_over(piece: MapPiece, kept: KeptMap) -> bool:
    """Whether nobody asks for a full record: of a former life, or below the begins of the logs."""
    source_start, target_start = kept.starts
    return (
        piece.life < kept.life
        or piece.source_end <= source_start
        or piece.target_end <= target_start
    )


def _key(target: Partition, piece: MapPiece) -> bytes:
    return encode_key(MapKey(*target, *piece.name))


def due(reader: MapReader) -> Iterator[Partition]:
    """The partitions whose records should be put together, those with most of them first."""
    counts = {target: kept.count for target, kept in reader.maps.items()}
    total = sum(counts.values())
    for target in sorted(counts, key=lambda one: -counts[one]):
        if counts[target] < 2 or (counts[target] <= MOST_PIECES and total <= MOST_IN_ALL):
            return
        total -= counts[target] - 1
        yield target


def tidy(reader: MapReader, now_ms: int) -> int:
    """Rewrite what has become too much, as of the last ``catch_up`` of a reader with ``pieces``.

    How many records were taken away. The reader learns of it at its next ``catch_up``.
    Raises PkoError.
    """
    taken = 0
    for target in list(due(reader)):
        change = rewrite(target, reader.maps[target])
        write(reader, target, change, now_ms)
        taken += len(change.gone)
    return taken


def write(reader: MapReader, target: Partition, change: Rewrite, now_ms: int) -> None:
    """Write a change to the topic of the map. Raises PkoError."""
    place = reader.topic, map_place(target, reader.partitions)
    entries: list[tuple[bytes, bytes | None]] = [*change.records, *((k, None) for k in change.gone)]
    for part in _batches(entries):
        records = [Record(n, now_ms, key, value) for n, (key, value) in enumerate(part)]
        found = produce(reader.cluster, {place: build_batch(records)})[place]
        if isinstance(found, PkoError):
            raise found


def _batches(
    entries: Sequence[tuple[bytes, bytes | None]],
) -> Iterator[list[tuple[bytes, bytes | None]]]:
    """The entries in order, as much as fits in a batch at a time."""
    part: list[tuple[bytes, bytes | None]] = []
    size = 0
    for key, value in entries:
        more = len(key) + len(value or b"") + _RECORD_BYTES
        if part and size + more > BATCH_BYTES:
            yield part
            part, size = [], 0
        part.append((key, value))
        size += more
    if part:
        yield part
