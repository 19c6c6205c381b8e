"""The content of a record: key, value and headers in the bytes that format v2 has for them.

Those bytes follow the offset in a record and go up to its end. Kafka's clients write each length
in the fewest bytes and null as -1, so that the bytes of a record are its content already. Whatever
is written otherwise, and records of formats v0 and v1, are brought into that form here.
"""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.disk.record import Record
from pykafka_ops.disk.varint import varint
from pykafka_ops.disk.walk import read_headers


def content_of(record: Record) -> bytes:
    """The content of a record."""
    return _joined(
        record.key,
        record.value,
        [(name.encode("utf-8", "surrogateescape"), value) for name, value in record.headers],
    )


def content_at(data: bytes, key: tuple[int, int], value: tuple[int, int], headers: int) -> bytes:
    """The content of a record that was read in ``data``: start and size of its key, of its value,
    start of its headers."""
    fields = [data[at : at + size] if size >= 0 else None for at, size in (key, value)]
    return content_of(Record(0, 0, fields[0], fields[1], read_headers(data, headers)))


def _joined(
    key: bytes | None, value: bytes | None, headers: Sequence[tuple[bytes, bytes | None]]
) -> bytes:
    parts = [*_parts(key), *_parts(value), varint(len(headers))]
    for name, content in headers:
        parts += (*_parts(name), *_parts(content))
    return b"".join(parts)


def _parts(content: bytes | None) -> tuple[bytes, bytes]:
    return (b"\x01", b"") if content is None else (varint(len(content)), content)
