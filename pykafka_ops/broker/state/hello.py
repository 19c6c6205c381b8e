"""The first bytes of a client on a port that speaks TLS."""

from __future__ import annotations

from enum import Enum
from struct import Struct
from typing import Final

LOOK: Final = 6
"""Bytes that tell one from the other."""

_HANDSHAKE, _MAJOR = 0x16, 0x03
_HEAD = Struct(">ih")
_MOST_KEY, _MOST_SIZE = 255, 1 << 28


class Hello(Enum):
    """What a client speaks."""

    TLS = "TLS"
    KAFKA = "Kafka without TLS"
    ELSE = "neither TLS nor Kafka"
    UNKNOWN = "too little to tell"


def spoken(first: bytes | bytearray | memoryview) -> Hello:
    """What the first bytes look like; UNKNOWN while there are too few."""
    start = bytes(first[:LOOK])
    if start[:1] == bytes([_HANDSHAKE]):
        if len(start) == 1:
            return Hello.UNKNOWN
        return Hello.TLS if start[1] == _MAJOR else Hello.ELSE
    if len(start) < LOOK:
        return Hello.UNKNOWN if not start or start[0] == 0 else Hello.ELSE
    size, key = _HEAD.unpack(start)
    return Hello.KAFKA if 0 < size < _MOST_SIZE and 0 <= key <= _MOST_KEY else Hello.ELSE
