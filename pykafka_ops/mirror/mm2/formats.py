"""Records of MirrorMaker 2's internal topics, byte for byte. Pure.

Source: Heartbeat, Checkpoint and OffsetSync of connect-mirror(-client), which write Kafka's
protocol types: big endian, strings of int16 length and UTF-8. Offset syncs have no version.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, TypeVar

from pykafka_ops.disk.schema import ByteReader, RecordStruct, kept, read_struct, table, write_struct
from pykafka_ops.errors import CorruptError

HEARTBEATS: Final = "heartbeats"
_VERSION: Final = Struct(">h")
S = TypeVar("S", bound=RecordStruct)
Entry = tuple[bytes, bytes]
"""Key and value of a record."""


@table()
class HeartbeatKey(RecordStruct):
    """Which link beats, by aliases."""

    source: str = kept("string")
    target: str = kept("string")


@table()
class HeartbeatValue(RecordStruct):
    """When, in ms."""

    timestamp: int = kept("int64")


@table()
class CheckpointKey(RecordStruct):
    """A group and a partition of the target, by the name it has there."""

    group: str = kept("string")
    topic: str = kept("string")
    partition: int = kept("int32")


@table()
class CheckpointValue(RecordStruct):
    """The group's offset at the source, and what it is at the target."""

    upstream: int = kept("int64")
    downstream: int = kept("int64")
    metadata: str = kept("string")


@table()
class OffsetSyncKey(RecordStruct):
    """A partition of the source, by the name it has there."""

    topic: str = kept("string")
    partition: int = kept("int32")


@table()
class OffsetSyncValue(RecordStruct):
    """One record's offset at the source and at the target."""

    upstream: int = kept("int64")
    downstream: int = kept("int64")


def checkpoints_topic(source: str, separator: str = ".") -> str:
    """The topic at the target that has checkpoints of a source's groups."""
    return f"{source}{separator}checkpoints{separator}internal"


def offset_syncs_topic(other: str, separator: str = ".") -> str:
    """The topic with offset syncs: at the source ``other`` is the target, and the other way."""
    return f"mm2-offset-syncs{separator}{other}{separator}internal"


def connect_offsets_topic(source: str) -> str:
    """The topic at the target where Connect keeps how far MirrorMaker 2 has copied."""
    return f"mm2-offsets.{source}.internal"


def heartbeat(source: str, target: str, timestamp: int) -> Entry:
    """A heartbeat of a link; ``timestamp`` in ms."""
    key = _bytes(HeartbeatKey(source=source, target=target))
    return key, _VERSION.pack(0) + _bytes(HeartbeatValue(timestamp=timestamp))


def checkpoint(key: CheckpointKey, value: CheckpointValue) -> Entry:
    """A checkpoint of a group in one partition."""
    return _bytes(key), _VERSION.pack(0) + _bytes(value)


def offset_sync(key: OffsetSyncKey, value: OffsetSyncValue) -> Entry:
    """A record of the source that is known at the target."""
    return _bytes(key), _bytes(value)


def read_heartbeat(key: bytes, value: bytes) -> tuple[HeartbeatKey, HeartbeatValue]:
    """Raises CorruptError."""
    return _read(HeartbeatKey, key), _read(HeartbeatValue, _versioned(value))


def read_checkpoint(key: bytes, value: bytes) -> tuple[CheckpointKey, CheckpointValue]:
    """Raises CorruptError."""
    return _read(CheckpointKey, key), _read(CheckpointValue, _versioned(value))


def read_offset_sync(key: bytes, value: bytes) -> tuple[OffsetSyncKey, OffsetSyncValue]:
    """Raises CorruptError."""
    return _read(OffsetSyncKey, key), _read(OffsetSyncValue, value)


def _bytes(struct: RecordStruct) -> bytes:
    out = bytearray()
    write_struct(out, struct, 0)
    return bytes(out)


def _versioned(value: bytes) -> bytes:
    """What follows the version, which must be the one that is known."""
    if value[: _VERSION.size] != _VERSION.pack(0):
        raise CorruptError("not a version of MirrorMaker 2's record that is known here")
    return value[_VERSION.size :]


def _read(cls: type[S], data: bytes) -> S:
    reader = ByteReader(data)
    found = read_struct(cls, reader, 0)
    if reader.pos != len(data):
        raise CorruptError("a record of MirrorMaker 2 is longer than it should be")
    return found
