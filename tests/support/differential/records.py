"""Records as the differential test compares them: every header field and every record."""

from __future__ import annotations

import hashlib
import struct
import time
from typing import Any

from pykafka_ops.disk.batch import HEADER_SIZE, check_crc, read_header
from pykafka_ops.disk.compression import Codec, decompress
from pykafka_ops.disk.legacy import check_message_crc, message_content, read_message_header
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import CorruptBatchError

LIMIT = 64 << 20
NEAR_MS = 600_000


def plain_records(data: bytes) -> list[dict[str, Any]]:
    """Batches and messages of all formats; what is cut at the end counts by its size.

    A cut message behind whole ones tells an old client nothing: Kafka fills down-converted
    answers up with one.
    """
    found: list[dict[str, Any]] = []
    at = 0
    while at < len(data):
        left = len(data) - at
        size = 12 + struct.unpack_from(">i", data, at + 8)[0] if left >= 17 else left + 1
        if size < 26 or size > left:
            return found if found and found[-1]["magic"] < 2 else [*found, {"cut": left}]
        part = data[at : at + size]
        found.append(_batch(part) if part[16] >= 2 else _message(part))
        at += size
    return found


def _batch(part: bytes) -> dict[str, Any]:
    header = read_header(part)
    fields: dict[str, Any] = header._asdict()
    valid = check_crc(part, 0, header)
    fields["payload"] = hashlib.sha1(part[HEADER_SIZE:]).hexdigest()[:12]
    try:
        records: Any = [_record(r) for r in iter_records(part, 0, header, LIMIT)]
    except CorruptBatchError as error:
        records = f"unreadable: {error}"
    if is_now(header.max_timestamp) or is_now(header.base_timestamp) or not valid:
        fields["crc"] = "valid" if valid else "wrong"
    for name in ("base_timestamp", "max_timestamp"):
        fields[name] = stamp(fields[name])
    return {**fields, "records": records}


def _record(record: Any) -> dict[str, Any]:
    headers = [(k, v if v is None else v.hex()) for k, v in record.headers]
    return {
        "offset": record.offset,
        "timestamp": stamp(record.timestamp),
        "key": text(record.key),
        "value": text(record.value),
        "headers": headers,
    }


def _message(part: bytes) -> dict[str, Any]:
    header = read_message_header(part)
    key, value = message_content(part, 0, header)
    fields: dict[str, Any] = {
        "offset": header.offset,
        "magic": header.magic,
        "attributes": header.attributes,
        "timestamp": stamp(header.timestamp),
        "crc": "valid" if check_message_crc(part, 0, header) else "wrong",
        "key": text(key),
    }
    if header.attributes & 7 and value is not None:
        codec, old = Codec(header.attributes & 7), header.magic == 0
        fields["inner"] = plain_records(decompress(codec, value, LIMIT, v0_header=old))
    else:
        fields["value"] = text(value)
    return fields


def is_now(ms: int) -> bool:
    """Whether a time is about now."""
    return abs(ms - time.time() * 1000) < NEAR_MS


def stamp(ms: int) -> Any:
    """A time that the broker's clock gave is the same as any other."""
    return "NOW" if is_now(ms) else ms


def text(data: bytes | None) -> str | None:
    """Short contents as they are, long ones by size and hash."""
    if data is None:
        return None
    if len(data) > 60:
        return f"{len(data)} bytes, {hashlib.sha1(data).hexdigest()[:8]}"
    return data.decode("latin1")
