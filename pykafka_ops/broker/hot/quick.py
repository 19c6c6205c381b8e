"""How large a batch is checked at once, and its records in plain bytes."""

from __future__ import annotations

from mmap import mmap

from pykafka_ops.broker.hot.raw import MOST_DELTA
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import codec_of, decompress, unpack
from pykafka_ops.disk.pieces import UnpackedInto
from pykafka_ops.errors import CorruptBatchError

DECOMPRESSED_LIMIT = 128 << 20
"""Bytes a batch may take decompressed. Kafka sets no limit, and holds up one of its many threads
with what expands to gigabytes; here all clients would wait."""
COMPRESSED_RECORDS = 1 << 20
"""Records that any compressed batch may have; a larger one has a record a byte."""
QUICK_RECORDS = MOST_DELTA
QUICK_BYTES = 5 << 18
QUICK_COMPRESSED_BYTES = 256 * 1024
"""Of a batch that is checked while others wait: some ms of work, and what producers send."""

_memory: memoryview | None = None
"""For the records of one batch after the other, by the one thread that serves requests."""


def inflate(stored: memoryview, header: BatchHeader, limit: int = DECOMPRESSED_LIMIT) -> bytes:
    """The records of a compressed batch as plain bytes.

    Raises CorruptBatchError if they are malformed, or take more than ``limit`` bytes.
    """
    if header.record_count > max(COMPRESSED_RECORDS, len(stored)):
        raise CorruptBatchError(
            f"compressed batch of {len(stored)} bytes with {header.record_count} records"
        )
    return decompress(codec_of(header.attributes), stored, limit)


def inflate_quickly(stored: memoryview, header: BatchHeader) -> bytes | memoryview | None:
    """The same; None if that takes long, or they are malformed. What is given back is good until
    the next call."""
    global _memory
    if len(stored) > QUICK_COMPRESSED_BYTES or header.record_count > COMPRESSED_RECORDS:
        return None
    if _memory is None:
        _memory = memoryview(mmap(-1, QUICK_BYTES))
    try:
        return unpack(codec_of(header.attributes), stored, UnpackedInto(_memory))
    except CorruptBatchError:
        return None
