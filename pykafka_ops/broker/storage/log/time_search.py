"""Offsets by time (``UnifiedLog.fetchOffsetByTimestamp``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from pykafka_ops.broker.state.steps import Steps, is_dense
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.record import payload
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

NO_TIMESTAMP = -1
STEP = 256
"""Records of a dense batch that are looked at between two pauses."""


class FoundOffset(NamedTuple):
    """An offset found by time; ``timestamp`` (ms) and ``leader_epoch`` are -1 if not known."""

    timestamp: int
    offset: int
    leader_epoch: int


Search = Steps["FoundOffset | None"]


class TimeSearch:
    """Looks for records by their timestamps, in a log that is open; in steps where a batch has very
    many of them."""

    __slots__ = ("_parts",)

    def __init__(self, parts: LogParts) -> None:
        self._parts = parts

    def earliest(self) -> FoundOffset:
        """The log start, with its leader epoch if that is known (ListOffsets -2)."""
        epoch, begun = self._parts.epochs.cache.earliest
        start = self._parts.tail.start
        return FoundOffset(NO_TIMESTAMP, start, epoch if begun <= start else -1)

    def first_since(self, timestamp: int, up_to: int) -> Search:
        """The first record below offset ``up_to`` that is as young as ``timestamp`` (ms) or
        younger; None if there is none. Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        start = self._parts.tail.start
        with self._errors():
            for segment in self._parts.segments:
                if segment.largest_timestamp >= timestamp:
                    position = segment.position_for_time(timestamp, start)
                    found = yield from self._find(
                        segment,
                        position,
                        lambda header: header.max_timestamp >= timestamp,
                        lambda offset, time: time >= timestamp and offset >= start,
                    )
                    return found if found is not None and found.offset < up_to else None
        return None

    def youngest(self) -> Search:
        """The first record with the largest timestamp; None in a log without records (ListOffsets
        -3). Raises KafkaError KAFKA_STORAGE_ERROR, CORRUPT_MESSAGE."""
        with self._errors():
            segment = max(self._parts.segments, key=lambda s: s.max_timestamp)
            timestamp = segment.max_timestamp
            position = segment.offset_index.lookup(segment.max_timestamp_offset)[1]
            found = yield from self._find(
                segment,
                position,
                lambda header: header.max_timestamp == timestamp and header.magic > 0,
                lambda _, time: time == timestamp,
            )
        return found

    def _find(
        self,
        segment: Segment,
        position: int,
        is_near: Callable[[BatchHeader], bool],
        is_it: Callable[[int, int], bool],
    ) -> Search:
        """The first record, by offset and time, in the batches that it may be in."""
        for at, header in segment.batches(position):
            if not is_near(header):
                continue
            dense = is_dense(header)
            if dense:
                yield None
                if not any(each is segment for each in self._parts.segments):
                    raise KafkaError(ErrorCode.OFFSET_NOT_AVAILABLE)  # deleted meanwhile
            data = segment.log.read(header.size, at)
            times = (yield partial(_times, data, header)) if dense else _times(data, header)
            for count, (offset, time) in enumerate(times):
                if is_it(offset, time):
                    return FoundOffset(time, offset, header.partition_leader_epoch)
                if dense and count % STEP == 0:
                    yield None
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


def _times(data: bytes, header: BatchHeader) -> Iterator[tuple[int, int]]:
    """Offset and time of every record of a batch, which is decompressed now."""
    if header.magic < 2:
        from pykafka_ops.disk.legacy import iter_message, read_message_header  # few logs are so old

        message = read_message_header(data)
        records = list(iter_message(data, 0, message, DECOMPRESSED_LIMIT))
        return ((record.offset, record.timestamp) for record in records)
    plain = payload(data, 0, header, DECOMPRESSED_LIMIT)
    return ((span[0], span[1]) for span in walk(plain, header))
