"""Writes what a leader answers as Parquet: committed records, a file per run and some size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.backup.chain import folder_of
from pykafka_ops.backup.manifest import SegmentEntry
from pykafka_ops.backup.parquet.schema import (
    APPEND_TIME,
    CREATE_TIME,
    NO_TIME,
    SUFFIX,
    arrow,
    schema,
)
from pykafka_ops.backup.segments import CheckedBatch
from pykafka_ops.backup.store.model import BackupStore, StoredFile
from pykafka_ops.disk.aborted import AbortedBatches
from pykafka_ops.disk.batch import BatchHeader, next_batch_size
from pykafka_ops.disk.checksum import crc32c_more
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT, Codec
from pykafka_ops.disk.legacy import iter_message, read_message_header
from pykafka_ops.disk.names import segment_file
from pykafka_ops.disk.record import payload
from pykafka_ops.disk.walk import read_headers, walk

_OF_A_ROW: Final = 400
"""Bytes of memory that a record takes beside its content, about."""
Headers = Sequence[tuple[str, bytes | None]]


class KeptRecord(NamedTuple):
    """A row: as ``schema`` has it; -1 for what is not there."""

    offset: int
    timestamp: int
    type: str
    key: bytes | None
    value: bytes | None
    headers: Headers
    leader_epoch: int
    producer_id: int
    producer_epoch: int
    sequence: int
    compression: str


class ParquetPartitionWriter:
    """As ``PartitionWriter``, in Parquet. ``group_bytes``: what waits in memory, about."""

    def __init__(
        self,
        store: BackupStore,
        place: tuple[str, int, int],
        start: int,
        most: int,
        group_bytes: int,
    ) -> None:
        self.entries: list[SegmentEntry] = []
        self.position = start
        self._store, self._folder, self._most = store, folder_of(*place), most
        self._group_bytes = group_bytes
        self._file: _ParquetFile | None = None
        self._rows: list[KeptRecord] = []
        self._held = 0

    def take(self, data: memoryview, end: int, aborted: Sequence[tuple[int, int]] = ()) -> bool:
        """Keep the committed records of an answer below ``end``; whether that was reached. Raises
        StorageError; CorruptBatchError with what came before kept."""
        left_out = AbortedBatches(aborted, DECOMPRESSED_LIMIT)
        at = 0
        while self.position < end and (size := next_batch_size(data, at)) is not None:
            part = data[at : at + size]
            at += size
            batch = CheckedBatch(part)
            if batch.last_offset < self.position:
                continue
            header = batch.header
            if not (header is not None and _is_left_out(part, header, left_out)):
                self._add(list(_records(bytes(part), header)), end)
            self.position = batch.last_offset + 1
        return self.position >= end

    def skip_to(self, offset: int) -> None:
        """As ``PartitionWriter``."""
        self.position = max(self.position, offset)

    def finish(self) -> None:
        """As ``PartitionWriter``."""
        self._flush()
        self._close()

    def abandon(self) -> None:
        """As ``PartitionWriter``."""
        self._rows = []
        if self._file is not None:
            self._file.abandon()
            self._file = None

    def _add(self, records: Sequence[KeptRecord], end: int) -> None:
        for record in records:
            if self.position <= record.offset < end:
                self._rows.append(record)
                self._held += _OF_A_ROW + len(record.key or b"") + len(record.value or b"")
                if self._held >= self._group_bytes:
                    self._flush(record.offset + 1)

    def _flush(self, following: int | None = None) -> None:
        """Write what waits as a row group; a file that is large enough ends with it."""
        if not self._rows:
            return
        if self._file is None:
            self._file = _ParquetFile(self._store, self._folder, self._rows[0].offset)
        self._file.write(self._rows)
        self._rows, self._held = [], 0
        if self._file.size >= self._most and following is not None:
            self._close(following)

    def _close(self, following: int | None = None) -> None:
        if self._file is not None:
            self.entries.append(self._file.close(self.position if following is None else following))
            self._file = None


def _is_left_out(part: memoryview, header: BatchHeader, left_out: AbortedBatches) -> bool:
    """Whether a batch is a marker, or of a transaction that was aborted."""
    return (header.is_transactional and left_out.drops(part, header)) or header.is_control


def _records(part: bytes, header: BatchHeader | None) -> Iterator[KeptRecord]:
    """The records of a batch, or of a message of an old format. Raises CorruptBatchError."""
    if header is None:
        old = read_message_header(part)
        kind = APPEND_TIME if old.attributes & 8 else CREATE_TIME
        codec = Codec(old.attributes & 7).name.lower()
        for one in iter_message(part, 0, old, DECOMPRESSED_LIMIT):
            yield KeptRecord(
                one.offset, one.timestamp, kind, one.key, one.value, one.headers, -1, -1, -1, -1,
                codec,
            )  # fmt: skip
        return
    data = payload(part, 0, header, DECOMPRESSED_LIMIT)
    kind = APPEND_TIME if header.is_log_append_time else CREATE_TIME
    codec = Codec(header.attributes & 7).name.lower()
    same = header.partition_leader_epoch, header.producer_id, header.producer_epoch
    for offset, time, sequence, key_at, key_size, value_at, value_size, rest in walk(data, header):
        yield KeptRecord(
            offset,
            time,
            kind,
            data[key_at : key_at + key_size] if key_size >= 0 else None,
            data[value_at : value_at + value_size] if value_size >= 0 else None,
            read_headers(data, rest) if data[rest] else (),
            *same,
            sequence,
            codec,
        )


class _ParquetFile:
    """A file being written; its bytes are counted on their way."""

    def __init__(self, store: BackupStore, folder: str, base: int) -> None:
        pa = arrow()
        self.size = self._crc = 0
        self._base, self._min_ms, self._max_ms = base, -1, -1
        self._out: StoredFile = store.create(f"{folder}/{segment_file(base, SUFFIX)}")
        self._sink = pa.PythonFile(_Sink(self), mode="w")
        self._writer = pa.parquet.ParquetWriter(self._sink, schema(), compression="zstd")

    def put(self, data: bytes) -> None:
        """What the format gives to be written."""
        self._out.write(data)
        self._crc = crc32c_more(self._crc, data)
        self.size += len(data)

    def write(self, rows: Sequence[KeptRecord]) -> None:
        """A row group."""
        times = [row.timestamp for row in rows if row.timestamp >= 0]
        if times:
            low = min(times)
            self._min_ms = low if self._min_ms < 0 else min(self._min_ms, low)
            self._max_ms = max(self._max_ms, *times)
        self._writer.write_table(_table(rows), row_group_size=len(rows))

    def close(self, following: int) -> SegmentEntry:
        """Have it in the store; ``following``: the offset behind it."""
        self._writer.close()
        self._sink.close()
        self._out.close()
        return SegmentEntry(
            self._base, following, self.size, self._crc, self._min_ms, self._max_ms, ending=SUFFIX
        )

    def abandon(self) -> None:
        """Leave nothing of it."""
        self._out.abandon()


class _Sink:
    """What PyArrow writes to; the store's file is closed by whoever made it."""

    closed = False

    def __init__(self, file: _ParquetFile) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        self._file.put(bytes(data))
        return len(data)

    def tell(self) -> int:
        return self._file.size

    def flush(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        self.closed = True


def _table(rows: Sequence[KeptRecord]) -> Any:
    pa = arrow()
    kinds = schema()
    columns = list(zip(*rows, strict=True))

    def numbers(at: int, name: str) -> Any:
        values = [None if value == -1 else value for value in columns[at]]
        return pa.array(values, kinds.field(name).type)

    def words(at: int, name: str) -> Any:
        return pa.array(columns[at], pa.string()).cast(kinds.field(name).type)

    times = [None if time == NO_TIME else time for time in columns[1]]
    return pa.Table.from_arrays(
        [
            pa.array(columns[0], pa.int64()),
            pa.array(times, pa.int64()).cast(kinds.field("timestamp").type),
            words(2, "timestamp_type"),
            pa.array(columns[3], pa.binary()),
            pa.array(columns[4], pa.binary()),
            _headers(pa, columns[5], kinds.field("headers").type),
            numbers(6, "leader_epoch"),
            numbers(7, "producer_id"),
            numbers(8, "producer_epoch"),
            numbers(9, "sequence"),
            words(10, "compression"),
        ],
        schema=kinds,
    )


def _headers(pa: Any, every: Sequence[Headers], kind: Any) -> Any:
    """Names as they came, even where they are no UTF-8."""
    names: list[bytes] = []
    values: list[bytes | None] = []
    offsets: list[int | None] = []
    for headers in every:
        offsets.append(len(names) if headers else None)
        for name, value in headers:
            names.append(name.encode("utf-8", "surrogateescape"))
            values.append(value)
    offsets.append(len(names))
    texts = pa.array(names, pa.binary()).cast(pa.string(), safe=False)
    pairs = pa.StructArray.from_arrays(
        [texts, pa.array(values, pa.binary())], fields=list(kind.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pairs, type=kind)
