"""``--cluster-metadata-decoder`` and ``--remote-log-metadata-decoder``: records in the frame of
``AbstractApiMessageSerde``, by the tables of what Kafka 4 writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pykafka_ops.disk.schema import ByteReader, RecordStruct, read_struct, to_json
from pykafka_ops.disk.tables.read import RecordTable, record_table
from pykafka_ops.disk.text import java_json
from pykafka_ops.errors import CorruptError
from pykafka_ops.wire.types import uuid_text

Texts = tuple[str | None, str | None]
SEGMENT_STATES = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
DELETE_STATES = (
    "DELETE_PARTITION_MARKED",
    "DELETE_PARTITION_STARTED",
    "DELETE_PARTITION_FINISHED",
)
NO_VALUE = (
    'Cannot invoke "java.nio.ByteBuffer.remaining()" because the return value of '
    '"org.apache.kafka.common.record.{}Record.value()" is null'
)


class MetadataRecord(NamedTuple):
    """A record by its type, as in ``TOPIC_RECORD``."""

    type: str
    version: int
    struct: RecordStruct

    def fields(self) -> dict[str, Any]:
        """By the names of Kafka's definitions."""
        return to_json(self.struct, self.version)


def read_metadata(value: bytes | None) -> MetadataRecord:
    """A record of ``__cluster_metadata``; CorruptError in Kafka's words."""
    return _read(value, record_table("metadata"))


def read_remote(value: bytes | None) -> MetadataRecord:
    """A record of ``__remote_log_metadata``; CorruptError in Kafka's words."""
    return _read(value, record_table("remote"))


