"""Log directories made for tests, and what the ``kafka-log`` source reads of them without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.index import OffsetIndex, TimeIndex
from pykafka_ops.disk.names import (
    INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    partition_dir,
    segment_file,
)
from pykafka_ops.disk.record import Record
from pykafka_ops.spark.sources.filtered import FilteredReader
from pykafka_ops.spark.sources.log import reader as of_logs


def record(offset: int, time: int | None = None) -> Record:
    """A record whose contents tell its offset; its time is ten times that."""
    content = b"%d" % offset
    return Record(offset, 10 * offset if time is None else time, content, content * 5)


def write_log(
    log_dir: Path,
    topic: str,
    segments: Sequence[Sequence[int]],
    *,
    partition: int = 0,
    codec: Codec = Codec.NONE,
    indexed: bool = True,
    first: int = 0,
) -> Path:
    """A partition whose segments have batches of so many records; the directory."""
    folder = log_dir / partition_dir(topic, partition)
    folder.mkdir(parents=True, exist_ok=True)
    offset = first
    for sizes in segments:
        base, data = offset, b""
        offsets, times = OffsetIndex(base), TimeIndex(base)
        hints, stamps = b"", b""
        for size in sizes:
            rows = [record(offset + n) for n in range(size)]
            if data:
                hints += offsets.append(rows[-1].offset, len(data))
            stamps += times.append(rows[-1].timestamp, rows[-1].offset)
            data += build_batch(rows, base_offset=offset, codec=codec)
            offset += size
        (folder / segment_file(base)).write_bytes(data)
        if indexed:
            (folder / segment_file(base, INDEX_SUFFIX)).write_bytes(hints)
            (folder / segment_file(base, TIME_INDEX_SUFFIX)).write_bytes(stamps)
    return folder


def reader(path: Path | str, **options: object) -> FilteredReader:
    """The reader of the source with these options."""
    return of_logs.reader({"path": str(path)} | {k: str(v) for k, v in options.items()})


def table(path: Path | str, **options: object) -> pa.Table:
    """Everything that the tasks of a read give, in their order."""
    made = reader(path, **options)
    found = [batch for task in made.partitions() for batch in made.read(task)]
    return pa.Table.from_batches(found, schema=made.columns)


def column(path: Path | str, name: str, **options: object) -> list[Any]:
    """One column of :func:`table`."""
    return table(path, **options)[name].to_pylist()  # type: ignore[no-any-return]
