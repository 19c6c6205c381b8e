"""Ids that are made up."""

from __future__ import annotations

import secrets

from pykafka_ops.wire.types import uuid_text


def random_uuid() -> bytes:
    """``Uuid.randomUuid``: version 4, none of the reserved ones, none that begins with a dash."""
    while True:
        value = bytearray(secrets.token_bytes(16))
        value[6] = value[6] & 0x0F | 0x40
        value[8] = value[8] & 0x3F | 0x80
        if not uuid_text(bytes(value)).startswith("-"):
            return bytes(value)
