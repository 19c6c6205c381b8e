"""The lines dump-log prints for batches and records, byte for byte as Kafka's tool does.

``record_lines`` is the hot loop: it walks a batch and formats in one go, without making records.
"""

from __future__ import annotations

from struct import Struct

from pykafka_ops.commands.dump_log.java import (
    decompression_cause,
    inflated,
    invalid_record,
    kafka_exception,
)
from pykafka_ops.commands.dump_log.log_file import LogFile
from pykafka_ops.commands.dump_log.printing.legacy import message_header, message_records
from pykafka_ops.commands.dump_log.printing.lines import Gaps, Lines
from pykafka_ops.compiled import is_compiled
from pykafka_ops.disk.batch import LOG_APPEND_TIME_FLAG, BatchHeader, check_crc, read_header
from pykafka_ops.disk.compression import CODEC_NAMES, decompress
from pykafka_ops.disk.control import control_type_id, read_marker
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.text import java_text
from pykafka_ops.disk.walk import read_headers, walk
from pykafka_ops.errors import CorruptBatchError

#: The dump may need memory for one batch; a batch that claims more is a bomb.
LIMIT = 1 << 30
_MAX = 2**31 - 1
_OFFSET = Struct(">q")


def java_sequence(base: int, delta: int) -> int:
    """``DefaultRecordBatch.incrementSequence``, with Java's overflow."""
    wraps = base > (_MAX - delta + 2**31) % 2**32 - 2**31
    found = delta - (_MAX - base) - 1 if wraps else base + delta
    return (found + 2**31) % 2**32 - 2**31


def timestamp_label(header: BatchHeader) -> str:
    """The name of the timestamp type."""
    return "LogAppendTime" if header.attributes & LOG_APPEND_TIME_FLAG else "CreateTime"


def truth(value: object) -> str:
    """A Java boolean."""
    return "true" if value else "false"


def batch_header(log: LogFile, position: int, magic: int) -> BatchHeader:
    """The header of a batch of magic 2 or above."""
    header = read_header(log.header_bytes(position, 61))
    return header if magic == 2 else header._replace(magic=magic)


def batch_head(header: BatchHeader) -> str:
    """The first half of the line of a batch v2, which Kafka prints by itself."""
    h = header
    sequence = h.base_sequence
    last = -1 if sequence == -1 else java_sequence(sequence, h.last_offset_delta)
    horizon = f"[{h.base_timestamp}]" if h.has_delete_horizon else ".empty"
    return (
        f"baseOffset: {h.base_offset} lastOffset: {h.last_offset} count: {h.record_count} "
        f"baseSequence: {sequence} lastSequence: {last} producerId: {h.producer_id} "
        f"producerEpoch: {h.producer_epoch} partitionLeaderEpoch: {h.partition_leader_epoch} "
        f"isTransactional: {truth(h.is_transactional)} isControl: {truth(h.is_control)} "
        f"deleteHorizonMs: OptionalLong{horizon}"
    )


def batch_line(log: LogFile, position: int, header: BatchHeader) -> str:
    """The second half; CorruptBatchError when the codec is unknown."""
    h = header
    codec, size = h.codec, h.batch_length + 12
    valid = check_crc(log.data[position : position + size], 0, header)
    return (
        f" position: {position} {timestamp_label(h)}: {h.max_timestamp} size: {size} "
        f"magic: {h.magic} compresscodec: {CODEC_NAMES[codec]} crc: {h.crc} "
        f"isvalid: {truth(valid)}"
    )


def plain_records(log: LogFile, position: int, header: BatchHeader) -> bytes:
    """The records section, decompressed; what Java's decompression would say when it cannot be."""
    stored = log.data[position + 61 : position + header.batch_length + 12]
    if header.record_count < 0:
        raise invalid_record(
            f"Found invalid record count {header.record_count} in magic v{header.magic} batch"
        )
    codec = header.codec
    if not codec:
        return stored
    try:
        return decompress(codec, stored, LIMIT)
    except CorruptBatchError as e:
        # A header is read before the records, a gzip trailer after them, the rest among them.
        cause = decompression_cause(str(e))
        if cause.endswith("Corrupt GZIP trailer"):
            _read_before_trailer(inflated(stored, LIMIT), header)
            reason = "Error checking for remaining bytes after reading batch"
        elif cause.endswith(("Not in GZIP format", "compression method", "UNCOMPRESS(5)")):
            reason = cause
        else:
            reason = "Failed to decompress record stream"
        raise kafka_exception(reason) from None


def _read_before_trailer(data: bytes, header: BatchHeader) -> None:
    """Kafka reads all records before a trailer that does not fit: JavaError at a malformed one."""
    try:
        for _ in walk(data, header):
            pass
    except CorruptBatchError as e:
        raise invalid_record(str(e)) from None


