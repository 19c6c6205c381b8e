"""Segment files in the place of a source's leaders: lanes are filled from what is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Final

from pykafka_ops.backup.chain import Partition, StoredPartition
from pykafka_ops.backup.restore.pieces import LogPiece, log_pieces
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.client.pipe import Pipe
from pykafka_ops.errors import CorruptError, PkoError, StorageError
from pykafka_ops.mirror.copy.lane import CopyLane

BUFFER_BYTES: Final = 32 << 20
"""What may wait to be written, of all lanes together; a piece comes on top."""
LANE_BYTES: Final = 8 << 20


class NoPipes:
    """There is no socket to wait for."""

    open: Sequence[Pipe] = ()
    opening = False


class _Reading:
    """One partition's files being read; ``at`` is the lane's position that they go on with."""

    def __init__(self, pieces: Iterator[LogPiece], at: int) -> None:
        self.pieces, self.at = pieces, at
        self.ended = False


class StoredSource:
    """What a copier reads from. ``remaining`` are partitions whose end was not reached."""

    def __init__(self, store: BackupStore, stored: Mapping[Partition, StoredPartition]) -> None:
        """``stored``: by the partition that lanes call their source."""
        self.pipes = NoPipes()
        self._store, self._stored = store, stored
        self._lanes: dict[Partition, CopyLane] = {}
        self._reading: dict[Partition, _Reading] = {}

    def assign(self, lanes: Iterable[CopyLane]) -> None:
        """Fill these from now on, and no others."""
        self._lanes = {lane.source: lane for lane in lanes}
        self._reading = {p: r for p, r in self._reading.items() if p in self._lanes}
        for source, lane in self._lanes.items():
            lane.source_end = self._stored[source].end

    def pump(self, now: float) -> None:
        """Read a piece for each lane that has room."""
        room = BUFFER_BYTES - sum(lane.buffered for lane in self._lanes.values())
        for source, lane in self._lanes.items():
            if room <= 0:
                return
            if lane.may_read(now) and lane.buffered < LANE_BYTES:
                before = lane.buffered
                self._fill(source, lane, now)
                room -= lane.buffered - before

    def rest(self, now: float) -> float:
        """It goes on when what it read is written."""
        return inf

    def broke(self, pipe: Pipe, why: PkoError) -> None:
        """No pipe is ours."""

    def starts(self, wanted: Mapping[Partition, int]) -> dict[Partition, int | PkoError]:
        """Tasks of a restore say where they begin."""
        return dict(wanted)

    def close(self) -> None:
        """Nothing stays open."""
        self._reading.clear()

    @property
    def remaining(self) -> list[Partition]:
        """Partitions of which something is still to be read, or to be written."""
        return [
            source
            for source, lane in self._lanes.items()
            if not (self._is_read(source, lane) and lane.drained)
        ]

    def _is_read(self, source: Partition, lane: CopyLane) -> bool:
        if lane.active and lane.position >= self._stored[source].end:
            return True
        reading = self._reading.get(source)
        return reading is not None and reading.ended and reading.at == lane.position

    def _fill(self, source: Partition, lane: CopyLane, now: float) -> None:
        if self._is_read(source, lane):
            return
        reading = self._reading.get(source)
        if reading is None or reading.at != lane.position:
            stored = self._stored[source]
            pieces = log_pieces(self._store, stored, lane.position)
            reading = self._reading[source] = _Reading(pieces, lane.position)
        try:
            piece = next(reading.pieces, None)
        except (StorageError, CorruptError) as error:
            del self._reading[source]
            lane.stop(f"the backup cannot be read: {error}", now)
            return
        if piece is None:
            reading.ended = True
            return
        lane.take(piece.data, piece.aborted)
        reading.at = lane.position
