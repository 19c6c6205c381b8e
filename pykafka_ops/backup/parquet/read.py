"""Reads a backup's Parquet files back, as batches of records with the offsets that they had."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import IO, Any, Final

from pykafka_ops.backup.manifest import SegmentEntry
from pykafka_ops.backup.parquet.schema import NO_TIME, arrow, schema
from pykafka_ops.backup.store.directory import BackupDirectory
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.checksum import crc32c_more
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import StorageError, first_line

BATCH_BYTES: Final = 64 << 10
"""Content of a batch that is made of several records."""
_CHUNK: Final = 4 << 20
_BUFFER: Final = 256 << 10
_ROWS: Final = 2_000
_ASKED: Final = ("offset", "timestamp", "key", "value", "headers", "compression")


def parquet_batches(store: BackupStore, name: str, segment: SegmentEntry) -> Iterator[bytearray]:
    """Its records in order, each batch with the codec that they had. Size and CRC of the file are
    compared before the first.

    Raises StorageError; UsageError without PyArrow.
    """
    pa = arrow()
    with _checked(store, name, segment) as file:
        try:
            yield from _batches(pa, file, segment)
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            said = first_line(error)
            raise StorageError(f"{name} is no Parquet file of a backup: {said}") from None


@contextmanager
def _checked(store: BackupStore, name: str, segment: SegmentEntry) -> Iterator[IO[bytes]]:
    """The file, or a copy: Parquet is read from its end, which a stream may not have."""
    with ExitStack() as stack:
        copy: IO[bytes] | None = None
        if not isinstance(store, BackupDirectory):
            copy = stack.enter_context(tempfile.TemporaryFile())
        crc = size = 0
        with closing(store.open(name)) as stored:
            while size <= segment.size and (piece := stored.read(_CHUNK)):
                size += len(piece)
                crc = crc32c_more(crc, piece)
                if copy is not None:
                    copy.write(piece)
        if size != segment.size:
            more = "more than " if size > segment.size else ""
            has = f"{more}{min(size, segment.size):,}"
            raise StorageError(f"{name} has {has} bytes, not {segment.size:,}")
        if crc != segment.crc32c:
            raise StorageError(f"{name} was changed: its bytes have another CRC")
        if copy is None:
            assert isinstance(store, BackupDirectory)
            copy = stack.enter_context(open(store.root / name, "rb"))
        copy.seek(0)
        yield copy


def _batches(pa: Any, copy: IO[bytes], segment: SegmentEntry) -> Iterator[bytearray]:
    held: list[Record] = []
    size, codec, last = 0, Codec.NONE, segment.base - 1
    file = pa.parquet.ParquetFile(copy, buffer_size=_BUFFER)
    if not file.schema_arrow.equals(schema()):
        raise ValueError("its columns are others")
    for rows in file.iter_batches(batch_size=_ROWS, columns=list(_ASKED)):
        for record, kind in _records(pa, rows):
            if not last < record.offset < segment.next:
                raise ValueError(f"offset {record.offset} is out of order")
            last = record.offset
            wide = bool(held) and record.offset - held[0].offset >= 1 << 31
            if held and (size >= BATCH_BYTES or kind != codec or wide):
                yield _batch(held, codec)
                held, size = [], 0
            codec = kind
            held.append(record)
            size += len(record.key or b"") + len(record.value or b"") + 16
    if held:
        yield _batch(held, codec)


def _batch(records: Sequence[Record], codec: Codec) -> bytearray:
    return build_batch(records, base_offset=records[0].offset, codec=codec)


def _records(pa: Any, rows: Any) -> Iterator[tuple[Record, Codec]]:
    columns = {name: rows.column(name) for name in _ASKED}
    times = columns["timestamp"].cast(pa.int64()).to_pylist()
    codecs = columns["compression"].cast(pa.string()).to_pylist()
    for offset, time, key, value, headers, codec in zip(
        columns["offset"].to_pylist(),
        times,
        columns["key"].to_pylist(),
        columns["value"].to_pylist(),
        _headers(pa, columns["headers"]),
        codecs,
        strict=True,
    ):
        at = NO_TIME if time is None else time
        yield Record(offset, at, key, value, headers), Codec[codec.upper()]


def _headers(pa: Any, column: Any) -> Iterator[list[tuple[str, bytes | None]]]:
    """Those of each row; names may be no UTF-8."""
    import pyarrow.compute as pc

    pairs = column.flatten()
    names = pc.struct_field(pairs, 0).cast(pa.binary()).to_pylist()
    values = pc.struct_field(pairs, 1).to_pylist()
    at = 0
    for count in pc.list_value_length(column).to_pylist():
        end = at + (count or 0)
        yield [
            (name.decode("utf-8", "surrogateescape"), value)
            for name, value in zip(names[at:end], values[at:end], strict=True)
        ]
        at = end
