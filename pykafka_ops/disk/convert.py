"""Records carried from one format to another.

Up: what ``LogValidator`` reads when an old producer sends v0/v1 to a log of format v2.
Down: what ``RecordsUtil.downConvert`` does when an old consumer fetches v2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pykafka_ops.disk.batch import (
    INVALID_RECORD,
    NO_TIMESTAMP,
    BatchHeader,
    TimestampType,
    next_batch_size,
    read_header,
)
from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import (
    InvalidWrapperError,
    build_messages,
    check_message_crc,
    iter_message,
    read_message_header,
)
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, KafkaError

#: Kafka error code for a codec the target format does not have.
UNSUPPORTED_COMPRESSION_TYPE = 76


class MessageSet(NamedTuple):
    """A producer's message set, opened: records as sent, ``codec`` of its wrapper."""

    records: list[Record]
    codec: Codec
    magic: int


def next_batch(buf: Buffer, pos: int, stop: int) -> int | None:
    """End of the batch or message of any format at ``pos``; None if it does not end by ``stop``."""
    size = next_batch_size(buf, pos)
    return None if size is None or pos + size > stop else pos + size


def read_message_set(buf: Buffer, limit: int = 2**31 - 1) -> MessageSet:
    """Open the v0/v1 message set a producer sent; bytes after its last whole message are ignored.

    ``limit`` bounds the decompressed bytes. Raises CorruptBatchError (answer CORRUPT_MESSAGE) on
    bad sizes and CRCs and KafkaError(INVALID_RECORD) on sets Kafka refuses: empty, magics mixed,
    a wrapper that is not alone or holds what it may not.
    """
    records: list[Record] = []
    first_magic, codec, count, pos = -1, Codec.NONE, 0, 0
    while (end := next_batch(buf, pos, len(buf))) is not None:
        if first_magic >= 0 and buf[pos + 16] == 2:
            raise _mixed(2, first_magic)
        header = read_message_header(buf, pos)
        if not check_message_crc(buf, pos, header):
            raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")
        if first_magic not in (-1, header.magic):
            raise _mixed(header.magic, first_magic)
        first_magic, count = header.magic, count + 1
        codec = header.codec or codec
        if codec and count > 1:
            raise KafkaError(INVALID_RECORD, "Compressed outer record has more than one batch")
        try:
            records.extend(iter_message(buf, pos, header, limit, verify=True))
        except InvalidWrapperError as error:
            raise KafkaError(INVALID_RECORD, str(error)) from error
        pos = end
    if not records:
        raise KafkaError(INVALID_RECORD, "Record batch has no batches at all")
    return MessageSet(records, codec, first_magic)


def _mixed(magic: int, first: int) -> KafkaError:
    return KafkaError(
        INVALID_RECORD,
        f"Batch magic {magic} is not the same as the first batch's magic byte {first}",
    )


def down_convert(
    buf: Buffer, magic: int, first_offset: int, limit: int = 2**31 - 1
) -> Iterator[bytes]:
    """Every whole batch of ``buf`` as format ``magic`` (0 or 1), for a fetch at ``first_offset``.

    Control batches are left out, as are uncompressed records below ``first_offset`` (an old
    consumer does not skip them); headers are lost; what is old enough already goes unchanged.
    ``limit`` bounds the decompressed bytes of a batch. Raises CorruptBatchError on damaged
    batches, KafkaError(UNSUPPORTED_COMPRESSION_TYPE) on zstd.
    """
    pos = 0
    while (end := next_batch(buf, pos, len(buf))) is not None:
        found = buf[pos + 16]
        if found <= magic:
            yield bytes(buf[pos:end])
        elif found == 1:
            yield _v1_to_v0(buf, pos, first_offset, limit)
        else:
            yield _v2_to_old(buf, pos, magic, first_offset, limit)
        pos = end


def _v2_to_old(buf: Buffer, pos: int, magic: int, first_offset: int, limit: int) -> bytes:
    header: BatchHeader = read_header(buf, pos)
    if header.is_control:
        return b""
    codec = header.codec
    if codec is Codec.ZSTD:
        raise KafkaError(
            UNSUPPORTED_COMPRESSION_TYPE,
            "Down-conversion of zstandard-compressed batches is not supported",
        )
    records = list(iter_records(buf, pos, header, limit))
    if not codec:
        records = [record for record in records if record.offset >= first_offset]
    if not records:
        return b""
    appended = header.is_log_append_time
    return build_messages(
        records,
        magic,
        codec=codec,
        timestamp_type=TimestampType(appended),
        log_append_time=header.max_timestamp if appended else NO_TIMESTAMP,
    )


def _v1_to_v0(buf: Buffer, pos: int, first_offset: int, limit: int) -> bytes:
    header = read_message_header(buf, pos)
    records = list(iter_message(buf, pos, header, limit))
    codec = header.codec
    if not codec:
        records = [record for record in records if record.offset >= first_offset]
    return build_messages(records, 0, codec=codec) if records else b""
