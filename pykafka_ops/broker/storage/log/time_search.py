"""Offsets by time (``UnifiedLog.fetchOffsetByTimestamp``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.legacy import iter_message, read_message_header
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

NO_TIMESTAMP = -1
_DECOMPRESSED_LIMIT = 256 << 20


class FoundOffset(NamedTuple):
    """An offset found by time; ``timestamp`` (ms) and ``leader_epoch`` are -1 if not known."""

    timestamp: int
    offset: int
    leader_epoch: int


class TimeSearch:
    """Looks for records by their timestamps, in a log that is open."""

    __slots__ = ("_parts",)

    def __init__(self, parts: LogParts) -> None:
        self._parts = parts

    def earliest(self) -> FoundOffset:
        """The log start, with its leader epoch if that is known (ListOffsets -2)."""
        epoch, begun = self._parts.epochs.cache.earliest
        start = self._parts.tail.start
        return FoundOffset(NO_TIMESTAMP, start, epoch if begun <= start else -1)

    def first_since(self, timestamp: int, up_to: int) -> FoundOffset | None:
        """The first record below offset ``up_to`` that is as young as ``timestamp`` (ms) or
        younger; None if there is none. Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        start = self._parts.tail.start
        with self._errors():
            for segment in self._parts.segments:
                if segment.largest_timestamp >= timestamp:
                    found = _first_since(segment, timestamp, start)
                    return found if found is not None and found.offset < up_to else None
        return None

    def youngest(self) -> FoundOffset | None:
        """The first record with the largest timestamp; None in a log without records (ListOffsets
        -3). Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        with self._errors():
            segment = max(self._parts.segments, key=lambda s: s.max_timestamp)
            timestamp = segment.max_timestamp
            position = segment.offset_index.lookup(segment.max_timestamp_offset)[1]
            for at, header in segment.batches(position):
                if header.max_timestamp != timestamp or not header.magic:
                    continue
                for record in _records(segment, at, header):
                    if record.timestamp == timestamp:
                        return FoundOffset(timestamp, record.offset, header.partition_leader_epoch)
        return None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """A failed disk, or a damaged batch on the way, as the client hears of it."""
        place = self._parts.place
        try:
            with place.disk_errors():
                yield
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"{place.name}: {error}") from error


def _first_since(segment: Segment, timestamp: int, log_start: int) -> FoundOffset | None:
    position = segment.position_for_time(timestamp, log_start)
    for at, header in segment.batches(position):
        if header.max_timestamp < timestamp:
            continue
        for record in _records(segment, at, header):
            if record.timestamp >= timestamp and record.offset >= log_start:
                return FoundOffset(record.timestamp, record.offset, header.partition_leader_epoch)
    return None


def _records(segment: Segment, position: int, header: BatchHeader) -> list[Record]:
    data = segment.log.read(header.size, position)
    if header.magic < 2:
        message = read_message_header(data)
        return list(iter_message(data, 0, message, _DECOMPRESSED_LIMIT))
    return list(iter_records(data, 0, header, _DECOMPRESSED_LIMIT))
