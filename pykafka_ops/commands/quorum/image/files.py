"""Snapshots and segments of a ``__cluster_metadata`` directory, and the records in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pykafka_ops.commands.dump_log.printing.metadata import read_metadata
from pykafka_ops.commands.dump_log.segments import SegmentPath, SegmentReader, plain_section
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.control import control_type_id
from pykafka_ops.disk.names import LOG_SUFFIX, METADATA_PARTITION, parse_segment_file
from pykafka_ops.disk.salvage import DamagedBytes, SoundBatch
from pykafka_ops.disk.schema import ByteReader, read_struct, to_json
from pykafka_ops.disk.tables.read import record_table
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError, UsageError

HEADER, FOOTER = "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER"
_CHECKPOINT = re.compile(r"(\d{20})-(\d{10})\.checkpoint")
_CONTROL = {
    2: "LEADER_CHANGE", 3: HEADER, 4: FOOTER, 5: "KRAFT_VERSION", 6: "KRAFT_VOTERS",
}  # fmt: skip


class MetadataSnapshot(NamedTuple):
    """A snapshot: what records below offset ``end`` made, the last of them of ``epoch``."""

    end: int
    epoch: int
    path: str


class MetadataFiles(NamedTuple):
    """Snapshots and segments, by offset."""

    snapshots: list[MetadataSnapshot]
    segments: list[SegmentPath]


class LoggedRecord(NamedTuple):
    """A record by its type; ``fields`` as Kafka's definitions name them, None: ``problem`` says why
    it cannot be read. ``time``: ms."""

    offset: int
    time: int
    epoch: int
    kind: str
    fields: dict[str, Any] | None
    problem: str = ""


def metadata_files(path: str) -> MetadataFiles:
    """Those of a directory, its own or that of logs around it, or one snapshot; UsageError."""
    found = _CHECKPOINT.fullmatch(os.path.basename(path))
    if found and os.path.isfile(path):
        return MetadataFiles([MetadataSnapshot(int(found[1]), int(found[2]), path)], [])
    inside = os.path.join(path, METADATA_PARTITION)
    folder = inside if os.path.isdir(inside) else path
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    snapshots = [
        MetadataSnapshot(int(m[1]), int(m[2]), os.path.join(folder, name))
        for name in names
        if (m := _CHECKPOINT.fullmatch(name))
    ]
    segments = [SegmentPath(os.path.join(folder, name)) for name in names if _is_live(name)]
    if not snapshots and not segments:
        raise UsageError(
            f"{path}: no {METADATA_PARTITION} there, or neither snapshots nor segments in it"
        )
    return MetadataFiles(snapshots, segments)


def _is_live(name: str) -> bool:
    found = parse_segment_file(name)
    return found is not None and found.suffix == LOG_SUFFIX and not found.state


def records_of(segment: SegmentPath) -> Iterator[LoggedRecord | DamagedBytes]:
    """The records of a segment or snapshot in order; damage ends it. OSError."""
    with open(segment.path, "rb", buffering=0) as file:
        for batch in SegmentReader(segment, file).batches(0):
            if isinstance(batch, DamagedBytes):
                yield batch
                return
            if not isinstance(batch.header, BatchHeader):
                size = len(batch.tail)
                yield DamagedBytes(batch.position, size, "a message of an old format")
                return
            try:
                yield from _of_batch(batch, batch.header)
            except CorruptError as error:
                yield DamagedBytes(batch.position, batch.header.size, str(error))
                return


def _of_batch(batch: SoundBatch, header: BatchHeader) -> Iterator[LoggedRecord]:
    data, epoch = plain_section(batch), header.partition_leader_epoch
    for offset, time, _, key_at, key_size, at, size, _ in walk(data, header):
        value = data[at : at + size] if size >= 0 else b""
        if header.is_control:
            key = data[key_at : key_at + key_size] if key_size >= 0 else None
            yield _control(offset, time, epoch, control_type_id(key), value)
            continue
        try:
            found = read_metadata(value)
        except CorruptError as error:
            yield LoggedRecord(offset, time, epoch, "", None, str(error))
        else:
            yield LoggedRecord(offset, time, epoch, found.type, found.fields())


def _control(offset: int, time: int, epoch: int, kind: int, value: bytes) -> LoggedRecord:
    name = _CONTROL.get(kind)
    if name is None:
        return LoggedRecord(offset, time, epoch, "", None, f"Unknown control record {kind}")
    record = record_table("control").find(kind)
    version = min(max(int.from_bytes(value[:2], "big", signed=True), 0), record.highest)
    try:
        fields = to_json(read_struct(record.struct, ByteReader(value), version), version)
    except CorruptError as error:
        return LoggedRecord(offset, time, epoch, name, None, str(error))
    return LoggedRecord(offset, time, epoch, name, fields)
