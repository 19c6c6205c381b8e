"""Record batch v2: its 61-byte header read, checked, patched in place and scanned.

Counterpart of ``DefaultRecordBatch`` (KIP-98) and of those checks of ``LogValidator`` that need no
walk over the records. The CRC covers everything from the attributes on, so base offset, length,
leader epoch and magic may change without touching it.

Layout, big endian: baseOffset int64, batchLength int32 (of what follows it), partitionLeaderEpoch
int32, magic int8, crc uint32, attributes int16 (bits 0-2 codec, 3 LogAppendTime, 4 transactional,
5 control, 6 delete horizon), lastOffsetDelta int32, baseTimestamp int64, maxTimestamp int64,
producerId int64, producerEpoch int16, baseSequence int32, record count int32.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class
from typing import NamedTuple

from pykafka_ops.disk.checksum import Buffer, WritableBuffer, crc32c
from pykafka_ops.disk.compression import Codec, codec_of
from pykafka_ops.errors import CorruptBatchError, KafkaError

NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
NO_LEADER_EPOCH = -1

#: Bytes of base offset and length, which the length does not count.
LOG_OVERHEAD = 12
HEADER_SIZE = 61
#: Smallest value of the length field any format allows (a v0 record: ``LegacyRecord``).
MIN_LENGTH = 14
_MIN_LENGTH_V2 = HEADER_SIZE - LOG_OVERHEAD
CRC_START = 21

_CODEC_MASK = 0x07
LOG_APPEND_TIME_FLAG = 0x08
TRANSACTIONAL_FLAG = 0x10
CONTROL_FLAG = 0x20
DELETE_HORIZON_FLAG = 0x40

#: Kafka error code of a client's batch that is whole but not allowed (``InvalidRecordException``).
INVALID_RECORD = 87
UNKNOWN_SERVER_ERROR = -1

HEADER = Struct(">qiibIhiqqqhii")
_BASE = Struct(">qi")
_INT32 = Struct(">i")
_UINT32 = Struct(">I")
_INT16 = Struct(">h")
_INT64 = Struct(">q")
_unpack = HEADER.unpack_from
_new = tuple.__new__


class TimestampType(IntEnum):
    """What a record's timestamp means (``message.timestamp.type``)."""

    NONE = -1
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


class BatchHeader(NamedTuple):
    """The header of a batch v2; offsets absolute, timestamps ms, sizes bytes."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return LOG_OVERHEAD + self.batch_length

    @property
    def last_offset(self) -> int:
        """Offset of the last record (kept when compaction removed that record)."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """First offset after the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def codec(self) -> Codec:
        """Compression; CorruptBatchError when the id names none."""
        return codec_of(self.attributes)

    @property
    def is_transactional(self) -> bool:
        """Whether the records belong to a transaction."""
        return self.attributes & TRANSACTIONAL_FLAG != 0

    @property
    def is_control(self) -> bool:
        """Whether the batch holds a control record (a transaction marker)."""
        return self.attributes & CONTROL_FLAG != 0

    @property
    def is_log_append_time(self) -> bool:
        """Whether ``max_timestamp`` is the broker's clock and stands for every record."""
        return self.attributes & LOG_APPEND_TIME_FLAG != 0

    @property
    def has_delete_horizon(self) -> bool:
        """Whether ``base_timestamp`` is the time from which tombstones may go (KIP-534)."""
        return self.attributes & DELETE_HORIZON_FLAG != 0

    @property
    def delete_horizon_ms(self) -> int | None:
        """The delete horizon in ms, None where the cleaner set none."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_FLAG else None

    @property
    def has_producer_id(self) -> bool:
        """Whether an idempotent or transactional producer wrote the batch."""
        return self.producer_id > NO_PRODUCER_ID

    @property
    def last_sequence(self) -> int:
        """Sequence number of the last record, -1 without sequences; wraps after 2**31 - 1."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return increment_sequence(self.base_sequence, self.last_offset_delta)


def increment_sequence(sequence: int, by: int) -> int:
    """``sequence + by`` with Kafka's wrap from 2**31 - 1 to 0."""
    return (sequence + by) & 0x7FFF_FFFF


