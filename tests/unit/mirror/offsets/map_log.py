"""A map's topic as a list in memory, compacted as a log cleaner does."""

from __future__ import annotations

from typing import Any, cast

from pykafka_ops.client.leaders import Partition
from pykafka_ops.disk.record import Record
from pykafka_ops.mirror.offsets.kept import MapPiece
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.records import decode_key, decode_value, map_records
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun
from pykafka_ops.mirror.offsets.upkeep import due, rewrite

TARGET = "a.orders", 3


class MapLog:
    """The records there are; ``end`` is the next offset."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.end = 0

    def append(self, key: bytes | None, value: bytes | None) -> None:
        self.records.append(Record(self.end, 0, key, value))
        self.end += 1

    def round(self, runs: list[OffsetRun], life: int = 0) -> None:
        """What a round of the mirror adds."""
        for record in map_records(TARGET, runs, 0, life=life)[1]:
            self.append(record.key, record.value)

    def compact(self) -> None:
        """Leave the last record of each key, tombstones not."""
        last = {record.key: record for record in self.records}
        kept = [r for r in last.values() if r.value is not None]
        self.records = sorted(kept, key=lambda r: r.offset)

    def tidy(self, reader: ListReader) -> int:
        """As ``upkeep.tidy``."""
        taken = 0
        for target in list(due(reader)):
            change = rewrite(target, reader.maps[target])
            for key, value in change.records:
                self.append(key, value)
            for key in change.gone:
                self.append(key, None)
            taken += len(change.gone)
        return taken


class ListReader(MapReader):
    """Reads such a list; ``loaded`` counts records that were read again."""

    def __init__(self, log: MapLog, *, pieces: bool = False) -> None:
        super().__init__(cast("Any", None), "map", pieces=pieces)
        self.log, self.at, self.loaded = log, 0, 0
        self.partitions = 1

    def catch_up(self) -> None:
        for record in self.log.records:
            if record.offset >= self.at:
                self.learn(record)
        self.at = self.log.end

    def _fetch(self, target: Partition, piece: MapPiece, place: Partition) -> OffsetMap:
        self.loaded += 1
        (record,) = (r for r in self.log.records if r.offset == piece.at)
        return OffsetMap(decode_value(decode_key(record.key), record.value or b""))
