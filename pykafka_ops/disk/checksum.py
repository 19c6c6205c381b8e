"""The checksums of Kafka's files: CRC-32C (batches v2, snapshots), CRC-32 (formats v0, v1)."""

from __future__ import annotations

from zlib import crc32 as _crc32

from google_crc32c import value as _crc32c

Buffer = bytes | bytearray | memoryview
WritableBuffer = bytearray | memoryview


def crc32c(data: Buffer) -> int:
    """CRC-32C (Castagnoli) of ``data``, 0..2**32-1; copies what is not ``bytes`` (0.02 ms/MiB)."""
    checksum: int = _crc32c(data if type(data) is bytes else bytes(data))
    return checksum


def crc32(data: Buffer) -> int:
    """CRC-32 (zlib) of ``data``, 0..2**32-1, as record formats v0 and v1 use."""
    return _crc32(data)
