"""The records of a compressed batch as plain bytes, however long that takes."""

from __future__ import annotations

from pykafka_ops.broker.hot.quick import COMPRESSED_RECORDS
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import codec_of, decompress
from pykafka_ops.errors import CorruptBatchError

DECOMPRESSED_LIMIT = 128 << 20
"""Bytes a batch may take decompressed. Kafka sets no limit, and holds up one of its many threads
with what expands to gigabytes; here all clients would wait."""


def inflate(stored: memoryview, header: BatchHeader, limit: int = DECOMPRESSED_LIMIT) -> bytes:
    """The records of a compressed batch as plain bytes.

    Raises CorruptBatchError if they are malformed, or take more than ``limit`` bytes.
    """
    if header.record_count > max(COMPRESSED_RECORDS, len(stored)):
        raise CorruptBatchError(
            f"compressed batch of {len(stored)} bytes with {header.record_count} records"
        )
    return decompress(codec_of(header.attributes), stored, limit)
