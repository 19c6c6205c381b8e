"""New ids, as Kafka makes them."""

from __future__ import annotations

import os

_DASH = 62
"""The place of ``-`` in URL-safe base64."""


def random_uuid() -> bytes:
    """The 16 bytes of ``Uuid.randomUuid``: version 4, none of those that Kafka reserves, none whose
    text begins with a dash."""
    while True:
        value = bytearray(os.urandom(16))
        value[6] = value[6] & 0x0F | 0x40
        value[8] = value[8] & 0x3F | 0x80
        if value[0] >> 2 != _DASH:
            return bytes(value)
