"""Appending to a partition's log, as leader and as follower (``UnifiedLog.append``)."""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error
from typing import NamedTuple

from pykafka_ops.broker.state.configs.topic import MAX_LONG
from pykafka_ops.broker.state.producers import Batch, Origin
from pykafka_ops.broker.storage.log_segments import LogSegments
from pykafka_ops.broker.storage.replay import Marker, add_batch, add_marker, read_marker, replay
from pykafka_ops.broker.storage.scan import UP_TO_MAGIC, check, header_at
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.validate import Prepared, Rules, inflate, prepare
from pykafka_ops.disk.batch import (
    HEADER_SIZE,
    BatchHeader,
    increment_sequence,
    read_header,
    set_offsets,
)
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.survey import as_promised
from pykafka_ops.disk.txn_index import AbortedTxn
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

_HEADER = Struct(">qiibIhiqqqhii")
_BASE_OFFSET = Struct(">q")
_LEADER_EPOCH = Struct(">i")
_Fields = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
_REFUSED_FLAGS = 0x28
"""LogAppendTime, control: not the usual batch of a client."""
_TRANSACTIONAL = 0x10
_CRC_COVERS = 21
_RECORDS_AT = HEADER_SIZE - _CRC_COVERS
_MAX_RELATIVE = 2**31 - 1
_TAIL = 256
_CLIENT = Origin.CLIENT
_COORDINATOR = Origin.COORDINATOR
_new = tuple.__new__


def _promised(body: bytes, header: BatchHeader) -> bool:
    """Whether the records are what ``header`` says; ``body`` is the batch from the CRC's end on."""
    if not header.attributes & 7:
        return as_promised(body, _RECORDS_AT, header)
    try:
        plain = inflate(memoryview(body)[_RECORDS_AT:], header)
    except CorruptBatchError:
        return False
    return as_promised(plain, 0, header)


class AppendInfo(NamedTuple):
    """What an append did. Offsets are -1 if there was nothing to append; ``log_append_time`` (ms)
    is -1 for CreateTime topics; a ``duplicate`` was appended before, at these offsets."""

    first_offset: int
    last_offset: int
    log_append_time: int
    log_start_offset: int
    duplicate: bool = False