def read_header(buf: Buffer, pos: int = 0) -> BatchHeader:
    """The header at ``pos``; CorruptBatchError when fewer than 61 bytes remain. Checks no more."""
    if len(buf) - pos < HEADER_SIZE or pos < 0:
        raise CorruptBatchError(f"batch header needs {HEADER_SIZE} bytes, {len(buf) - pos} remain")
    return _new(BatchHeader, _unpack(buf, pos))


def starts_at(buf: Buffer, offset: int) -> bool:
    """Whether the first batch of ``buf`` holds nothing below ``offset``."""
    return len(buf) >= LOG_OVERHEAD and _INT64.unpack_from(buf)[0] >= offset


def check_crc(buf: Buffer, pos: int, header: BatchHeader) -> bool:
    """Whether the bytes of the batch at ``pos`` match the CRC in its header."""
    end = pos + LOG_OVERHEAD + header.batch_length
    if header.batch_length < _MIN_LENGTH_V2 or end > len(buf):
        return False
    return crc32c(memoryview(buf)[pos + CRC_START : end]) == header.crc


def ensure_valid(buf: Buffer, pos: int, header: BatchHeader) -> None:
    """CorruptBatchError, in Kafka's words, unless size and CRC of the batch are right."""
    if header.batch_length < _MIN_LENGTH_V2:
        raise CorruptBatchError(
            f"Record batch is corrupt (the size {header.size} is smaller than the minimum "
            f"allowed overhead {HEADER_SIZE})"
        )
    if not check_crc(buf, pos, header):
        raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")


def validate_client_batch(buf: memoryview) -> BatchHeader:
    """Check the batch a producer sent at the start of ``buf``; what follows it is not looked at.

    Raises CorruptBatchError (answer CORRUPT_MESSAGE) when it is cut, not magic 2 or fails its CRC,
    KafkaError(UNKNOWN_SERVER_ERROR) for an unknown codec, and KafkaError(INVALID_RECORD) when it is
    whole but a client may not send it: base offset not 0, wrong counts, control batch, producer id
    without sequence.
    Order and texts follow ``UnifiedLog.analyzeAndValidateRecords``, ``LogValidator.validateBatch``.
    """
    try:
        header = _new(BatchHeader, _unpack(buf))
    except StructError:
        raise CorruptBatchError(
            f"batch header needs {HEADER_SIZE} bytes, {len(buf)} remain"
        ) from None
    base, length, _, magic, crc, attributes, delta, _, _, producer_id, _, sequence, count = header
    end = LOG_OVERHEAD + length
    if magic != 2:
        raise CorruptBatchError(f"Invalid magic found in record: {magic}")
    if length < _MIN_LENGTH_V2 or end > len(buf):
        raise CorruptBatchError(f"record batch of {end} bytes, {len(buf)} remain")
    if base:
        raise KafkaError(
            INVALID_RECORD,
            f"The baseOffset of the record batch in the append should be 0, but it is {base}",
        )
    if crc32c(buf[CRC_START:end]) != crc:
        raise CorruptBatchError(f"Record is corrupt (stored crc = {crc})")
    if (
        count != delta + 1
        or count <= 0
        or attributes & (CONTROL_FLAG | 7) > 4
        or (sequence < 0 and producer_id > NO_PRODUCER_ID)
    ):
        _refuse(header)
    return header


def _refuse(header: BatchHeader) -> None:
    """Say why ``validate_client_batch`` refuses this header."""
    span = f"[{header.base_offset}, {header.last_offset}]"
    codec = header.attributes & _CODEC_MASK
    if codec > Codec.ZSTD:  # Kafka trips over it: IllegalArgumentException
        raise KafkaError(UNKNOWN_SERVER_ERROR, f"Unknown compression type id: {codec}")
    if header.last_offset_delta < 0:
        reason = f"Batch has an invalid offset range: {span}"
    elif header.record_count <= 0:
        reason = f"Invalid reported count for record batch: {header.record_count}"
    elif header.record_count != header.last_offset_delta + 1:
        reason = (
            f"Inconsistent batch offset range {span} and count of records {header.record_count}"
        )
    elif header.is_control:
        reason = "Clients are not allowed to write control records"
    else:
        reason = (
            f"Invalid sequence number {header.base_sequence} in record batch with producerId "
            f"{header.producer_id}"
        )
    raise KafkaError(INVALID_RECORD, reason)


