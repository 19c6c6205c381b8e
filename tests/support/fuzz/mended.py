"""Damaged batches that are not refused for their damage alone."""

from __future__ import annotations

import struct

from pykafka_ops.disk.batch import HEADER_SIZE
from pykafka_ops.disk.checksum import crc32, crc32c


def mended(data: bytes) -> bytearray:
    """The bytes of one batch with a length and a CRC that are right, so that more is read."""
    out = bytearray(data)
    if len(out) >= 26:
        struct.pack_into(">i", out, 8, len(out) - 12)
        if out[16] == 2 and len(out) >= HEADER_SIZE:
            struct.pack_into(">I", out, 17, crc32c(bytes(out[21:])))
        elif out[16] < 2:
            struct.pack_into(">I", out, 12, crc32(bytes(out[16:])))
    return out