class LogAppend(LogSegments):
    """The writing half of a log."""

    __slots__ = ()

    # -- as leader ---------------------------------------------------------------------------------

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now: int,
        origin: Origin = _CLIENT,
        guard: object | None = None,
    ) -> AppendInfo:
        """Give offsets to the batch in ``records`` (writable, changed in place) and write it.

        ``guard`` is what ``producers.start_verification`` gave for a transaction's first batch.
        Raises KafkaError as Kafka's Produce answers: CORRUPT_MESSAGE, MESSAGE_TOO_LARGE,
        RECORD_LIST_TOO_LARGE, INVALID_RECORD, INVALID_TIMESTAMP, OUT_OF_ORDER_SEQUENCE_NUMBER,
        INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, TRANSACTION_COORDINATOR_FENCED,
        KAFKA_STORAGE_ERROR. ``RecordsRejectedError`` names the records.
        """
        active = self._active
        if active is None:
            active = self.open()
        fields = self._usual(records) if origin is _CLIENT else self._own(records, origin)
        if fields is None:
            return self._append_checked(records, leader_epoch, now, origin, guard)
        size = fields[1] + 12
        delta = fields[6]
        max_timestamp = fields[8]
        first = self._end
        last = first + delta
        if (
            max_timestamp > self._roll_after
            or active.size + size > self._segment_bytes
            or active.index_full
            or last - active.base_offset > _MAX_RELATIVE
        ):
            active = self._roll_if_due(size, max_timestamp, (first, last), now)
        if leader_epoch != self._latest_epoch:
            self.assign_epoch(leader_epoch, first)
        _BASE_OFFSET.pack_into(records, 0, first)
        _LEADER_EPOCH.pack_into(records, 12, leader_epoch)
        position = active.size
        try:
            active.append(records, size, last, max_timestamp)
        except OSError as error:
            raise self._append_failed(active, position, error) from error
        self._end = self._producers.end_offset = last + 1
        producer_id = fields[9]
        if producer_id >= 0:
            batch = (increment_sequence(fields[11], delta), last, delta, max_timestamp)
            self._producers.add_batch(producer_id, fields[10], _new(Batch, batch))
        tail = self._tail_offsets
        tail.append(first)
        self._tail_positions.append(position)
        if len(tail) > _TAIL:
            self._trim_tail()
        info: AppendInfo = _new(AppendInfo, (first, last, -1, self._start, False))
        return info

    def _usual(self, records: memoryview) -> _Fields | None:
        """The header fields of a client's batch that can go the quick way; None if anything
        about it needs more than that, or must be refused."""
        try:
            fields: _Fields = _HEADER.unpack_from(records)
        except struct_error:
            return None
        base, length, _, magic, crc, flags, delta, _, _, producer_id, epoch, sequence, n = fields
        size = length + 12
        if (
            magic != 2
            or base
            or size != len(records)
            or not HEADER_SIZE <= size <= self._usual_bytes
            or n != delta + 1
            or n <= 0
            or flags & 7 > 4
            or flags & _REFUSED_FLAGS
        ):
            return None
        if producer_id >= 0 and (
            flags & _TRANSACTIONAL
            or sequence < 0
            or not self._producers.in_sequence(producer_id, epoch, sequence)
        ):
            return None
        body = bytes(records[_CRC_COVERS:])
        if crc32c(body) != crc:
            return None
        return fields if _promised(body, _new(BatchHeader, fields)) else None

    def _own(self, records: memoryview, origin: Origin) -> _Fields | None:
        """The header fields of a plain batch that this broker made for an internal topic, with
        usual settings: nothing in it needs to be checked or rewritten. None for any other."""
        config = self.config
        fields: _Fields = _HEADER.unpack_from(records)
        if (
            origin is not _COORDINATOR
            or fields[5]
            or fields[9] >= 0
            or fields[1] + 12 > min(config.max_message_bytes, config.segment_bytes)
            or config.log_append_time
            or config.compression_type != "producer"
            or config.flush_messages < MAX_LONG
        ):
            return None
        return fields

    def _trim_tail(self) -> None:
        del self._tail_offsets[: _TAIL // 2], self._tail_positions[: _TAIL // 2]

    def _append_checked(
        self,
        records: memoryview,
        leader_epoch: int,
        now: int,
        origin: Origin,
        guard: object | None,
    ) -> AppendInfo:
        """The careful way, with every check and rewrite of Kafka's."""
        prepared = prepare(records, Rules(self.config, self.name, now, origin))
        if prepared is None:
            return AppendInfo(-1, -1, -1, self._start)
        header = prepared.header
        if header.size > self._segment_bytes:
            raise KafkaError(
                ErrorCode.RECORD_LIST_TOO_LARGE,
                f"Message batch size is {header.size} bytes in append to partition {self.name}, "
                f"which exceeds the maximum configured segment size of {self._segment_bytes}.",
            )
        marker = None
        if header.producer_id >= 0:
            duplicate = self._check_producer(header, origin, guard)
            if duplicate is not None:
                return duplicate
            if header.is_control:
                marker = self._check_marker(prepared)
        info = self._write_prepared(prepared, marker, leader_epoch, now)
        if self._end - self.recovery_point >= self.config.flush_messages:
            self.flush_soon()
        return info

    def _check_producer(
        self, header: BatchHeader, origin: Origin, guard: object | None
    ) -> AppendInfo | None:
        """What to answer if this batch is here already; raises if it may not come."""
        producers, base = self._producers, header.base_sequence
        if origin == Origin.CLIENT:
            found = producers.find_duplicate(
                header.producer_id, header.producer_epoch, base, header.last_sequence
            )
            if found is not None:
                return AppendInfo(
                    found.first_offset, found.last_offset, found.timestamp, self._start, True
                )
        if not header.is_control:
            producers.check_batch(
                header.producer_id,
                header.producer_epoch,
                base,
                self._end,
                transactional=header.is_transactional,
                origin=origin,
                guard=guard,
            )
        return None

    def _check_marker(self, prepared: Prepared) -> Marker | None:
        header = prepared.header
        try:
            marker = read_marker(prepared.data, 0, header)
        except CorruptBatchError as error:
            raise KafkaError(ErrorCode.INVALID_RECORD, str(error)) from error
        if marker is not None:
            self._producers.check_marker(
                header.producer_id, header.producer_epoch, marker.coordinator_epoch, self._end
            )
        return marker

    def _write_prepared(
        self, prepared: Prepared, marker: Marker | None, leader_epoch: int, now: int
    ) -> AppendInfo:
        data, header = prepared
        first = self._end
        last = first + header.last_offset_delta
        active = self._roll_if_due(header.size, header.max_timestamp, (first, last), now)
        self.assign_epoch(leader_epoch, first)
        set_offsets(data, 0, first, leader_epoch)
        header = read_header(data)
        position = active.size
        try:
            self._note_aborted(active, header, marker)
            active.append(data, header.size, last, header.max_timestamp)
        except OSError as error:
            raise self._append_failed(active, position, error) from error
        self._end = last + 1
        if marker is not None:
            add_marker(self._producers, header, marker)
        elif header.producer_id >= 0:
            add_batch(self._producers, header)
        self._producers.end_offset = self._end
        self._first_unstable = self._producers.first_unstable_offset
        self._remember(first, position)
        stamped = now if self.config.log_append_time else -1
        return AppendInfo(first, last, stamped, self._start)

    def _note_aborted(self, active: Segment, header: BatchHeader, marker: Marker | None) -> None:
        """Put an abort into the transaction index, before its marker is written: readers of
        committed data must never see the marker without it."""
        if marker is None or not marker.aborted:
            return
        done = self._producers.peek_marker(header.producer_id, header.base_offset, aborted=True)
        if done is not None:
            active.append_aborted(
                AbortedTxn(
                    done.producer_id, done.first_offset, done.last_offset, done.last_stable_offset
                )
            )

    def _remember(self, offset: int, position: int) -> None:
        """The batch that begins at ``offset`` stands at ``position`` of the active segment."""
        self._tail_offsets.append(offset)
        self._tail_positions.append(position)
        if len(self._tail_offsets) > _TAIL:
            self._trim_tail()

    # -- as follower -------------------------------------------------------------------------------

    def append_as_follower(self, records: memoryview) -> AppendInfo:
        """Write whole batches as the leader gave them; a cut one at the end is left out.

        Nothing is written unless every batch is sound. Raises KafkaError CORRUPT_MESSAGE if one
        is damaged, KAFKA_STORAGE_ERROR, and UNKNOWN_SERVER_ERROR if the offsets do not follow
        this log's end.
        """
        self.open()
        first, last, position = -1, -1, 0
        for header in self._sound(records):
            batch = records[position : position + header.size]
            self._append_replicated(batch, header)
            first = header.base_offset if first < 0 else first
            last = header.last_offset
            position += header.size
        if self._end - self.recovery_point >= self.config.flush_messages:
            self.flush_soon()
        return AppendInfo(first, last, -1, self._start)

    def _sound(self, records: memoryview) -> list[BatchHeader]:
        """The headers of the whole batches, which follow the log's end and match their CRCs."""
        headers: list[BatchHeader] = []
        position, following, end = 0, self._end, len(records)
        try:
            while position + UP_TO_MAGIC < end:
                header = self._follower_header(records, position)
                if header is None:
                    break
                if not check(records, position, header):
                    raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")
                if header.magic >= 2 and header.is_control and header.producer_id >= 0:
                    read_marker(records, position, header)
                base, last = header.base_offset, header.last_offset
                if last < following or last < base or (header.magic >= 2 and base < following):
                    raise KafkaError(
                        ErrorCode.UNKNOWN_SERVER_ERROR,
                        f"Unexpected offset in append to {self.name}. First offset {base} is less "
                        f"than the next offset {following}. Log start offset = {self._start}",
                    )
                following = last + 1
                headers.append(header)
                position += header.size
        except CorruptBatchError as error:
            raise KafkaError(
                ErrorCode.CORRUPT_MESSAGE, f"{error} in topic partition {self.name}."
            ) from error
        return headers

    @staticmethod
    def _follower_header(records: memoryview, position: int) -> BatchHeader | None:
        left = len(records) - position
        if left < HEADER_SIZE:
            padded = bytes(records[position:]) + bytes(HEADER_SIZE)
            header = header_at(padded, 0)
        else:
            header = header_at(records, position)
        return header if header.size <= left else None

    def _append_replicated(self, batch: memoryview, header: BatchHeader) -> None:
        now = self.dir.settings.clock()
        span = (header.base_offset, header.last_offset)
        active = self._roll_if_due(header.size, header.max_timestamp, span, now)
        if header.magic < 2:
            self._epochs_dirty |= self._epochs.clear()
            self._latest_epoch = -1
        elif header.partition_leader_epoch >= 0:
            self.assign_epoch(header.partition_leader_epoch, header.base_offset)
        position = active.size
        try:
            if header.magic >= 2 and header.is_control and header.producer_id >= 0:
                self._note_aborted(active, header, read_marker(batch, 0, header))
            active.append(batch, header.size, header.last_offset, header.max_timestamp)
        except OSError as error:
            raise self._append_failed(active, position, error) from error
        self._end = header.last_offset + 1
        replay(self._producers, header, batch)
        self._first_unstable = self._producers.first_unstable_offset
        if header.magic >= 2:
            self._remember(header.base_offset, position)
        else:
            self._forget_tail()
