"""The checksums of Kafka's files: CRC-32C (batches v2, snapshots), CRC-32 (formats v0, v1)."""

from __future__ import annotations

from zlib import crc32 as _crc32

from pykafka_ops.compiled.checksum import crc32c as crc32c

Buffer = bytes | bytearray | memoryview
WritableBuffer = bytearray | memoryview


def crc32c_more(before: int, data: Buffer) -> int:
    """CRC-32C of the bytes of which ``before`` is the CRC-32C, with ``data`` behind them."""
    from google_crc32c import extend  # it takes 2 MB, and a broker never needs it

    checksum: int = extend(before, data if type(data) is bytes else bytes(data))
    return checksum


def crc32(data: Buffer) -> int:
    """CRC-32 (zlib) of ``data``, 0..2**32-1, as record formats v0 and v1 use."""
    return _crc32(data)
