"""Logs whose keys and values are of known kinds, and how they are compressed."""

from __future__ import annotations

import json
import random
import struct
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.index import OffsetIndex
from pykafka_ops.disk.names import INDEX_SUFFIX, partition_dir, segment_file
from pykafka_ops.disk.record import Record
from tests.support.monitor.payloads import ORDER, avro, framed, protobuf

Made = Callable[[int], bytes | None]


class FormatTopic(NamedTuple):
    """Records by their number, and the codec of their batches."""

    key: Made
    value: Made
    codec: Codec


def _draw(number: int, size: int) -> bytes:
    return random.Random(number).randbytes(size)


TOPICS = {
    "json": FormatTopic(
        lambda n: b"k%d" % n,
        lambda n: json.dumps({"id": n, "shop": "zurich", "lines": [1, 2, 3]}).encode(),
        Codec.NONE,
    ),
    "avro": FormatTopic(
        lambda n: struct.pack(">q", n), lambda n: framed(7, avro(ORDER)) + b"", Codec.LZ4
    ),
    "protobuf": FormatTopic(
        lambda n: uuid.UUID(int=(9 << 120) + n, version=4).bytes,
        lambda n: framed(8, b"\x00" + protobuf(id=n + 1, card="x" * 9)),
        Codec.SNAPPY,
    ),
    "noise": FormatTopic(lambda n: None, lambda n: b"\xff" + _draw(n, 300), Codec.ZSTD),
    "mixed": FormatTopic(
        lambda n: None,
        lambda n: (b"17", b"", None, b'{"a": 1}', b"words")[n % 5],
        Codec.GZIP,
    ),
}
PER_BATCH = 20


def write_formats(root: Path, *, partitions: int = 2, batches: int = 40) -> Path:
    """Write them, with indexes of offsets; the directory."""
    for name, topic in TOPICS.items():
        for partition in range(partitions):
            folder = root / partition_dir(name, partition)
            folder.mkdir(parents=True)
            index, data, hints = OffsetIndex(0), b"", b""
            for n in range(batches):
                first = n * PER_BATCH
                rows = [
                    Record(o, 1_000 + o, topic.key(o), topic.value(o))
                    for o in range(first, first + PER_BATCH)
                ]
                hints += index.append(rows[-1].offset, len(data)) if data else b""
                data += build_batch(rows, base_offset=first, codec=topic.codec)
            (folder / segment_file(0)).write_bytes(data)
            (folder / segment_file(0, INDEX_SUFFIX)).write_bytes(hints)
    return root
