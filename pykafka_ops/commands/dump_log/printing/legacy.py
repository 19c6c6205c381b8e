"""dump-log of messages in formats v0 and v1."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from pykafka_ops.commands.dump_log.java import (
    JavaError,
    decompression_cause,
    illegal_argument,
    inflated,
    invalid_record,
    kafka_exception,
)
from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.disk.checksum import crc32
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.disk.legacy import MessageHeader, check_message_crc, plain_set, scan_messages
from pykafka_ops.errors import CorruptBatchError, CorruptError

_HEAD = Struct(">qiIbb")
_TIME = Struct(">q")
_INT = Struct(">i")
_LABELS = {-1: "NoTimestampType", 0: "CreateTime", 1: "LogAppendTime"}
#: As in ``records``: what one batch may take in memory.
LIMIT = 1 << 30


def message_header(log: LogFile, position: int) -> MessageHeader:
    """The head of the message at ``position``; JavaError where its magic is below 0."""
    offset, length, crc, magic, attributes = _HEAD.unpack(log.header_bytes(position, 18))
    if magic not in (0, 1):
        raise illegal_argument(f"Invalid magic used in LegacyRecord: {magic}")
    timestamp = _TIME.unpack(log.header_bytes(position + 18, 8))[0] if magic else -1
    return MessageHeader(offset, length, crc, magic, attributes, timestamp)


def label(header: MessageHeader) -> str:
    """The name of the timestamp type."""
    return _LABELS[header.timestamp_type]


def message_line(log: LogFile, position: int, header: MessageHeader) -> str:
    """The line of a message v0/v1, a wrapper or a record by itself, behind its offset.

    CorruptBatchError when the codec is unknown.
    """
    codec = header.codec
    valid = crc32(log.data[position + 16 : position + header.size]) == header.crc
    return (
        f" position: {position} {label(header)}: {header.timestamp} "
        f"size: {header.size} magic: {header.magic} compresscodec: {CODEC_NAMES[codec]} "
        f"crc: {header.crc} isvalid: {'true' if valid else 'false'}"
    )


class OldRecord(NamedTuple):
    """A record v0/v1 as far as it can be read: sizes as stored, ``fault`` where the value lies."""

    offset: int
    timestamp: int
    valid: bool
    crc: int
    key_size: int
    value_size: int
    key: bytes | None
    value: bytes | None
    fault: str


def message_records(log: LogFile, position: int, header: MessageHeader) -> Iterator[OldRecord]:
    """The records of a message: itself, or all in its wrapper; JavaError at what ends the dump."""
    data = log.data[position : position + header.size]
    outer = _old_record(data, 0, header)
    if not header.attributes & 7:
        yield outer
        return
    if outer.fault:
        raise illegal_argument(outer.fault)
    try:
        plain, base, inside = plain_set(header, outer.value, LIMIT)
    except CorruptBatchError as e:
        raise _java(_before_trailer(str(e), outer.value)) from None
    appended = header.timestamp_type == 1
    for at, inner in inside:
        record = _old_record(plain, at, inner)
        timestamp = header.timestamp if appended else record.timestamp
        yield record._replace(offset=base + record.offset, timestamp=timestamp)


def _before_trailer(reason: str, stored: bytes | None) -> str:
    """What Kafka stumbles on first in a gzip stream whose trailer does not fit."""
    if stored is not None and decompression_cause(reason).endswith("GZIP trailer"):
        try:
            for _ in scan_messages(inflated(stored, LIMIT)):
                pass
        except CorruptBatchError as e:
            return str(e)
    return reason


def _old_record(data: bytes, at: int, header: MessageHeader) -> OldRecord:
    end, key_at = at + header.size, at + (26 if header.magic else 18)
    key_size = _size(data, key_at, end)
    value_at = key_at + 4 + max(key_size, 0)
    value_size = _size(data, value_at, end)
    left = end - value_at - 4
    fault = f"newLimit > capacity: ({value_size} > {left})" if value_size > left else ""
    return OldRecord(
        offset=header.offset,
        timestamp=header.timestamp,
        valid=crc32(data[at + 16 : end]) == header.crc,
        crc=header.crc,
        key_size=key_size,
        value_size=value_size,
        key=data[key_at + 4 : value_at] if key_size >= 0 else None,
        value=None if fault or value_size < 0 else data[value_at + 4 : value_at + 4 + value_size],
        fault=fault,
    )


def _size(data: bytes, at: int, end: int) -> int:
    if at + 4 > end:
        raise JavaError(
            "java.lang.IndexOutOfBoundsException",
            plain=f"a message ends inside the length of its key or value, at byte {at}",
        )
    size: int = _INT.unpack_from(data, at)[0]
    return size


def _java(reason: str) -> JavaError:
    """The exception that Kafka's deep iterator throws."""
    if reason.startswith(("gzip", "lz4", "snappy", "zstd")):
        return kafka_exception(decompression_cause(reason))
    if reason.startswith("Record size"):
        return JavaError("org.apache.kafka.common.errors.CorruptRecordException", reason)
    return invalid_record(reason)


def check_message(data: bytes, name: str, *, deep: bool) -> tuple[tuple[int, int], int, str, bool]:
    """(first and last offset, timestamp in ms, what is wrong, whether it can be read at all).

    ``data`` is the message with offset and size; ``deep`` opens wrappers.
    """
    log = LogFile.of(data, name)
    try:
        header = message_header(log, 0)
        span = (header.offset, header.offset)
        if not check_message_crc(data, 0, header):
            return span, header.timestamp, f"wrong CRC (stored {header.crc})", False
        if not deep and not header.attributes & 7:
            return span, header.timestamp, "", True
        records = list(message_records(log, 0, header))
    except (JavaError, CorruptError) as e:
        return (0, 0), -1, str(e), False
    bad = [record.offset for record in records if not record.valid or record.fault]
    reason = f"wrong CRC of the message at offset {bad[0]}" if bad else ""
    return (records[0].offset, header.offset), header.timestamp, reason, True