def cluster_metadata(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """As JSON with type, version and data; keys are not shown."""
    try:
        kind, version, _ = found = read_metadata(value)
    except CorruptError as error:
        return None, f"Error at {offset}, skipping. {error}"
    return None, java_json({"type": kind, "version": version, "data": found.fields()})


def remote_log_metadata(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """As ``toString`` of Kafka 3.9 shows it."""
    return _remote_texts(offset, value, newest=False)


def remote_log_metadata_of_4(offset: int, key: bytes | None, value: bytes | None) -> Texts:
    """The same of Kafka 4."""
    return _remote_texts(offset, value, newest=True)


def _remote_texts(offset: int, value: bytes | None, *, newest: bool) -> Texts:
    try:
        if value is None:
            raise CorruptError(NO_VALUE.format("internal." if newest else ""))
        return None, _remote_text(read_remote(value).struct, newest=newest)
    except CorruptError as error:
        return None, f"Error at offset {offset}, skipping. {error}"


def _read(value: bytes | None, table: RecordTable) -> MetadataRecord:
    reader = ByteReader(value or b"")
    frame = _short(reader, "frame version")
    if frame == 0:
        raise CorruptError(
            "Could not deserialize metadata record with frame version 0. Note that upgrades from "
            "the preview release of KRaft in 2.8 to newer versions are not supported."
        )
    if frame != 1:
        raise CorruptError(
            f"Could not deserialize metadata record due to unknown frame version {frame}(only "
            "frame version 1 is supported)"
        )
    kind, version = _short(reader, "type"), _short(reader, "version")
    if kind not in table:
        error = "org.apache.kafka.common.errors.UnsupportedVersionException"
        raise CorruptError(f"{error}: Unknown metadata id {kind}")
    record = table.find(kind)
    try:
        struct = read_struct(record.struct, reader, version)
    except CorruptError:
        raise CorruptError(f"Failed to deserialize record with type {kind}") from None
    left = len(reader.data) - reader.pos
    if left:
        raise CorruptError(f"Found {left} byte(s) of garbage after {kind}")
    name = re.sub("(?<!^)(?=[A-Z])", "_", record.name).upper()
    return MetadataRecord(name, version, struct)


def _short(reader: ByteReader, entity: str) -> int:
    try:
        value = reader.unsigned() & 0xFFFF_FFFF
    except CorruptError:
        raise CorruptError(f"Error while reading {entity}") from None
    if value >= 2**31:  # Java's int is negative here and passes
        value = (value & 0xFFFF) - (0x1_0000 if value & 0x8000 else 0)
    elif value > 0x7FFF:
        raise CorruptError(f"Value for {entity} was too large.")
    return value


# --- toString ------------------------------------------------------------------------------------


def _remote_text(struct: Any, *, newest: bool) -> str:
    kind = type(struct).__name__
    if kind == "RemotePartitionDeleteMetadataRecord":
        shown = {
            "topicPartition": _partition(struct.topicIdPartition),
            "state": _state(DELETE_STATES, struct.remotePartitionDeleteState),
            "eventTimestampMs": struct.eventTimestampMs,
            "brokerId": struct.brokerId,
        }
        return _to_string("RemotePartitionDeleteMetadata", shown)
    if kind == "RemoteLogSegmentMetadataUpdateRecord":
        shown = {
            "remoteLogSegmentId": _segment_id(struct.remoteLogSegmentId),
            "customMetadata": _custom(struct.customMetadata),
            "state": _state(SEGMENT_STATES, struct.remoteLogSegmentState),
            "eventTimestampMs": struct.eventTimestampMs,
            "brokerId": struct.brokerId,
        }
        return _to_string("RemoteLogSegmentMetadataUpdate", shown)
    if kind == "RemoteLogSegmentMetadataRecord":
        return _segment(struct, newest=newest)
    raise CorruptError("Unsupported operation")


def _segment(struct: Any, *, newest: bool) -> str:
    state = _state(SEGMENT_STATES, struct.remoteLogSegmentState)
    if not struct.segmentLeaderEpochs:
        raise CorruptError("segmentLeaderEpochs can not be null or empty")
    start, end = struct.startOffset, struct.endOffset
    if start < 0:
        raise CorruptError(f"Unexpected start offset = {start}. StartOffset for a remote segment "
                           "cannot be negative")  # fmt: skip
    if end < start:
        raise CorruptError(f"Unexpected end offset = {end}. EndOffset for a remote segment cannot "
                           f"be less than startOffset = {start}")  # fmt: skip
    epochs = {one.leaderEpoch: one.offset for one in struct.segmentLeaderEpochs}
    shown = {
        "remoteLogSegmentId": _segment_id(struct.remoteLogSegmentId),
        "startOffset": start,
        "endOffset": end,
        "brokerId": struct.brokerId,
        "maxTimestampMs": struct.maxTimestampMs,
        "eventTimestampMs": struct.eventTimestampMs,
        "segmentLeaderEpochs": f"{{{', '.join(f'{k}={v}' for k, v in sorted(epochs.items()))}}}",
        "segmentSizeInBytes": struct.segmentSizeInBytes,
        "customMetadata": _custom(struct.customMetadata),
        "state": state,
    }
    if newest:
        shown["txnIdxEmpty"] = "true" if struct.txnIndexEmpty else "false"
    return _to_string("RemoteLogSegmentMetadata", shown)


def _to_string(name: str, fields: Mapping[str, object]) -> str:
    return f"{name}{{{', '.join(f'{key}={value}' for key, value in fields.items())}}}"


def _partition(entry: Any) -> str:
    return f"{uuid_text(entry.id)}:{entry.name}-{entry.partition}"


def _segment_id(entry: Any) -> str:
    shown = {"topicIdPartition": _partition(entry.topicIdPartition), "id": uuid_text(entry.id)}
    return _to_string("RemoteLogSegmentId", shown)


def _custom(value: bytes | None) -> str:
    if value is None:
        return "Optional.empty"
    return f"Optional[CustomMetadata{{{len(value)} bytes}}]"


def _state(names: tuple[str, ...], number: int) -> str:
    if not 0 <= number < len(names):
        raise CorruptError("state can not be null" if names is SEGMENT_STATES else "null")
    return names[number]