def last_offset_of(log: LogFile, position: int, magic: int) -> int:
    """Last offset of a batch of any format."""
    if magic < 2:
        offset: int = _OFFSET.unpack_from(log.data, position)[0]
        return offset
    return batch_header(log, position, magic).last_offset


def latest_timestamp(log: LogFile, position: int, magic: int) -> int:
    """The largest timestamp of the records at ``position``, -1 where none has one."""
    latest = -1
    if magic < 2:
        for record in message_records(log, position, message_header(log, position)):
            latest = max(latest, record.timestamp)
        return latest
    header = batch_header(log, position, magic)
    try:
        for span in walk(plain_records(log, position, header), header):
            latest = max(latest, span[1])
    except CorruptBatchError as e:
        raise invalid_record(str(e)) from None
    return latest


def record_lines(
    data: bytes, header: BatchHeader, gaps: Gaps, out: list[bytes], *, content: bool
) -> None:
    """Append the lines of all records in ``data``; ``content`` adds keys and payloads as text.

    Raises JavaError at a malformed record, after the lines before it; in a compressed batch
    without any, since Kafka reads those as a whole first.
    """
    mark = len(out)
    try:
        if is_compiled():
            label = timestamp_label(header).encode()
            Lines(gaps, utf8, header_keys).add(data, header, label, out, content)
        else:
            _add_lines(data, header, gaps, out, content=content)
    except CorruptBatchError as e:
        if header.attributes & 7:
            del out[mark:]
        raise invalid_record(str(e)) from None


def _add_lines(
    data: bytes, header: BatchHeader, gaps: Gaps, out: list[bytes], *, content: bool
) -> None:
    """As ``Lines.add``, which takes longer where it is not compiled."""
    last, add = gaps.last, out.append
    plain, with_key, with_value, with_both = _forms(timestamp_label(header))
    names = b""
    for offset, time, sequence, key_at, key_size, value_at, value_size, rest in walk(data, header):
        if last != offset - 1 and last != -1:
            gaps.found.append((last, offset))
        last = offset
        names = header_keys(data, rest) if data[rest] else b""
        if value_size < 0 or not content:
            if key_size < 0 or not content:
                add(plain % (offset, time, key_size, value_size, sequence, names))
                continue
            key = data[key_at : key_at + key_size]
            key = key if key.isascii() else utf8(key)
            add(with_key % (offset, time, key_size, value_size, sequence, names, key))
            continue
        value = data[value_at : value_at + value_size]
        value = value if value.isascii() else utf8(value)
        if key_size < 0:
            add(with_value % (offset, time, key_size, value_size, sequence, names, value))
            continue
        key = data[key_at : key_at + key_size]
        key = key if key.isascii() else utf8(key)
        add(with_both % (offset, time, key_size, value_size, sequence, names, key, value))
    gaps.last = last


def _forms(label: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Formats of a line: without key and value, with the one, the other, both."""
    head = (
        f"| offset: %d {label}: %d keySize: %d valueSize: %d sequence: %d headerKeys: [%b]".encode()
    )
    key, value, end = b" key: %b", b" payload: %b", b"\n"
    return head + end, head + key + end, head + value + end, head + key + value + end


def utf8(data: bytes) -> bytes:
    """What Java prints for ``data`` read as UTF-8: malformed bytes replaced."""
    return java_text(data).encode()


def header_keys(data: bytes, at: int) -> bytes:
    """The names of the headers at ``at``, by comma."""
    keys = [name.encode("utf-8", "surrogateescape") for name, _ in read_headers(data, at)]
    return b",".join([key if key.isascii() else utf8(key) for key in keys])


_KRAFT = {
    2: "LeaderChange:",
    3: "SnapshotHeader",
    4: "SnapshotFooter",
    5: "KRaftVersion",
    6: "KRaftVoters",
}


def control_text(key: bytes | None, value: bytes | None, *, newest: bool) -> str:
    """What follows the metadata of a control record, with ``newest`` as Kafka 4 shows it;
    CorruptBatchError where it is none."""
    kind = control_type_id(key)
    if kind in (0, 1):
        marker = read_marker(Record(0, 0, key, value))
        return f" endTxnMarker: {marker.type.name} coordinatorEpoch: {marker.coordinator_epoch}"
    if 3 <= kind <= 6 or (kind == 2 and newest):
        from pykafka_ops.disk.schema import ByteReader, read_struct, to_json
        from pykafka_ops.disk.tables.read import record_table
        from pykafka_ops.disk.text import java_json

        record = record_table("control").find(kind)
        version = int.from_bytes((value or b"")[:2], "big", signed=True)
        version = min(max(version, 0), record.highest)
        found = read_struct(record.struct, ByteReader(value or b""), version)
        return f" {_KRAFT[kind]} {java_json(to_json(found, version))}"
    name = "LEADER_CHANGE" if kind == 2 else "UNKNOWN"
    return f" controlType: {name}({kind})"
