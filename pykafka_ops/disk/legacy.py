"""Message sets of formats v0 and v1 (Kafka: ``LegacyRecord``, ``AbstractLegacyRecordBatch``).

A message, big endian: offset int64, size int32 (of what follows), crc uint32 (CRC-32 from magic
on), magic int8, attributes int8 (bits 0-2 codec, bit 3 LogAppendTime in v1), in v1 timestamp int64
ms, key length int32 (-1 null), key, value length int32, value. A compressed message is a wrapper:
its value is a compressed message set, its offset that of the last message inside. Inside a v0
wrapper offsets are absolute; inside a v1 wrapper they count from 0 (KIP-31).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.batch import (
    LOG_APPEND_TIME_FLAG,
    LOG_OVERHEAD,
    MIN_LENGTH,
    NO_TIMESTAMP,
    TimestampType,
)
from pykafka_ops.disk.checksum import Buffer, crc32
from pykafka_ops.disk.compression import Codec, codec_of, compress, decompress
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.varint import signed64
from pykafka_ops.errors import CorruptBatchError

_HEAD = Struct(">qiIbb")
_SET_HEAD = Struct(">qi")
_INT32 = Struct(">i")
_INT64 = Struct(">q")
_CRC = Struct(">I")
_BODY = (Struct(">bb"), Struct(">bbq"))
_KEY_AT = (18, 26)
#: Bytes after the size field of a message with null key and value, by magic.
OVERHEAD = (14, 22)


class InvalidWrapperError(CorruptBatchError):
    """A wrapper is whole but holds what it may not (Kafka: ``InvalidRecordException``)."""


class MessageHeader(NamedTuple):
    """Head of one message v0/v1; ``timestamp`` is -1 in v0, sizes are bytes."""

    offset: int
    length: int
    crc: int
    magic: int
    attributes: int
    timestamp: int

    @property
    def size(self) -> int:
        """Bytes of the message with its offset and size fields."""
        return LOG_OVERHEAD + self.length

    @property
    def codec(self) -> Codec:
        """Compression of the value; CorruptBatchError when the id names none."""
        return codec_of(self.attributes)

    @property
    def timestamp_type(self) -> TimestampType:
        """Which clock ``timestamp`` is of; NONE in v0."""
        if self.magic == 0:
            return TimestampType.NONE
        return TimestampType((self.attributes & LOG_APPEND_TIME_FLAG) >> 3)


def read_message_header(buf: Buffer, pos: int = 0) -> MessageHeader:
    """The head at ``pos``; CorruptBatchError when it is cut or no v0/v1 message."""
    left = len(buf) - pos
    if pos < 0 or left < LOG_OVERHEAD + OVERHEAD[0]:
        raise CorruptBatchError(f"message needs at least 26 bytes, {left} remain")
    offset, length, crc, magic, attributes = _HEAD.unpack_from(buf, pos)
    if magic not in (0, 1):
        raise CorruptBatchError(f"Invalid magic found in record: {magic}")
    if length < OVERHEAD[magic]:
        raise CorruptBatchError(
            f"Record is corrupt (crc could not be retrieved as the record is too small, "
            f"size = {length})"
        )
    if magic and left < LOG_OVERHEAD + OVERHEAD[1]:
        raise CorruptBatchError(f"message needs at least 34 bytes, {left} remain")
    timestamp = _INT64.unpack_from(buf, pos + 18)[0] if magic else NO_TIMESTAMP
    return MessageHeader(offset, length, crc, magic, attributes, timestamp)


def message_crc(buf: Buffer, pos: int, header: MessageHeader) -> int:
    """The CRC-32 the message at ``pos`` has; equals ``header.crc`` unless it is damaged."""
    return crc32(memoryview(buf)[pos + 16 : pos + header.size])


def check_message_crc(buf: Buffer, pos: int, header: MessageHeader) -> bool:
    """Whether the whole message at ``pos`` is there and matches its CRC."""
    return pos + header.size <= len(buf) and message_crc(buf, pos, header) == header.crc


def message_content(
    buf: Buffer, pos: int, header: MessageHeader
) -> tuple[bytes | None, bytes | None]:
    """(key, value) as stored; CorruptBatchError where they do not fit the message exactly."""
    end = pos + header.size
    if end > len(buf):
        raise CorruptBatchError(f"message of {header.size} bytes, {len(buf) - pos} remain")
    key, at = _field(buf, pos + _KEY_AT[header.magic], end)
    value, at = _field(buf, at, end)
    return key, value


def _field(buf: Buffer, at: int, end: int) -> tuple[bytes | None, int]:
    if at + 4 > end:
        raise CorruptBatchError("message ends inside a key or value length")
    (size,) = _INT32.unpack_from(buf, at)
    at += 4
    if size < 0:
        return None, at
    if size > end - at:
        raise CorruptBatchError(f"key or value of {size} bytes, {end - at} remain in the message")
    return bytes(buf[at : at + size]), at + size


def scan_messages(buf: Buffer) -> Iterator[tuple[int, MessageHeader]]:
    """(position, header) of every whole v0/v1 message, wrappers not opened; stops at a cut one.

    Raises CorruptBatchError on an impossible size and where another format begins.
    """
    pos, stop = 0, len(buf)
    while stop - pos > LOG_OVERHEAD:
        _, length = _SET_HEAD.unpack_from(buf, pos)
        if length < MIN_LENGTH:
            raise CorruptBatchError(
                f"Record size {length} is less than the minimum record overhead ({MIN_LENGTH})"
            )
        if pos + LOG_OVERHEAD + length > stop:
            return
        yield pos, read_message_header(buf, pos)
        pos += LOG_OVERHEAD + length


def iter_message(
    buf: Buffer,
    pos: int,
    header: MessageHeader,
    limit: int = 2**31 - 1,
    *,
    verify: bool = False,
) -> Iterator[Record]:
    """The records of the message at ``pos``: itself, or what its wrapper holds, offsets absolute.

    ``limit`` bounds the decompressed bytes; ``verify`` checks the CRC of each message inside a
    wrapper. Raises CorruptBatchError as ``DeepRecordsIterator`` refuses.
    """
    key, value = message_content(buf, pos, header)
    if not header.attributes & 7:
        yield Record(header.offset, header.timestamp, key, value)
        return
    for _, inner, record in open_wrapper(header, value, limit):
        if verify and not inner.valid:
            raise CorruptBatchError(f"Record is corrupt (stored crc = {inner.header.crc})")
        yield record


class Inner(NamedTuple):
    """A message inside a wrapper: its own head (``offset`` as stored) and whether its CRC holds."""

    header: MessageHeader
    valid: bool


def open_wrapper(
    header: MessageHeader, value: bytes | None, limit: int
) -> Iterator[tuple[int, Inner, Record]]:
    """(position in the plain set, stored head, record with absolute offset) of a wrapper.

    Raises InvalidWrapperError for what may not stand in one, CorruptBatchError for what is damaged.
    """
    data, base, inside = plain_set(header, value, limit)
    appended = header.timestamp_type is TimestampType.LOG_APPEND_TIME
    inside.reverse()
    while inside:  # each is gone when it is read: there may be hundreds of thousands
        at, inner = inside.pop()
        key, content = message_content(data, at, inner)
        timestamp = header.timestamp if appended else inner.timestamp
        checked = Inner(inner, check_message_crc(data, at, inner))
        yield at, checked, Record(signed64(base + inner.offset), timestamp, key, content)


def plain_set(
    header: MessageHeader, value: bytes | None, limit: int
) -> tuple[bytes, int, list[tuple[int, MessageHeader]]]:
    """A wrapper's message set: its bytes, what to add to inner offsets, (position, head) of each.

    Raises as ``open_wrapper``; contents of messages are not looked at.
    """
    codec = header.codec
    if codec is Codec.ZSTD:
        raise InvalidWrapperError(
            f"Invalid wrapper compressionType found in legacy deep record iterator {header.magic}"
        )
    if value is None:
        raise InvalidWrapperError(
            f"Found invalid compressed record set with null value (magic = {header.magic})"
        )
    data = decompress(codec, value, limit, v0_header=header.magic == 0)
    inside = list(scan_messages(data))
    if not inside:
        raise InvalidWrapperError("Found invalid compressed record set with no inner records")
    base = _inner_base(header, inside[-1][1].offset)
    for _, inner in inside:
        if inner.magic != header.magic:
            raise InvalidWrapperError(
                f"Compressed message magic {inner.magic} does not match wrapper magic "
                f"{header.magic}"
            )
        if inner.attributes & 7:
            raise InvalidWrapperError("Inner messages must not be compressed")
    return data, base, inside


def _inner_base(header: MessageHeader, last: int) -> int:
    """What to add to an inner offset."""
    if header.magic == 0 or header.offset == 0:
        # v0: absolute already. Wrapper offset 0: some librdkafka versions produce that.
        return 0
    if header.offset < last:
        raise InvalidWrapperError(
            "Found invalid wrapper offset in compressed v1 message set, wrapper offset "
            f"'{header.offset}' is less than the last inner message offset '{last}' and it is not "
            "zero."
        )
    return header.offset - last


def pack_message(record: Record, magic: int, attributes: int = 0) -> bytes:
    """One message; ``attributes`` carry codec and timestamp type, the timestamp is not in v0."""
    body = _BODY[1].pack(1, attributes, record.timestamp) if magic else bytes([0, attributes])
    parts = [body]
    for content in (record.key, record.value):
        parts.append(_INT32.pack(-1 if content is None else len(content)))
        if content:
            parts.append(content)
    body = b"".join(parts)
    return _SET_HEAD.pack(record.offset, len(body) + 4) + _CRC.pack(crc32(body)) + body


def build_messages(
    records: Sequence[Record],
    magic: int,
    *,
    codec: Codec = Codec.NONE,
    level: int | None = None,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    log_append_time: int = NO_TIMESTAMP,
    base_offset: int | None = None,
) -> bytes:
    """A message set of ``records`` (headers are dropped), one wrapper when ``codec`` is given.

    ``base_offset`` is what offsets inside a v1 wrapper count from, by default the first record's;
    with LOG_APPEND_TIME every timestamp is ``log_append_time`` (ms).
    """
    attributes = 0
    if magic and timestamp_type is TimestampType.LOG_APPEND_TIME:
        attributes = LOG_APPEND_TIME_FLAG
        records = [record._replace(timestamp=log_append_time) for record in records]
    if not codec:
        return b"".join([pack_message(record, magic, attributes) for record in records])
    base = records[0].offset if base_offset is None else base_offset
    if magic == 0:
        base = 0
    inner = [pack_message(r._replace(offset=r.offset - base), magic, attributes) for r in records]
    value = compress(codec, b"".join(inner), level, v0_header=magic == 0)
    latest = max(record.timestamp for record in records)
    wrapper = Record(records[-1].offset, latest, None, value)
    return pack_message(wrapper, magic, attributes | codec)