def set_offsets(buf: WritableBuffer, pos: int, base_offset: int, leader_epoch: int) -> None:
    """Write base offset and leader epoch into the batch at ``pos``; the CRC does not cover them."""
    _INT64.pack_into(buf, pos, base_offset)
    _INT32.pack_into(buf, pos + 12, leader_epoch)


def set_log_append_time(buf: WritableBuffer, pos: int, timestamp: int) -> None:
    """Mark the batch at ``pos`` as LogAppendTime ``timestamp`` (ms) and write its new CRC."""
    (attributes,) = _INT16.unpack_from(buf, pos + 21)
    _set_max_timestamp(buf, pos, attributes | LOG_APPEND_TIME_FLAG, timestamp)


def set_create_time(buf: WritableBuffer, pos: int, max_timestamp: int) -> None:
    """Mark the batch at ``pos`` as CreateTime with ``max_timestamp`` (ms) and write its new CRC."""
    (attributes,) = _INT16.unpack_from(buf, pos + 21)
    _set_max_timestamp(buf, pos, attributes & ~LOG_APPEND_TIME_FLAG, max_timestamp)


def _set_max_timestamp(buf: WritableBuffer, pos: int, attributes: int, timestamp: int) -> None:
    _INT16.pack_into(buf, pos + 21, attributes)
    _INT64.pack_into(buf, pos + 35, timestamp)
    (length,) = _INT32.unpack_from(buf, pos + 8)
    end = pos + LOG_OVERHEAD + length
    _UINT32.pack_into(buf, pos + 17, crc32c(memoryview(buf)[pos + CRC_START : end]))


def scan(buf: Buffer, pos: int = 0, end: int | None = None) -> Iterator[tuple[int, BatchHeader]]:
    """(position, header) of every whole v2 batch from ``pos`` on; stops at the first that is cut.

    Raises CorruptBatchError where a length or magic cannot be; CRCs are not checked.
    """
    stop = len(buf) if end is None else min(end, len(buf))
    unpack, new = _unpack, _new
    while stop - pos >= HEADER_SIZE:
        header = new(BatchHeader, unpack(buf, pos))
        length = header[1]
        if length < _MIN_LENGTH_V2 or header[3] != 2:
            _check_scanned(header, pos)
            return
        if pos + LOG_OVERHEAD + length > stop:
            return
        yield pos, header
        pos += LOG_OVERHEAD + length


def _check_scanned(header: BatchHeader, pos: int) -> None:
    if header.batch_length < MIN_LENGTH:
        raise CorruptBatchError(
            f"Found record size {header.batch_length} smaller than minimum record overhead "
            f"({MIN_LENGTH}) at position {pos}"
        )
    raise CorruptBatchError(
        f"batch at position {pos} has magic {header.magic} and length {header.batch_length}"
    )


def next_batch_size(buf: Buffer, pos: int = 0) -> int | None:
    """Bytes of the batch or v0/v1 message at ``pos``; None where it is not there as a whole.

    Raises CorruptBatchError on a length or magic no format has (``ByteBufferLogInputStream``).
    """
    left = len(buf) - pos
    if left < 17:
        return None
    _, length = _BASE.unpack_from(buf, pos)
    if length < MIN_LENGTH:
        raise CorruptBatchError(
            f"Record size {length} is less than the minimum record overhead ({MIN_LENGTH})"
        )
    magic = buf[pos + 16]
    if magic > 2:
        signed = magic - 256 if magic > 127 else magic
        raise CorruptBatchError(f"Invalid magic found in record: {signed}")
    size: int = LOG_OVERHEAD + length
    return size if size <= left else None


def whole_batches(data: Buffer) -> int:
    """Where the last whole batch (or message, in old formats) ends."""
    position = 0
    while position + _BASE.size <= len(data):
        following = position + _BASE.size + int(_BASE.unpack_from(data, position)[1])
        if not position < following <= len(data):
            break
        position = following
    return position
