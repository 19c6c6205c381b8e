"""Producer snapshots, ``<offset>.snapshot`` (Kafka: ``ProducerStateManager``, version 1).

Layout, big endian: version int16, CRC-32C uint32 of what follows, count int32, then per producer
46 bytes: producerId int64, epoch int16, lastSequence int32, lastOffset int64, offsetDelta int32,
timestamp int64, coordinatorEpoch int32, currentTxnFirstOffset int64.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.checksum import Buffer, crc32c
from pykafka_ops.errors import CorruptIndexError

VERSION = 1
_HEAD = Struct(">hI")
_COUNT = Struct(">i")
_ENTRY = Struct(">qhiqiqiq")
_FIELDS = (
    ("producer_id", 8),
    ("epoch", 2),
    ("last_sequence", 4),
    ("last_offset", 8),
    ("offset_delta", 4),
    ("timestamp", 8),
    ("coordinator_epoch", 4),
    ("current_txn_first_offset", 8),
)


class ProducerEntry(NamedTuple):
    """Last batch of one producer; -1 stands for none in every field but the first."""

    producer_id: int
    producer_epoch: int = -1
    last_sequence: int = -1
    last_offset: int = -1
    offset_delta: int = 0
    timestamp: int = -1
    coordinator_epoch: int = -1
    current_txn_first_offset: int = -1


def read_snapshot(data: Buffer) -> list[ProducerEntry]:
    """The producers in a snapshot file; CorruptIndexError, in Kafka's words, when it is damaged."""
    count = _shape(data)
    version, stored = _HEAD.unpack_from(data)
    if version != VERSION:
        raise CorruptIndexError(f"Snapshot contained an unknown file version {version}")
    view = memoryview(data)
    computed = crc32c(view[6:])
    if computed != stored:
        raise CorruptIndexError(
            f"Snapshot is corrupt (CRC is no longer valid). Stored crc: {stored}. "
            f"Computed crc: {computed}"
        )
    body = view[10 : 10 + count * _ENTRY.size]
    return [ProducerEntry._make(fields) for fields in _ENTRY.iter_unpack(body)]


def _shape(data: Buffer) -> int:
    """The entry count, held against the bytes; the texts are of Kafka's ``Schema.read``."""
    size = len(data)
    reason = ""
    if size < 10:
        name = "version" if size < 2 else "crc" if size < 6 else "producer_entries"
        reason = f"Error reading field '{name}': java.nio.BufferUnderflowException"
    else:
        (count,) = _COUNT.unpack_from(data, 6)
        left = size - 10
        if count < 0:
            reason = (
                f"Error reading field 'producer_entries': Array size {count} cannot be negative"
            )
        elif count > left:
            reason = (
                f"Error reading field 'producer_entries': Error reading array of size {count}, "
                f"only {left} bytes available"
            )
        elif count * _ENTRY.size > left:
            name = _field_at(left % _ENTRY.size)
            reason = (
                f"Error reading field 'producer_entries': Error reading field '{name}': "
                "java.nio.BufferUnderflowException"
            )
        else:
            return int(count)
    raise CorruptIndexError(f"Snapshot failed schema validation: {reason}")


def _field_at(left: int) -> str:
    """The field that ``left`` bytes of an entry end in."""
    for name, size in _FIELDS:
        if left < size:
            return name
        left -= size
    return _FIELDS[0][0]


def write_snapshot(entries: Iterable[ProducerEntry]) -> bytes:
    """The file's bytes, entries in the given order."""
    rows = [_ENTRY.pack(*entry) for entry in entries]
    body = _COUNT.pack(len(rows)) + b"".join(rows)
    return _HEAD.pack(VERSION, crc32c(body)) + body
